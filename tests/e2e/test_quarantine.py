"""A refused document: quarantined, nothing of it in the index, the rest goes on; released for one content and recipe only."""

from __future__ import annotations

import json
from pathlib import Path
from uuid import UUID

import pytest
from typer.testing import CliRunner

from pipeline.cli.main import app
from pipeline.domain.errors import GuardRefusedError, UsageError
from pipeline.domain.phi import IdentifierClass
from pipeline.domain.points import PointFilter
from pipeline.jobs.index import is_incomplete, run_index
from pipeline.jobs.ingest import ingest
from pipeline.jobs.quarantine import list_quarantine, release_quarantined, show_quarantined
from pipeline.settings import Settings
from pipeline.stages.deidentify import Scrubber
from pipeline.stages.sources.documents import DocumentFiles
from pipeline.storage import quarantine
from pipeline.testing.leaks import leaks
from pipeline.wiring import Services, open_services

CLEAN = "The heart is of normal size. The lungs are clear. There is no pleural effusion."


class Blind(Scrubber):
    """A detector that is switched off: it finds nothing at all."""

    def find_all(self, folded, policy, **_):
        return [[] for _ in folded]


def bring(services: Services, folder: Path, texts: dict[str, str]) -> None:
    """Write notes into a folder and take them in."""
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    ingest(services, DocumentFiles([str(folder)], services.settings, secret=services.secret, kind="note", access=None))


@pytest.fixture
def blind(services: Services) -> Services:
    services.__dict__["scrubber"] = Blind(secret=b"an invented secret of this test")
    return services


def points_of(services: Services, document: str) -> int:
    with services.index.session() as index:
        return index.count(PointFilter(document_ids=(UUID(document),)))


def test_with_the_detector_off_no_document_with_a_leak_is_embedded(blind: Services, tmp_path: Path):
    texts = {
        f"{category.value}-{number}": leak.text for category in IdentifierClass for number, leak in enumerate(leaks(category, 4, seed=5))
    }
    bring(blind, tmp_path / "notes", {**texts, "clean": CLEAN})
    summary = run_index(blind)
    held = list_quarantine(blind).documents
    assert summary.documents.quarantined == len(held) == len(texts)
    assert summary.documents.indexed == 1
    assert is_incomplete(summary)
    assert all(points_of(blind, one.document_id) == 0 for one in held)
    with blind.index.session() as index:
        stored = repr([point.payload for point in index.scan()])
    with blind.db.read() as tx:
        from sqlalchemy import select

        from pipeline.storage.tables import chunks

        stored += repr(tx.execute(select(chunks.c.text, chunks.c.embed_text)).all())
    values = {leak.value for category in IdentifierClass for leak in leaks(category, 4, seed=5) if len(leak.value) > 5}
    assert {value for value in values if value in stored} == set()


LEAK = "The heart is of normal size. Discussed with Dr. Winterbourne on 03/09/2031."


@pytest.fixture
def held(blind: Services, tmp_path: Path) -> str:
    """The id of the one document that is held back."""
    bring(blind, tmp_path / "notes", {"leaky": LEAK, "clean": CLEAN})
    run_index(blind)
    (one,) = list_quarantine(blind).documents
    return one.document_id


def test_list_and_show_give_classes_and_places_and_never_the_text(blind: Services, held: str):
    (entry,) = list_quarantine(blind).documents
    assert entry.classes == {"DATE": 1, "NAME": 1}
    details = show_quarantined(blind, UUID(held))
    assert {(one.category, one.count) for one in details.findings} == {("DATE", 1), ("NAME", 1)}
    assert all(one.section and one.ordinal and one.start > 0 for one in details.findings)
    assert "Winterbourne" not in details.model_dump_json() + entry.model_dump_json()
    assert "2031" not in json.dumps([one.model_dump() for one in details.findings])


def test_held_back_since_when_stays_over_the_nights(blind: Services, held: str):
    before = list_quarantine(blind).documents[0]
    run_index(blind)
    after = list_quarantine(blind).documents[0]
    assert after.since == before.since
    assert after.judged_at > before.judged_at


def test_a_release_lets_exactly_this_content_pass_and_is_kept(blind: Services, held: str):
    done = release_quarantined(blind, UUID(held), reason="invented names of a teaching case", by="a person")
    assert points_of(blind, held) == 0
    summary = run_index(blind)
    assert (summary.documents.indexed, summary.documents.quarantined) == (1, 0)
    assert points_of(blind, held) > 0
    assert list_quarantine(blind).documents == []
    with blind.db.read() as tx:
        (kept,) = quarantine.releases(tx)
    assert (kept.released_by, kept.reason, kept.policy) == ("a person", "invented names of a teaching case", done.release.policy)
    assert kept.classes == {"DATE": 1, "NAME": 1}
    assert run_index(blind).documents.indexed == 0


def test_a_changed_content_is_judged_anew_after_a_release(blind: Services, held: str, tmp_path: Path):
    release_quarantined(blind, UUID(held), reason="teaching case")
    bring(blind, tmp_path / "notes", {"leaky": f"{LEAK} No effusion."})
    summary = run_index(blind)
    assert (summary.documents.indexed, summary.documents.quarantined) == (0, 1)
    assert points_of(blind, held) == 0


def test_a_changed_policy_is_judged_anew_after_a_release(blind: Services, held: str, monkeypatch: pytest.MonkeyPatch):
    from dataclasses import replace

    release_quarantined(blind, UUID(held), reason="teaching case")
    old = blind.policy
    monkeypatch.setattr(blind, "policy", lambda kind, source: replace(old(kind, source), version="999"))
    blind.__dict__.pop("_recipes", None)
    assert run_index(blind, documents=[UUID(held)]).documents.quarantined == 1


def test_a_content_that_moved_since_it_was_judged_is_not_released(blind: Services, held: str, tmp_path: Path):
    bring(blind, tmp_path / "notes", {"leaky": f"{LEAK} No effusion."})
    with pytest.raises(GuardRefusedError) as refusal:
        release_quarantined(blind, UUID(held), reason="teaching case")
    assert refusal.value.exit_code == 3
    with blind.db.read() as tx:
        assert quarantine.releases(tx) == []


@pytest.mark.parametrize("reason", ["", "  \n"])
def test_a_release_without_a_reason_is_refused(blind: Services, held: str, reason: str):
    with pytest.raises(UsageError):
        release_quarantined(blind, UUID(held), reason=reason)


def test_what_is_not_held_back_can_neither_be_shown_nor_released(services: Services):
    for call in (lambda: show_quarantined(services, UUID(int=5)), lambda: release_quarantined(services, UUID(int=5), reason="why")):
        with pytest.raises(UsageError):
            call()


def test_the_commands_speak_json_and_exit_as_designed(blind: Services, held: str, home: Settings, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CLINDEX_HOME", str(home.home))
    monkeypatch.setenv("CLINDEX_MODELS_PATH", str(home.models_folder))
    run = CliRunner().invoke
    listed = run(app, ["quarantine", "list", "--json"])
    assert (listed.exit_code, json.loads(listed.stdout)["documents"][0]["document_id"]) == (0, held)
    assert run(app, ["quarantine", "show", held]).exit_code == 0
    assert run(app, ["quarantine", "show", str(UUID(int=5))]).exit_code == 2
    assert run(app, ["quarantine", "show", "no-uuid"]).exit_code == 2
    assert run(app, ["quarantine", "release", held]).exit_code == 2
    released = run(app, ["quarantine", "release", held, "--reason", "teaching case", "--json"])
    assert (released.exit_code, json.loads(released.stdout)["release"]["reason"]) == (0, "teaching case")
    with open_services(home) as again, again.db.read() as tx:
        assert quarantine.releases(tx)[0].released_by


def test_releases_and_held_documents_stand_in_the_report(blind: Services, held: str):
    from pipeline.jobs.report import write_report

    release_quarantined(blind, UUID(held), reason="a teaching <case>", by="a person")
    paths = write_report(blind)
    page, facts = Path(paths.html_path).read_text("utf-8"), json.loads(Path(paths.json_path).read_text("utf-8"))["privacy"]
    assert (facts["held"], facts["releases"][0]["reason"]) == (1, "a teaching <case>")
    assert "a teaching &lt;case&gt;" in page
    assert held in page
    assert "Winterbourne" not in page
