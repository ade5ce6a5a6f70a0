"""Three roles, all endpoints, all kinds: nothing that may not be seen is returned, counted or hinted at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from fastapi.testclient import TestClient

from pipeline.domain.vocabulary import DocumentKind

QUERY = "chest pain with raised troponin"
OPEN_KINDS = ("trial", "protocol", "statistical_analysis_plan", "guideline", "ems_protocol", "paper")
ROLES = ("public", "clinical", "operator")
KINDS = [kind.value for kind in DocumentKind]


def may_see(role: str, kind: str, facets: Any) -> bool:
    """Whether the role's key may see a document; said again here, in other words than the code's."""
    if role == "operator" or (kind in OPEN_KINDS and facets.access in (None, "public")):
        return True
    return role == "clinical" and facets.access == "internal" and facets.department == "cardiology"


@pytest.fixture
def visible(world) -> Callable[..., set[str]]:
    def of(role: str, *kinds: str) -> set[str]:
        return {
            document for document, (kind, facets) in world.documents.items() if (not kinds or kind in kinds) and may_see(role, kind, facets)
        }

    return of


def search(served: TestClient, world, role: str, **wanted: Any) -> dict[str, Any]:
    answer = served.post("/search", json={"query": QUERY, "limit": 1000, **wanted}, headers=world.header(role))
    assert answer.status_code == 200, answer.text
    return answer.json()


def without_moment(result: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in result.items() if name not in ("seconds", "search_id")}


def test_the_world_holds_every_kind_and_each_role_sees_another_part_of_it(world, visible):
    assert {kind for kind, _ in world.documents.values()} == set(KINDS)
    assert len(visible("public")) < len(visible("clinical")) < len(visible("operator")) == len(world.documents)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("role", ROLES)
def test_a_search_of_a_kind_returns_exactly_what_may_be_seen(served: TestClient, world, visible, role: str, kind: str):
    result = search(served, world, role, kinds=[kind], mode="fused")
    assert {hit["document_id"] for hit in result["hits"]} == visible(role, kind)
    if role != "operator":
        assert set(result["dropped"].values()) == {0}


@pytest.mark.parametrize("mode", ["full", "fused", "dense", "sparse"])
@pytest.mark.parametrize("role", ["public", "clinical"])
def test_no_mode_of_search_returns_anything_else(served: TestClient, world, visible, role: str, mode: str):
    found = {hit["document_id"] for hit in search(served, world, role, mode=mode)["hits"]}
    assert found
    assert found <= visible(role)


@pytest.mark.parametrize(
    ("hidden", "absent"),
    [
        ({"access": ["restricted"]}, {"access": ["no such label"]}),
        ({"departments": ["oncology"], "kinds": ["note"]}, {"departments": ["no such department"], "kinds": ["note"]}),
        ({"kinds": ["note"], "access": ["restricted"]}, {"kinds": ["no such kind"], "access": ["restricted"]}),
    ],
)
@pytest.mark.parametrize("role", ["public", "clinical"])
def test_a_filter_for_what_is_hidden_is_answered_as_one_for_what_is_not_there(served, world, role: str, hidden, absent):
    assert search(served, world, "operator", **hidden)["hits"]
    assert without_moment(search(served, world, role, **hidden)) == without_moment(search(served, world, role, **absent))


@pytest.mark.parametrize("role", ["public", "clinical"])
def test_a_patient_that_may_not_be_seen_is_answered_as_one_that_is_not_there(served, world, role: str):
    patients = {facets.patient for kind, facets in world.documents.values() if facets.patient and not may_see(role, kind, facets)}
    seen = {facets.patient for kind, facets in world.documents.values() if may_see(role, kind, facets)}
    assert patients - seen
    for patient in patients - seen:
        assert search(served, world, "operator", patients=[patient])["hits"]
        here, nowhere = (without_moment(search(served, world, role, patients=[one])) for one in (patient, "0" * 32))
        assert here == nowhere


@pytest.mark.parametrize("role", ROLES)
def test_a_document_is_shown_if_it_may_be_seen_and_else_answered_as_none(served: TestClient, world, visible, role: str):
    nothing = served.get(f"/documents/{uuid4()}", headers=world.header(role))
    assert nothing.status_code == 404
    assert served.get("/documents/no-id", headers=world.header(role)).json() == nothing.json()
    for document in world.documents:
        answer = served.get(f"/documents/{document}", headers=world.header(role))
        if document in visible(role):
            assert (answer.status_code, answer.json()["document_id"]) == (200, document)
            assert answer.json()["passages"]
        else:
            assert (answer.status_code, answer.json()) == (404, nothing.json())
            assert set(answer.headers) == set(nothing.headers)


@pytest.mark.parametrize("role", ROLES)
def test_a_figure_of_a_hidden_document_is_answered_as_none(served: TestClient, world, visible, role: str):
    nothing = served.get(f"/figures/{uuid4()}/1", headers=world.header(role))
    assert nothing.status_code == 404
    for document in sorted(set(world.documents) - visible(role)):
        assert served.get(f"/figures/{document}/1", headers=world.header(role)).json() == nothing.json()


@pytest.mark.parametrize("role", ["public", "clinical"])
def test_a_citation_of_a_hidden_passage_is_answered_as_one_that_is_gone(served: TestClient, world, visible, role: str):
    tokens = {hit["document_id"]: hit["token"] for hit in search(served, world, "operator", mode="fused")["hits"]}
    hidden = sorted(set(tokens) - visible(role))
    assert hidden
    for document in hidden:
        said = served.get(f"/citations/{tokens[document]}", headers=world.header(role)).json()
        assert (said["status"], said["removed"]) == ("removed", "document")
        assert {said[name] for name in ("title", "text", "kind", "source", "citation", "live_version")} == {None}
    for document in sorted(set(tokens) & visible(role))[:3]:
        assert served.get(f"/citations/{tokens[document]}", headers=world.header(role)).json()["status"] == "same"
    assert served.get("/citations/c1.none", headers=world.header(role)).status_code == 404


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("role", ["public", "clinical"])
def test_an_answer_rests_on_what_may_be_seen(served: TestClient, world, visible, role: str, kind: str):
    question = {"query": "Which dose of aspirin was given?", "kinds": [kind], "limit": 50}
    answer = served.post("/ask", json=question, headers=world.header(role))
    assert answer.status_code == 200
    cited = {cite["document_id"] for cite in answer.json()["passages"]}
    cited |= {cite["document_id"] for statement in answer.json()["statements"] for cite in statement["cites"]}
    assert cited <= visible(role, kind)
    if not visible(role, kind):
        nowhere = served.post("/ask", json={**question, "kinds": ["no such kind"]}, headers=world.header(role))
        assert without_moment(answer.json()) == without_moment(nowhere.json())


def test_what_one_role_was_answered_is_not_remembered_for_another(served: TestClient, world, visible):
    for role in ("operator", "public", "clinical", "operator"):
        found = {hit["document_id"] for hit in search(served, world, role, mode="dense", kinds=["note", "paper"])["hits"]}
        assert found == visible(role, "note", "paper")


@pytest.mark.parametrize("path", ["/status", "/report", "/metrics"])
def test_what_operators_watch_is_for_operators(served: TestClient, world, path: str):
    assert [served.get(path, headers=world.header(role)).status_code for role in ("public", "clinical")] == [403, 403]
    assert served.get(path, headers=world.header("operator")).status_code in (200, 400)  # 400: no report was written yet
    assert served.get(path).status_code == 401


@pytest.mark.parametrize("role", ["public", "clinical"])
def test_feedback_on_somebody_elses_search_is_answered_as_on_none(served: TestClient, world, role: str):
    theirs = search(served, world, "operator", kinds=["note"])
    answers = [
        served.post("/feedback", json={"search_id": one, "event": "opened"}, headers=world.header(role))
        for one in (theirs["search_id"], str(uuid4()))
    ]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert answers[0].json() == answers[1].json()


def test_health_says_nothing_of_documents(served: TestClient):
    assert set(served.get("/health").json()) == {"status", "drift_check", "findings", "checked_at"}


@pytest.mark.parametrize("path", ["/search", "/feedback"])
def test_nothing_is_answered_without_a_key_once_there_are_keys(served: TestClient, path: str):
    answer = served.post(path, json={"query": QUERY})
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
