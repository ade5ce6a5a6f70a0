"""An evaluation of the sample home: what is measured of each kind of query, what is kept, and how two are compared."""

from __future__ import annotations

import json
import stat
from collections.abc import Sequence
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from pipeline.api.app import create_app
from pipeline.domain.errors import SourceRefusedError, SourceUnavailableError, UsageError
from pipeline.domain.identifiers import document_id
from pipeline.index.edge_store import shared_store
from pipeline.jobs.evaluate import job
from pipeline.jobs.evaluate.asking import Answer, Found, client_for, over_http
from pipeline.jobs.evaluate.compare import compare, compare_files
from pipeline.jobs.evaluate.judged import GoldPassage, JudgedQuery
from pipeline.jobs.evaluate.keeping import read_artifact
from pipeline.jobs.evaluate.model import EvaluationSummary
from pipeline.jobs.evaluate.names import Names, names_in, names_without_home
from pipeline.jobs.evaluate.run import How, measured
from pipeline.jobs.evaluate.trend import evaluation_trend
from pipeline.jobs.report.collect import collect
from pipeline.jobs.report.html import render_html
from pipeline.search.request import Mode
from pipeline.settings import Settings
from pipeline.testing.embedder import HashEmbedder
from pipeline.wiring import Services

SECRET = "Quartermain-Oddfellow"
SHOCK = JudgedQuery("shock", "vasopressin early in septic shock", {"NCT99000022": 2}, groups={"intent": "trial_search"})
PATCH = JudgedQuery("patch", f"silent atrial fibrillation after surgery {SECRET}", {"NCT99000006": 1}, near=("NCT99000022",))


def how(mode: str = "fused", *, allow_missing: bool = False, limit: int = 20, **floors: float) -> How:
    return How(mode=mode, limit=limit, url=False, floors=floors, allow_missing=allow_missing)


def names(*known: str) -> Names:
    return Names({name: name for name in known})


def answer(*documents: str, gold: Sequence[str] = (), refused: bool = False) -> Answer:
    return Answer(tuple(Found(name, name in gold) for name in documents), "hybrid", refused or not documents, 0.01)


def test_a_home_is_measured_and_the_figures_are_kept_without_a_word_of_the_queries(services: Services):
    summary = job.evaluate_home(services, [SHOCK, PATCH], how())
    assert (summary.queries, summary.measured, summary.missing, summary.failed) == (2, 2, [], False)
    assert summary.metrics["recall@10"].value == 1.0
    assert summary.metrics["near_miss_accuracy"].queries == 1
    assert summary.groups["intent"]["trial_search"].queries == 1
    assert 0 < summary.random_floor["recall@10"] < 0.2
    assert summary.artifact is not None
    kept = Path(summary.artifact)
    assert SECRET not in kept.read_text(encoding="utf-8")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
    again = read_artifact(kept)
    assert again.metrics == summary.metrics
    assert again.basis.index_digest
    assert not any("secret" in name or name == "home" for name in again.basis.settings)


def test_the_same_home_and_queries_give_the_same_basis_and_figures(services: Services):
    first, second = (job.evaluate_home(services, [SHOCK, PATCH], how()) for _ in range(2))
    assert first.basis == second.basis
    found = compare(first, second)
    assert (found.queries, found.differs, found.per_query) == (2, [], {})
    assert all(change.value == 0 and change.wins == change.losses == 0 for change in found.metrics.values())


def test_what_judgements_name_and_is_not_there_is_told_and_red_unless_allowed(services: Services):
    lost = JudgedQuery("lost", "gout", {"NCT98765432": 1, f"{SECRET}.pdf": 1})
    summary = job.evaluate_home(services, [SHOCK, lost], how())
    assert {one.name for one in summary.missing} == {"NCT98765432", f"{SECRET}.pdf"}
    assert summary.failed
    assert summary.per_query["lost"].metrics["recall@100"] == 0  # users do not get it
    kept = read_artifact(Path(summary.artifact or ""))
    assert {one.name for one in kept.missing} == {"NCT98765432", None}  # a file's name may name a person
    assert not job.evaluate_home(services, [SHOCK, lost], how(allow_missing=True)).failed


def test_below_a_floor_and_a_floor_of_what_was_not_measured_fail(services: Services):
    assert not job.evaluate_home(services, [SHOCK], how(**{"recall@10": 1.0})).failed
    summary = job.evaluate_home(services, [SHOCK], how(**{"precision@10": 0.9, "pair_accuracy": 0.1}))
    assert [floor.metric for floor in summary.below] == ["precision@10", "pair_accuracy"]
    assert summary.failed


def test_names_are_nct_ids_document_ids_and_keys(services: Services):
    shock = str(document_id("clinicaltrials.gov", "NCT99000022"))
    found = names_in(services, ["NCT99000022", shock, shock.upper(), "NCT98765432", "", "0" * 32])
    assert set(found.ids.values()) == {shock}
    assert set(found.missing) == {"NCT98765432", "", "0" * 32}
    assert names_without_home(["NCT99000022"]).ids == {"NCT99000022": shock}
    assert set(names_without_home(["a.pdf"]).missing) == {"a.pdf"}


def test_a_query_without_evidence_is_right_when_it_is_refused_or_finds_nothing():
    queries = [JudgedQuery(name, "x", refuse=True) for name in ("found", "nothing", "refused")]
    answers = {"found": answer("d"), "nothing": answer(), "refused": answer("d", refused=True)}
    assert {query: row["refusal"] for query, row in measured(queries, names(), answers).items()} == {"found": 0, "nothing": 1, "refused": 1}
    kept = JudgedQuery("kept", "x", {"d": 1})
    assert measured([kept], names("d"), {"kept": answer("d", refused=True)})["kept"]["answered"] == 0


def test_a_gold_passage_counts_only_in_a_relevant_document():
    query = JudgedQuery("q", "x", {"d": 1}, passages=(GoldPassage("DOSING"),))
    rows = {
        name: measured([query], names("d"), {"q": found})["q"]
        for name, found in {
            "first": answer("d", "e", gold=["d"]),
            "third": answer("e", "f", "d", gold=["d"]),
            "of another": answer("e", "d", gold=["e"]),
        }.items()
    }
    assert {name: (row["passage@1"], row["passage@3"]) for name, row in rows.items()} == {
        "first": (1, 1),
        "third": (0, 1),
        "of another": (0, 0),
    }


def test_two_names_of_one_document_count_once_with_the_better_label():
    query = JudgedQuery("q", "x", {"a": 1, "b": 2})
    row = measured([query], Names({"a": "d", "b": "d"}), {"q": answer("d")})["q"]
    assert row["recall@1"] == 1
    assert row["ndcg@10"] == 1


def test_twins_are_set_against_their_queries_and_not_into_the_figures(services: Services):
    twin = JudgedQuery("shock~typo", "zzz qqq", SHOCK.labels, twin_of="shock", groups={"variant": "typo"})
    summary = job.evaluate_home(services, [SHOCK, twin], how("sparse"))
    assert summary.metrics["recall@10"].value == 1.0
    change = summary.twins["typo"]["recall@10"]
    assert (change.value, change.losses) == (-1.0, 1)
    assert summary.groups["variant"]["typo"].metrics["recall@10"].value == 0


@pytest.fixture
def client(home: Settings):
    with TestClient(create_app(home.model_copy(update={"open_access": "operator"})), base_url="http://localhost") as client:
        yield client
    shared_store(home.index_folder, home.collection).stop_lingering()


def test_a_server_gives_the_answers_that_the_home_gives(client: TestClient):
    with_home = over_http(client, limit=20, mode=Mode.FUSED)(SHOCK)
    assert with_home.found[0].document_id == str(document_id("clinicaltrials.gov", "NCT99000022"))
    assert measured([SHOCK], names_without_home(SHOCK.names), {"shock": with_home})["shock"]["recall@1"] == 1


def test_a_server_that_is_not_there_or_says_no_is_an_error_in_words(client: TestClient):
    with client_for("http://127.0.0.1:9", {"CLINDEX_API_KEY": SECRET}) as nobody, pytest.raises(SourceUnavailableError) as away:
        over_http(nobody, limit=5, mode=Mode.FULL)(SHOCK)
    client.base_url = client.base_url.join("/nothing/")
    with pytest.raises(SourceRefusedError, match="404"):
        over_http(client, limit=5, mode=Mode.FULL)(SHOCK)
    assert SECRET not in str(away.value)


def test_a_query_that_is_no_search_is_named_and_not_quoted(services: Services):
    with pytest.raises(UsageError, match="query bad") as caught:
        job.evaluate_home(services, [JudgedQuery("bad", SECRET * 1000, {"NCT99000022": 1})], how())
    assert SECRET not in str(caught.value)


def test_comparison_says_which_queries_moved(services: Services, tmp_path: Path):
    summary = job.evaluate_home(services, [SHOCK, PATCH], how())
    worse = summary.model_copy(
        update={"per_query": {**summary.per_query, "patch": summary.per_query["patch"].model_copy(update={"metrics": {"mrr": 0.25}})}}
    )
    found = compare(summary, worse)
    assert found.per_query == {"patch": {"mrr": round(0.25 - summary.per_query["patch"].metrics["mrr"], 6)}}
    with pytest.raises(UsageError, match="share no query"):
        compare(summary, summary.model_copy(update={"per_query": {}}))
    (tmp_path / "no.json").write_text("{}")
    with pytest.raises(UsageError, match="no evaluation"):
        compare_files(tmp_path / "no.json", Path(summary.artifact or ""))


def test_the_report_draws_the_last_evaluations_of_the_same_queries(services: Services):
    services.embedder = HashEmbedder(services.dimensions)
    for queries in ([PATCH], [SHOCK, PATCH], [SHOCK, PATCH]):
        job.evaluate_home(services, queries, how("full", **{"ndcg@10": 1.0}))
    job.evaluate_home(services, [SHOCK, PATCH], how("dense"))  # a part of the search is no point of the trend
    with services.db.read() as tx:
        trend = evaluation_trend(tx)
    assert ([point.queries for point in trend.points], trend.others) == ([2, 2], 1)
    page = render_html(collect(services))
    assert 'id="figure-evaluation-ndcg"' in page
    assert "1 evaluation of other queries left out" in page


def test_the_artifact_is_what_the_schema_says(services: Services, root: Path):
    summary = job.evaluate_home(services, [SHOCK], how())
    schema = json.loads((root / "schemas" / "evaluation.json").read_text(encoding="utf-8"))
    assert set(json.loads(Path(summary.artifact or "").read_text())) == set(schema["properties"]) == set(EvaluationSummary.model_fields)
