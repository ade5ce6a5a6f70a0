"""A site's own judgements: their files, and what is made of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.domain.errors import ConfigurationError
from pipeline.jobs.reindex.judgements import judgements, mean_ndcg, ndcg
from pipeline.settings import Settings
from pipeline.testing.night_jobs import hashing_services

# By hand: gains 2^grade - 1 = 7, 0, 1 over log2(2), log2(3), log2(4); best order 7, 3, 1.
FOUND, ALL = [3, 0, 1], [1, 3, 2, 0]
EXPECTED = (7 / 1 + 0 + 1 / 2) / (7 / 1 + 3 / 1.584962500721156 + 1 / 2)


def test_ndcg_as_computed_by_hand():
    assert ndcg(FOUND, ALL) == pytest.approx(EXPECTED)
    assert ndcg([3, 2, 1], ALL) == pytest.approx(1.0)
    assert ndcg([], ALL) == 0.0
    assert ndcg([0] * 10 + [3], ALL) == 0.0  # beyond the tenth hit nothing counts


@pytest.fixture
def judged(small: Settings, tmp_path: Path) -> Settings:
    queries, qrels = tmp_path / "queries.tsv", tmp_path / "qrels.txt"
    queries.write_text("q1\tEGFR mutation\nq2\tnobody judged this\n", encoding="utf-8")
    qrels.write_text("q1 0 NCT99000001 2\nq3 0 NCT99000002 1\n", encoding="utf-8")
    return small.model_copy(update={"evaluation_queries": queries, "evaluation_qrels": qrels})


def test_queries_without_judgements_are_left_out(judged: Settings):
    with hashing_services(judged) as services:
        found = judgements(services)
        assert found == {"q1": ("EGFR mutation", {"NCT99000001": 2})}
        assert 0.0 <= mean_ndcg(services, found) <= 1.0


def test_a_site_without_judgements_has_none(small: Settings):
    with hashing_services(small) as services:
        assert judgements(services) is None


@pytest.mark.parametrize("line", ["q1 0 NCT99000001", "q1 0 NCT99000001 high", "q1"])
def test_a_line_that_is_none_is_named_and_not_quoted(judged: Settings, line: str):
    assert judged.evaluation_qrels is not None
    judged.evaluation_qrels.write_text(line + "\n", encoding="utf-8")
    with hashing_services(judged) as services, pytest.raises(ConfigurationError, match="line 1") as caught:
        judgements(services)
    assert "high" not in caught.value.message


def test_one_file_without_the_other_is_refused(judged: Settings):
    half = judged.model_copy(update={"evaluation_qrels": None})
    with hashing_services(half) as services, pytest.raises(ConfigurationError, match="both"):
        judgements(services)
    missing = judged.model_copy(update={"evaluation_queries": Path("nowhere.tsv")})
    with hashing_services(missing) as services, pytest.raises(ConfigurationError, match="EVALUATION_QUERIES cannot be read"):
        judgements(services)
