"""What the DAG ``retention`` does: finds, asks where much has expired, deletes with a certificate, and is red where something is left or back."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import select, update

from pipeline.domain.errors import GuardRefusedError, IncompleteRunError
from pipeline.domain.vocabulary import DeletionCause
from pipeline.jobs import deletion
from pipeline.jobs.holds import place_hold
from pipeline.jobs.steps import retention as steps_retention
from pipeline.settings import Settings
from pipeline.storage.tables import documents
from pipeline.wiring import open_services

OLD = datetime(2001, 1, 1, tzinfo=UTC)
RULES = 'version = 1\n[[rule]]\nkinds = ["trial"]\nkeep_years = 7\nreason = "a test"\n'
APPROVED = {"responded_by_user": {"id": "7", "name": "registrar"}, "params_input": {"reason": "as agreed"}}


@pytest.fixture
def site(home: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Settings:
    """The sample home as tasks see it, with rules that limit trials."""
    rules = tmp_path / "rules.toml"
    rules.write_text(RULES, encoding="utf-8")
    monkeypatch.setenv("CLINDEX_HOME", str(home.home))
    monkeypatch.setenv("CLINDEX_MODELS_PATH", str(home.models_path))
    monkeypatch.setenv("CLINDEX_RETENTION_RULES", str(rules))
    return Settings()


def age(settings: Settings, count: int) -> list[UUID]:
    """Make the first documents old."""
    with open_services(settings) as services, services.db.begin() as tx:
        query = select(documents.c.document_id).where(documents.c.tombstoned_at.is_(None)).order_by(documents.c.document_id)
        ids = list(tx.execute(query.limit(count)).scalars())
        tx.execute(update(documents).where(documents.c.document_id.in_(ids)).values(updated_at=OLD))
    return ids


def alive(settings: Settings, ids: list[UUID]) -> int:
    with open_services(settings) as services, services.db.read() as tx:
        query = select(documents.c.document_id).where(documents.c.document_id.in_(ids), documents.c.tombstoned_at.is_(None))
        return len(tx.execute(query).all())


@pytest.mark.parametrize(
    ("documents", "refused", "dry_run", "ask", "expected"),
    [
        (0, None, False, True, "verify"),
        (3, None, True, True, "verify"),
        (3, None, False, True, "delete"),
        (3, "too much", False, True, "ask"),
        (3, "too much", False, False, "delete"),  # the guard refuses again: red
    ],
)
def test_who_decides(documents: int, refused: str | None, dry_run: bool, ask: bool, expected: str):
    found = {"preview": {"documents": documents}, "refused": refused}
    assert steps_retention.next_task(found, dry_run=dry_run, ask=ask) == expected


def test_a_week_deletes_what_has_expired_but_not_what_is_held(site: Settings):
    ids = age(site, 3)
    with open_services(site) as services:
        place_hold(services, str(ids[0]), reason="suit", by="counsel")
    found = steps_retention.find()
    assert (found["preview"]["documents"], found["preview"]["held"], found["refused"]) == (2, 1, None)
    deleted = steps_retention.delete(found, None)
    assert [(one["state"], one["documents"], one["certificate"]) for one in deleted["outcomes"]] == [("certified", 2, 1)]
    assert (alive(site, ids), alive(site, ids[:1])) == (1, 1)
    verified = steps_retention.verify()
    assert (verified["passed"], verified["certificates"], verified["probed"]) == (True, 1, 1)
    steps_retention.judge(found, deleted, verified)
    assert steps_retention.find()["preview"]["documents"] == 0


def test_a_large_share_is_deleted_only_with_a_person_and_only_what_they_were_asked_about(site: Settings):
    ids = age(site, 30)
    found = steps_retention.find()
    assert "max_delete_share" in found["refused"]
    assert "kept 7 years: 30 to be deleted, 0 on hold" in found["question"]["body"]
    with pytest.raises(GuardRefusedError, match="max_delete_share"):
        steps_retention.delete(found, None)
    ids += age(site, 31)[-1:]
    with pytest.raises(GuardRefusedError, match="since a person was asked"):
        steps_retention.delete(found, APPROVED)
    assert alive(site, ids) == 31


def test_a_deletion_that_is_left_or_a_certificate_that_fails_makes_the_week_red(site: Settings):
    ids = age(site, 1)
    with open_services(site) as services:
        request = deletion.request(services, documents=ids, cause=DeletionCause.DOCUMENT, reason="x", by="y", approve_large=True)
        place_hold(services, str(ids[0]), reason="suit", by="counsel")
    found = steps_retention.find()
    assert [(one["deletion_id"], one["state"], one["held"]) for one in found["finished"]] == [(request.deletion_id, "open", 1)]
    fine = {"passed": True, "failed": [], "problems": []}
    with pytest.raises(IncompleteRunError, match="1 deletions have no certificate"):
        steps_retention.judge(found, None, fine)
    with pytest.raises(IncompleteRunError, match="certificates that fail"):
        steps_retention.judge({"finished": []}, None, {"passed": False, "failed": [{"number": 4}], "problems": []})


def test_the_question_says_what_each_answer_does_and_each_rule_once(site: Settings):
    age(site, 3)
    body = steps_retention.find()["question"]["body"]
    assert body.count("a test") == 1
    assert "3 to be deleted, 0 on hold" in body
    assert "**Approve**" in body
    assert "**Reject**, or no answer: nothing is deleted" in body
