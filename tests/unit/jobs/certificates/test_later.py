"""Certificates long after: what living documents share with the deleted is no alarm, kills leave nothing that looks like tampering."""

from __future__ import annotations

import json
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import insert, select, update
from typer.testing import CliRunner

from pipeline.cli.main import app
from pipeline.domain.identifiers import document_id
from pipeline.domain.points import PointFilter
from pipeline.domain.vocabulary import DeletionCause
from pipeline.jobs import deletion
from pipeline.jobs.certificates.check import verify_certificates
from pipeline.jobs.certificates.model import certificates_folder
from pipeline.jobs.deletion.facts import deletion_facts
from pipeline.jobs.plans.model import plans_folder
from pipeline.jobs.plans.undo_file import UndoWriter, undo_path
from pipeline.settings import Settings
from pipeline.storage.tables import chunks, documents
from pipeline.wiring import Services

GONE, ALIVE = (document_id("clinicaltrials.gov", f"NCT9900000{number}") for number in (3, 5))


def ask(services: Services, document: UUID = GONE) -> UUID:
    asked = deletion.request(services, documents=[document], cause=DeletionCause.DOCUMENT, reason="test", by="me", approve_large=True)
    assert asked.deletion_id is not None
    return UUID(asked.deletion_id)


def erase(services: Services) -> None:
    ask(services)
    assert [one.state for one in deletion.finish_open(services)] == ["certified"]


def test_bytes_and_texts_that_come_again_with_a_living_document_are_no_alarm(services: Services):
    with services.db.read() as tx:
        payload = tx.execute(select(documents.c.payload_sha256).where(documents.c.document_id == GONE)).scalar_one()
        row = dict(tx.execute(select(chunks).where(chunks.c.document_id == GONE).limit(1)).one()._mapping)
    landed = services.landing.get(payload)
    vectors = services.cache.get_many([row["text_hash"]], fingerprint=services.model_fingerprint)
    erase(services)
    services.landing.put(landed)
    services.cache.put_many(vectors, fingerprint=services.model_fingerprint)
    assert not verify_certificates(services).passed, "nobody has them yet"
    with services.db.begin() as tx:
        tx.execute(update(documents).where(documents.c.document_id == ALIVE).values(payload_sha256=payload))
        tx.execute(insert(chunks).values({**row, "document_id": ALIVE, "point_id": UUID(int=1), "generation": 99}))
    assert verify_certificates(services).passed


def test_a_repair_can_not_bring_it_back(services: Services):
    folder = plans_folder(services)
    folder.mkdir(parents=True)
    with services.index.session() as index:
        points = {key: list(index.scan(PointFilter(document_ids=(key,)), vectors=True)) for key in (GONE, ALIVE)}
    with UndoWriter(undo_path(folder, "1"), secret=services.secret, head={}) as undo:
        undo.save([*points[GONE], *points[ALIVE]])
        undo.commit()
    erase(services)
    assert verify_certificates(services).passed


def test_a_file_of_an_issue_that_was_killed_is_no_tampering_and_is_replaced(services: Services):
    key = ask(services)
    deletion.carry_out(services, key)
    folder = certificates_folder(services.settings)
    folder.mkdir(mode=0o700)
    (folder / f"000001-{key}.json").write_text("half")
    assert verify_certificates(services).problems == []
    deletion.finish_open(services)
    assert [path.name for path in folder.iterdir()] == [f"000001-{key}.json"]
    assert verify_certificates(services).passed


def test_only_a_verification_of_all_is_recorded_as_one(services: Services):
    erase(services)
    verify_certificates(services, 1)
    with services.db.read() as tx:
        assert deletion_facts(tx).last_verified_at is None
    verify_certificates(services)
    with services.db.read() as tx:
        facts = deletion_facts(tx)
    assert (facts.certificates, facts.certified, facts.open, facts.last_verification_passed) == (1, 1, 0, True)


def run(settings: Settings, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> tuple[int, dict]:
    monkeypatch.setenv("CLINDEX_HOME", str(settings.home))
    monkeypatch.setenv("CLINDEX_MODELS_PATH", str(settings.models_path))
    done = CliRunner().invoke(app, [*arguments, "--json"])
    return done.exit_code, json.loads(done.stdout)


def test_from_the_command_line_a_changed_file_exits_with_1(home: Settings, services: Services, monkeypatch: pytest.MonkeyPatch):
    erase(services)
    assert run(home, monkeypatch, "certificate", "list")[1]["certificates"][0]["number"] == 1
    assert run(home, monkeypatch, "certificate", "show", "1")[1]["body"]["documents"][0]["document_id"] == str(GONE)
    assert run(home, monkeypatch, "certificate", "verify", "1")[0] == 0
    path: Path = next(certificates_folder(home).iterdir())
    path.write_bytes(path.read_bytes() + b" ")
    code, report = run(home, monkeypatch, "certificate", "verify", "--all")
    assert (code, report["passed"], report["results"][0]["problems"]) == (1, False, ["its file is not what was issued"])
    assert run(home, monkeypatch, "certificate", "show", "2")[0] == 2


def test_holds_from_the_command_line(home: Settings, monkeypatch: pytest.MonkeyPatch):
    code, placed = run(home, monkeypatch, "hold", "place", str(GONE), "--reason", "suit")
    assert (code, placed["known"], placed["hold"]["active"]) == (0, True, True)
    assert run(home, monkeypatch, "hold", "place", "a" * 32, "--reason", "suit")[1]["known"] is False
    assert run(home, monkeypatch, "hold", "place", "NCT99000003", "--reason", "suit")[0] == 2
    assert run(home, monkeypatch, "hold", "place", str(GONE), "--reason", " ")[0] == 2
    assert run(home, monkeypatch, "status")[1]["holds"] == {"active": 2}
    assert run(home, monkeypatch, "delete", "--document", str(GONE), "--reason", "x")[0] == 3
    hold = placed["hold"]["hold_id"]
    assert run(home, monkeypatch, "hold", "release", hold, "--reason", "settled")[1]["active"] is False
    assert run(home, monkeypatch, "hold", "release", hold, "--reason", "again")[0] == 2
    listed = run(home, monkeypatch, "hold", "list")[1]
    assert (listed["active"], len(listed["holds"])) == (1, 2)
