"""A site's own judgements: their files, and what is made of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.domain.errors import ConfigurationError
from pipeline.jobs.reindex.judgements import figures, judgements, ndcg_change
from pipeline.settings import Settings
from pipeline.testing.night_jobs import hashing_services


@pytest.fixture
def judged(small: Settings, tmp_path: Path) -> Settings:
    queries, qrels = tmp_path / "queries.tsv", tmp_path / "qrels.txt"
    queries.write_text("q1\tEGFR mutation\nq2\tnobody judged this\n", encoding="utf-8")
    qrels.write_text("q1 0 NCT99000001 2\nq3 0 NCT99000002 1\n", encoding="utf-8")
    return small.model_copy(update={"evaluation_queries": queries, "evaluation_qrels": qrels})


def test_queries_without_judgements_are_left_out(judged: Settings):
    with hashing_services(judged) as services:
        found = judgements(services)
        assert found is not None
        assert [(query.query_id, query.text, query.labels) for query in found] == [("q1", "EGFR mutation", {"NCT99000001": 2})]
        rows = figures(services, found)
        live, candidate, change = ndcg_change(rows, rows)
        assert live == candidate
        assert (change.value, change.ties) == (0.0, 1)


def test_a_collection_that_answers_one_query_worse_is_below_the_live_one():
    before = {"q1": {"ndcg@10": 1.0}, "q2": {"ndcg@10": 0.5}}
    live, candidate, change = ndcg_change(before, {**before, "q2": {"ndcg@10": 0.4}})
    assert (live, candidate) == (0.75, pytest.approx(0.7))
    assert change.value == pytest.approx(-0.05)
    assert (change.wins, change.losses, change.ties) == (0, 1, 1)


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


def test_judgements_without_queries_and_a_missing_file_are_refused(judged: Settings):
    half = judged.model_copy(update={"evaluation_queries": None})
    with hashing_services(half) as services, pytest.raises(ConfigurationError, match="EVALUATION_QUERIES is not"):
        judgements(services)
    missing = judged.model_copy(update={"evaluation_queries": Path("nowhere.tsv")})
    with hashing_services(missing) as services, pytest.raises(ConfigurationError, match="queries cannot be read"):
        judgements(services)
