"""What people decide is obeyed by the next run, here and in another home that has the decisions as files."""

from __future__ import annotations

import json
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import delete, insert, select
from typer.testing import CliRunner

from pipeline.cli.main import app
from pipeline.domain.errors import GuardRefusedError, UsageError
from pipeline.domain.points import PointFilter
from pipeline.domain.review import Action, FindingKind, Fix, Reason
from pipeline.domain.vocabulary import Section
from pipeline.jobs.index import run_index
from pipeline.jobs.ingest import ingest
from pipeline.jobs.quality.job import run_quality
from pipeline.jobs.quarantine import list_quarantine
from pipeline.jobs.reconcile import run_reconcile
from pipeline.jobs.review.decide import decide, list_decisions, withdraw
from pipeline.jobs.review.files import apply, export
from pipeline.jobs.review.findings import findings
from pipeline.jobs.review.fixtures import Fixture, make_fixture, replay, write_fixture
from pipeline.settings import Settings
from pipeline.stages.deidentify import Scrubber
from pipeline.stages.sources.documents import DocumentFiles
from pipeline.storage.study_tables import studies
from pipeline.storage.tables import chunk_accounts, chunks, document_pages
from pipeline.storage.tables import index_state as state_table
from pipeline.testing.homes import copy_home
from pipeline.wiring import Services, open_services

LEAK = "Seen by Dr. Theodora Quimby on 12 March 2031. The lungs are clear."


class Blind(Scrubber):
    """A detector that is switched off for documents: it finds nothing at all."""

    def find_all(self, folded, policy, **_):
        return [[] for _ in folded]


@pytest.fixture
def second(sample_home: Path, models: Path, tmp_path: Path) -> Settings:
    """Another copy of the sample home."""
    copy_home(sample_home, tmp_path / "second")
    return Settings(home=tmp_path / "second", models_path=models)


def points(services: Services, document: UUID) -> list[str]:
    """Sections of a document's points."""
    with services.index.session() as index:
        return sorted(str(point.payload["section"]) for point in index.scan(PointFilter(document_ids=(document,))))


def hold_one(services: Services) -> UUID:
    """Make a document break a blocking expectation before it was ever live: nobody knows how its page ended."""
    with services.db.read() as tx:
        one = tx.execute(select(studies.c.document_id).order_by(studies.c.nct_id).limit(1)).scalar_one()
    with services.index.session() as index, services.db.begin() as tx:
        index.delete_matching(PointFilter(document_ids=(one,)))
        for table in (state_table, chunks, chunk_accounts):
            tx.execute(delete(table).where(table.c.document_id == one))
        zeros = dict.fromkeys([column.name for column in document_pages.c if not column.nullable], 0)
        tx.execute(insert(document_pages).values({**zeros, "document_id": one, "page": 3, "confidence": 1, "outcome": "skimmed"}))
    assert run_index(services).documents.failed == 1
    assert points(services, one) == []
    return one


def accept_blocked(services: Services) -> str:
    (found,) = findings(services, FindingKind.QUALITY).findings
    assert (found.rule, found.severity) == ("page_outcome_known", "block")
    return decide(services, found.finding_id, found.subject, action=Action.ACCEPT, reason=Reason.SOURCE_SAYS_SO).decision_id


def test_a_held_document_is_accepted_goes_live_with_the_next_run_and_the_check_of_quality_is_clean(services: Services):
    one = hold_one(services)
    accept_blocked(services)
    assert findings(services, FindingKind.QUALITY).findings == []
    done = run_index(services)
    assert (done.documents.indexed, done.documents.failed) == (1, 0)
    assert points(services, one)
    assert run_reconcile(services).clean
    checked = run_quality(services, everything=True)
    assert checked.blocked == 0
    assert findings(services, FindingKind.QUALITY, status="decided").findings == []


def test_an_acceptance_of_one_content_does_not_let_another_pass(services: Services):
    hold_one(services)
    (found,) = findings(services, FindingKind.QUALITY).findings
    made = accept_blocked(services)
    folder_fix = Fix(title="A trial of an invented medicine")
    other = next(one for one in findings(services, FindingKind.UNPARSED_CRITERIA, limit=500).findings if one.subject != found.subject)
    decide(services, other.finding_id, other.subject, action=Action.FIX, reason=Reason.WRONG_TITLE, fix=folder_fix)
    fixture = make_fixture(services, made)
    changed = fixture.document.model_copy(update={"basis": "0" * 32})
    assert fixture.expected.goes_live
    assert not replay(fixture.decision.decision(), changed).goes_live


def test_what_the_gate_suspects_is_let_pass_by_a_person_and_taken_out_when_that_is_withdrawn(services: Services, tmp_path: Path):
    services.__dict__["scrubber"] = Blind(secret=b"an invented secret of this test")
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "one.txt").write_text(LEAK, encoding="utf-8")
    ingest(services, DocumentFiles([str(folder)], services.settings, secret=services.secret, kind="note", access=None))
    assert run_index(services).documents.quarantined == 1
    (found,) = findings(services, FindingKind.SUSPECTED_PHI).findings
    assert "Quimby" not in found.model_dump_json()
    made = decide(services, found.finding_id, found.subject, action=Action.ACCEPT, reason=Reason.NOBODY_IDENTIFIED)
    assert run_index(services).documents.indexed == 1
    assert list_quarantine(services).documents == []
    withdraw(services, made.decision_id)
    assert run_index(services).documents.quarantined == 1
    assert points(services, UUID(found.subject)) == []
    assert [one.finding_id for one in findings(services, FindingKind.SUSPECTED_PHI).findings] == [found.finding_id]


def test_decisions_as_files_have_the_same_outcome_in_a_second_home(services: Services, second: Settings, tmp_path: Path):
    first, other = findings(services, FindingKind.UNPARSED_CRITERIA, limit=2).findings
    fix = Fix(from_section=Section.ELIGIBILITY_UNPARSED, section=Section.INCLUSION_CRITERION)
    decide(services, first.finding_id, first.subject, action=Action.FIX, reason=Reason.WRONG_SECTION, fix=fix)
    decide(services, other.finding_id, other.subject, action=Action.SUPPRESS, reason=Reason.OUT_OF_SCOPE)
    run_index(services)
    folder = tmp_path / "decisions"
    assert export(services, folder).written == 2
    assert export(services, folder).written == 0
    with open_services(second) as there:
        done = apply(there, folder)
        assert (done.decisions, done.new, done.unknown, done.waiting) == (2, 2, 0, 0)
        assert apply(there, folder).new == 0
        run_index(there)
        for one in (first, other):
            assert points(there, UUID(one.subject)) == points(services, UUID(one.subject))
        assert points(there, UUID(other.subject)) == []
        assert [one.model_dump(exclude={"obeyed"}) for one in findings(there, status="all", limit=500).findings] == [
            one.model_dump(exclude={"obeyed"}) for one in findings(services, status="all", limit=500).findings
        ]
        assert run_reconcile(there).clean


def test_the_file_of_a_withdrawn_decision_goes_and_other_files_stay(services: Services, tmp_path: Path):
    found = findings(services, FindingKind.UNPARSED_CRITERIA).findings[0]
    made = decide(services, found.finding_id, found.subject, action=Action.ACCEPT, reason=Reason.KNOWN_LIMITATION)
    (tmp_path / "README.md").write_text("ours", encoding="utf-8")
    export(services, tmp_path)
    withdraw(services, made.decision_id)
    assert export(services, tmp_path).removed == 1
    assert (tmp_path / "README.md").is_file()


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"note": "Mrs Eleanor Whitfield asked for it"}, UsageError),  # the name of the file does not follow from it any more
        ({"action": "delete"}, UsageError),
        ({"subject": "../../etc"}, UsageError),
        ({"surprise": 1}, UsageError),
    ],
)
def test_a_changed_file_is_refused_and_nothing_is_taken_over(
    services: Services, second: Settings, tmp_path: Path, change: dict[str, object], error: type[Exception]
):
    for found in findings(services, FindingKind.UNPARSED_CRITERIA, limit=2).findings:
        decide(services, found.finding_id, found.subject, action=Action.ACCEPT, reason=Reason.KNOWN_LIMITATION)
    export(services, tmp_path / "d")
    path = sorted((tmp_path / "d").iterdir())[-1]
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}), encoding="utf-8")
    with open_services(second) as there:
        with pytest.raises(error):
            apply(there, tmp_path / "d")
        assert list_decisions(there).decisions == []


def test_a_file_whose_note_names_somebody_is_refused_although_its_name_is_right(services: Services, tmp_path: Path):
    from pipeline.jobs.review.files import DecisionFile, text_of

    found = findings(services, FindingKind.UNPARSED_CRITERIA).findings[0]
    made = decide(services, found.finding_id, found.subject, action=Action.ACCEPT, reason=Reason.OTHER, note="as the source has it")
    export(services, tmp_path)
    withdraw(services, made.decision_id)
    path = tmp_path / f"{made.decision_id}.json"
    said = DecisionFile.model_validate_json(path.read_bytes()).model_copy(update={"note": "Mrs Eleanor Whitfield asked"}).decision()
    path.unlink()
    (tmp_path / f"{said.decision_id}.json").write_text(text_of(said), encoding="utf-8")
    with pytest.raises(GuardRefusedError) as refused:
        apply(services, tmp_path)
    assert "Whitfield" not in str(refused.value)
    assert list_decisions(services, active_only=True).decisions == []


def test_a_fixture_replays_to_the_same_outcome_and_holds_no_text(services: Services, tmp_path: Path):
    hold_one(services)
    held = accept_blocked(services)
    found = findings(services, FindingKind.UNPARSED_CRITERIA).findings[0]
    fix = Fix(from_section=Section.ELIGIBILITY_UNPARSED, section=Section.EXCLUSION_CRITERION)
    moved = decide(services, found.finding_id, found.subject, action=Action.FIX, reason=Reason.WRONG_SECTION, fix=fix).decision_id
    run_index(services)
    for one in (held, moved):
        write_fixture(services, one, tmp_path)
        read = Fixture.model_validate_json((tmp_path / f"{one}.json").read_bytes())
        assert replay(read.decision.decision(), read.document) == read.expected
    assert read.expected.sections.get(Section.ELIGIBILITY_UNPARSED) is None
    assert sorted(place.split("/")[0] for place in read.expected.places) == points(services, UUID(found.subject))


def test_the_commands_list_decide_export_and_withdraw(home: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CLINDEX_HOME", str(home.home))
    monkeypatch.setenv("CLINDEX_MODELS_PATH", str(home.models_path))

    def run(*arguments: str, code: int = 0) -> dict:
        done = CliRunner().invoke(app, [*arguments, "--json"])
        assert done.exit_code == code, done.output
        return json.loads(done.stdout)

    found = run("review", "--kind", "unparsed_criteria", "--limit", "1")["findings"][0]
    made = run("decisions", "make", found["finding_id"], found["subject"], "--action", "accept", "--reason", "known_limitation")
    assert found["finding_id"] in {one["finding_id"] for one in run("review", "--decided")["findings"]}
    assert run("decisions", "export", str(tmp_path / "d"))["written"] == 1
    assert run("decisions", "apply", str(tmp_path / "d"))["new"] == 0
    assert run("decisions", "fixture", made["decision_id"], "--to", str(tmp_path / "f"))["expected"]["goes_live"]
    assert run("decisions", "withdraw", made["decision_id"])["withdrawn_by"]
    assert run("decisions", "list")["decisions"] == []
    refused = ("--action", "accept", "--reason", "other", "--note", "call 555-867-5309")
    assert "555" not in str(run("decisions", "make", found["finding_id"], found["subject"], *refused, code=3))
    assert run("decisions", "withdraw", "0" * 32, code=2)["error"]["type"] == "UsageError"
