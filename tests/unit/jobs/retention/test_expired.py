"""Which documents have expired: boundaries, dates that are missing, holds, a site's own rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID, uuid4, uuid5

import pytest
from sqlalchemy import insert

from pipeline.domain.documents import Document, Facets
from pipeline.domain.errors import ConfigurationError
from pipeline.domain.identifiers import NAMESPACE
from pipeline.domain.vocabulary import DocumentKind
from pipeline.jobs.retention.expired import expired, preview
from pipeline.jobs.retention.rules import retention_rules
from pipeline.settings import Settings
from pipeline.storage import documents, holds
from pipeline.storage.engine import Database
from pipeline.storage.migrations import upgrade
from pipeline.storage.proof_tables import deletion_documents, deletions
from pipeline.wiring import Services

TAKEN = datetime(2019, 6, 1, 23, 59, tzinfo=UTC)

Put = Callable[..., UUID]


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[Services]:
    """A home with a database and nothing else."""
    settings = Settings(home=tmp_path / "home")
    db = Database.open(settings.database)
    upgrade(db)
    services = Services(settings, db)
    yield services
    services.close()


@pytest.fixture
def put(bare: Services) -> Put:
    """Returns a function that puts a document of a kind and date into truth."""

    def put(name: str, *, kind: DocumentKind = DocumentKind.NOTE, on: str | None = None, **facets: str) -> UUID:
        key = uuid5(NAMESPACE, name)
        document = Document(key, "documents", name, kind, "Note", (), Facets(document_date=on, **facets), "content", "facets")
        with bare.db.begin() as tx:
            documents.upsert_document(tx, document, "0" * 64, TAKEN)
        return key

    return put


def found(services: Services, day: str) -> set[UUID]:
    return {one.document_id for one in expired(services, datetime.fromisoformat(f"{day}T00:00:00+00:00")) if not one.held}


@pytest.mark.parametrize(
    ("on", "kept", "gone"),
    [
        ("2019-03-05", "2026-03-05", "2026-03-06"),  # exactly seven years: still kept
        ("2020-02-29", "2027-03-01", "2027-03-02"),
        ("2019-03", "2026-03-31", "2026-04-01"),
        ("2019", "2026-12-31", "2027-01-01"),
        (None, "2026-06-01", "2026-06-02"),  # from when truth took it
        ("1019", "2026-06-01", "2026-06-02"),  # a slip of the pen is no date
    ],
)
def test_a_document_expires_on_the_day_after_its_anniversary(bare: Services, put: Put, on: str | None, kept: str, gone: str):
    key = put("one", on=on)
    assert found(bare, kept) == set()
    assert found(bare, gone) == {key}


@pytest.mark.parametrize("kind", [DocumentKind.TRIAL, DocumentKind.PROTOCOL, DocumentKind.EMS_PROTOCOL, DocumentKind.PAPER])
def test_public_kinds_do_not_expire(bare: Services, put: Put, kind: DocumentKind):
    put("old", kind=kind, on="1951")
    assert found(bare, "2126-01-01") == set()


def test_a_hold_on_the_document_or_its_patient_is_marked_and_counted(bare: Services, put: Put):
    one, two, free = put("one", on="2001"), put("two", on="2001", patient="a" * 32), put("three", on="2001", patient="b" * 32)
    now = datetime(2026, 1, 1, tzinfo=UTC)
    with bare.db.begin() as tx:
        holds.place(tx, str(one), reason="suit", by="counsel", now=now)
        held = holds.place(tx, "a" * 32, reason="suit", by="counsel", now=now)
    assert found(bare, "2026-01-01") == {free}
    seen = preview(bare, now)
    assert (seen.documents, seen.held, seen.live_documents) == (1, 2, 3)
    assert [(one.kind, one.documents, one.held, one.keep_years) for one in seen.counts] == [("note", 1, 2, 7)]
    with bare.db.begin() as tx:
        holds.release(tx, held.hold_id, reason="settled", by="counsel", now=now)
    assert found(bare, "2026-01-01") == {free, two}


def test_what_vanished_from_its_source_expires_too_and_what_a_deletion_erased_does_not(bare: Services, put: Put):
    vanished, erased = put("vanished", on="2001"), put("erased", on="2001")
    with bare.db.begin() as tx:
        documents.tombstone(tx, [vanished, erased], TAKEN)
        request = uuid4()
        head = {
            "deletion_id": request,
            "cause": "document",
            "reason": "x",
            "requested_by": "x",
            "state": "certified",
            "requested_at": TAKEN,
        }
        tx.execute(insert(deletions).values(head))
        row = {"document_id": erased, "source": "documents", "kind": "note", "state": "erased", "evidence": {}}
        tx.execute(insert(deletion_documents).values(deletion_id=request, **row))
    assert found(bare, "2026-01-01") == {vanished}


def own_rules(services: Services, path: Path, text: str) -> Services:
    path.write_text(text, encoding="utf-8")
    return Services(services.settings.model_copy(update={"retention_rules": path}), services.db)


def test_a_changed_rule_shows_its_effect_by_kind_and_label(bare: Services, put: Put, tmp_path: Path):
    put("open", on="2001", access="public")
    put("closed", on="2001", access="restricted")
    put("paper", on="2001", kind=DocumentKind.PAPER)
    text = """
version = 1
[[rule]]
kinds = ["note"]
access = ["restricted"]
keep_years = 30
reason = "of minors"
[[rule]]
kinds = ["note", "paper"]
keep_years = 10
reason = "ours"
"""
    changed = own_rules(bare, tmp_path / "rules.toml", text)
    seen = preview(changed, datetime(2026, 1, 1, tzinfo=UTC))
    assert [(one.kind, one.access, one.keep_years, one.documents) for one in seen.counts] == [
        ("note", "public", 10, 1),
        ("paper", None, 10, 1),
    ]
    assert seen.share == pytest.approx(2 / 3, abs=1e-3)


@pytest.mark.parametrize(
    "rule",
    [
        'kinds = ["notes"]\nkeep_years = 7\nreason = "x"',
        'kinds = ["note"]\nkeep_years = 0\nreason = "x"',
        'kinds = ["note"]\nkeep_years = "7"\nreason = "x"',
        'kinds = ["note"]\nkeep_years = 7',
        'kinds = ["note"]\nkeep_years = 7\nreason = " "',
        'kinds = []\nkeep_years = 7\nreason = "x"',
        'kinds = ["note"]\naccess = ["secret"]\nkeep_years = 7\nreason = "x"',
        'kinds = ["note"]\nkeep_year = 7\nreason = "x"',
        "kinds = [",
    ],
)
def test_rules_that_cannot_be_meant_are_refused_before_anything_is_chosen(bare: Services, tmp_path: Path, rule: str):
    wrong = own_rules(bare, tmp_path / "rules.toml", f"version = 1\n[[rule]]\n{rule}\n")
    with pytest.raises(ConfigurationError, match="retention rules"):
        expired(wrong, TAKEN)


def test_every_kind_has_a_packaged_rule_with_a_reason(bare: Services):
    rules = retention_rules(bare.settings)
    assert all((rule := rules.rule_for(kind, None)) is not None and rule.reason for kind in DocumentKind)
