"""Invented identifiers go through every flow; then everything that leaves the wall is searched for them.

Inside the wall are landing (bytes as fetched) and the ``studies`` tables (the registry's public record). Outside are chunks, index,
caches, reports, plans, logs, XCom, exceptions and file names. Contacts and investigators must not even be in truth.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.settings import Settings

EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
PHONE = re.compile(r"(?:\+?1[ .-]?)?\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}|555-01\d\d")


def sample_texts(root: Path) -> list[dict]:
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted((root / "samples" / "trials").glob("*.json"))]


def contacts_of(studies: list[dict]) -> set[str]:
    """Names, addresses and numbers of people in the modules that are not stored."""
    found: set[str] = set()
    for study in studies:
        protocol = study["protocolSection"]
        module = protocol.get("contactsLocationsModule", {})
        people = [*module.get("centralContacts", []), *module.get("overallOfficials", [])]
        people += [one for site in module.get("locations", []) for one in site.get("contacts", [])]
        for person in people:
            found |= {person[key] for key in ("name", "phone", "email") if person.get(key)}
        party = protocol.get("sponsorCollaboratorsModule", {}).get("responsibleParty", {})
        found |= {party[key] for key in ("investigatorFullName",) if party.get(key)}
    return found


def free_text_contacts(studies: list[dict]) -> set[str]:
    """E-mail addresses and telephone numbers in texts that are indexed."""
    found: set[str] = set()
    for study in studies:
        protocol = study["protocolSection"]
        texts = [*protocol.get("descriptionModule", {}).values(), protocol.get("eligibilityModule", {}).get("eligibilityCriteria")]
        for text in texts:
            if isinstance(text, str):
                found |= set(EMAIL.findall(text)) | set(PHONE.findall(text))
    return found


@pytest.fixture(scope="module")
def canaries(root: Path) -> tuple[set[str], set[str]]:
    studies = sample_texts(root)
    contacts, in_text = contacts_of(studies), free_text_contacts(studies)
    assert len(contacts) >= 50
    assert len(in_text) >= 4
    return contacts, in_text


def files_outside_landing(home: Path) -> list[Path]:
    return [path for path in home.rglob("*") if path.is_file() and home / "landing" not in path.parents and "models" not in path.parts]


def leaks(canaries: set[str], data: bytes) -> set[str]:
    data = data.replace(bytes(64), b"")  # the index reserves 260 MB of zeros, which need not be read once a canary
    return {one for one in canaries if one.encode() in data}


def checkpoint(home: Path) -> None:
    """Bring SQLite's write-ahead log into the file, so that one read sees everything."""
    for path in home.glob("*.sqlite"):
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def test_contacts_and_investigators_are_in_no_file_of_the_home(home: Settings, canaries):
    checkpoint(home.home)
    files = files_outside_landing(home.home)
    assert any(path.name == "truth.sqlite" for path in files)
    assert any("index" in path.parts for path in files)
    found = {path.name: leaks(canaries[0], path.read_bytes()) for path in files}
    assert {name: values for name, values in found.items() if values} == {}


def test_contacts_in_free_text_are_in_no_chunk_point_cache_or_report(home: Settings, services, canaries):
    from pipeline.jobs.reconcile import run_reconcile
    from pipeline.jobs.report import write_report

    run_reconcile(services)
    write_report(services)
    checkpoint(home.home)
    outside = [path for path in files_outside_landing(home.home) if not path.name.startswith("truth.sqlite")]
    found = {path.name: leaks(canaries[1], path.read_bytes()) for path in outside}
    assert {name: values for name, values in found.items() if values} == {}
    with sqlite3.connect(home.home / "truth.sqlite") as connection:
        rows = connection.execute("SELECT text, coalesce(embed_text, '') FROM chunks").fetchall()
        others = connection.execute("SELECT * FROM run_outcomes").fetchall() + connection.execute("SELECT * FROM runs").fetchall()
    assert leaks(canaries[1] | canaries[0], repr(rows).encode()) == set()
    assert leaks(canaries[1] | canaries[0], repr(others).encode()) == set()
    assert any("[EMAIL]" in text for text, _ in rows)
    assert any("[PHONE]" in text for text, _ in rows)


SECRET_TEXT = "Zebulon Quartermain-Oddfellow"


def hostile_lines(root: Path) -> list[str]:
    """Records that fail in as many ways as we know, each with the canary in its text."""
    study = json.loads((root / "samples" / "trials" / "NCT99000001.json").read_text(encoding="utf-8"))

    def variant(**changes) -> str:
        copy = json.loads(json.dumps(study))
        for path, value in changes.items():
            node = copy["protocolSection"]
            *parents, last = path.split("__")
            for name in parents:
                node = node[name]
            node[last] = value
        return json.dumps(copy)

    return [
        f'{{"text": "{SECRET_TEXT}"',  # cut
        json.dumps({"note": SECRET_TEXT}),  # no study
        variant(identificationModule__nctId=SECRET_TEXT),
        variant(identificationModule__briefTitle=[SECRET_TEXT]),
        variant(eligibilityModule={"eligibilityCriteria": {"x": SECRET_TEXT}, "minimumAge": SECRET_TEXT, "sex": SECRET_TEXT}),
        variant(statusModule=SECRET_TEXT),
        variant(statusModule__startDateStruct={"date": SECRET_TEXT}),
        variant(designModule__enrollmentInfo={"count": SECRET_TEXT}),
        variant(identificationModule__nctId="NCT99900001", conditionsModule=SECRET_TEXT),
    ]


def test_failing_runs_show_no_text_in_output_logs_or_reports(home: Settings, root: Path, tmp_path: Path):
    source = tmp_path / "hostile.jsonl"
    source.write_text("\n".join(hostile_lines(root)) + "\n", encoding="utf-8")
    environment = {**os.environ, "CLINDEX_HOME": str(home.home), "CLINDEX_MODELS_PATH": str(home.models_folder)}
    printed = b""
    codes = []
    for arguments in (
        ["ingest", "trials", "--from", str(source), "--verbose"],
        ["index", "--verbose"],
        ["reconcile", "--verbose"],
        ["report"],
    ):
        for extra in ([], ["--json"]):
            done = subprocess.run(
                [sys.executable, "-m", "pipeline.cli.main", *arguments, *extra], env=environment, capture_output=True, check=False
            )
            printed += done.stdout + done.stderr
            codes.append(done.returncode)
    assert codes[0] == 1, "records failed: the run is red"
    assert b"Traceback" not in printed
    words = {SECRET_TEXT, "Quartermain"}
    assert leaks(words, printed) == set()
    outside = [path for path in files_outside_landing(home.home) if not path.name.startswith("truth.sqlite")]
    assert {path.name for path in outside if leaks(words, path.read_bytes()) and "index" not in path.parts} == set()
    with sqlite3.connect(home.home / "truth.sqlite") as connection:
        rows = connection.execute("SELECT * FROM run_outcomes").fetchall() + connection.execute("SELECT * FROM runs").fetchall()
    assert leaks(words, repr(rows).encode()) == set()


def test_exceptions_carry_no_text():
    from pipeline.domain.errors import RecordError
    from pipeline.stages.normalize import normalize_study

    for line in (f'{{"x": "{SECRET_TEXT}"', json.dumps([SECRET_TEXT]), json.dumps({"protocolSection": SECRET_TEXT})):
        with pytest.raises(RecordError) as raised:
            normalize_study(line.encode())
        chain = [raised.value, raised.value.__cause__, None if raised.value.__suppress_context__ else raised.value.__context__]
        assert all(SECRET_TEXT not in repr(one) + str(one) + repr(getattr(one, "__dict__", "")) for one in chain if one is not None)


def test_a_chunk_preview_that_fails_quotes_nothing(home: Settings, root: Path, tmp_path: Path):
    source = tmp_path / "hostile.jsonl"
    source.write_text("\n".join(hostile_lines(root)[:3]) + "\n", encoding="utf-8")  # cut, no study, no id
    environment = {**os.environ, "CLINDEX_MODELS_PATH": str(home.models_folder)}
    for extra in ([], ["--json"], ["--verbose"]):
        done = subprocess.run(
            [sys.executable, "-m", "pipeline.cli.main", "chunk", str(source), *extra], env=environment, capture_output=True, check=False
        )
        assert done.returncode == 1
        assert leaks({SECRET_TEXT, "Quartermain"}, done.stdout + done.stderr) == set()
        assert b"not_a_study" in done.stdout


def test_a_document_that_breaks_a_stage_leaves_its_class_of_error_and_no_text(services, monkeypatch: pytest.MonkeyPatch, caplog):
    from pipeline.jobs.index import run_index
    from pipeline.jobs.report import write_report

    def break_down(document: object) -> None:
        raise ValueError(f"cannot read {SECRET_TEXT} in {document!r}")

    monkeypatch.setattr(services.chunker, "chunk", break_down)
    summary = run_index(services, force=True)
    assert summary.documents.indexed == 0
    assert {one.category for one in summary.failures} == {"chunk_failed"}
    paths = write_report(services)
    written = summary.model_dump_json() + Path(paths.html_path).read_text("utf-8") + Path(paths.json_path).read_text("utf-8")
    assert "ValueError" in summary.model_dump_json()
    assert leaks({SECRET_TEXT, "Quartermain"}, (written + caplog.text).encode()) == set()


def test_a_repair_plan_holds_no_payload_of_what_it_found(services, home: Settings):
    from uuid import UUID

    from pipeline.jobs.reconcile import run_reconcile

    with services.index.session() as index:
        some = list(index.scan())[:3]
        strange = ({"text": SECRET_TEXT}, {**some[1].payload, "document_id": SECRET_TEXT}, {**some[2].payload, "model": SECRET_TEXT})
        index.set_payload([(point.id, payload) for point, payload in zip(some, strange, strict=True) if isinstance(point.id, UUID)])
    result = run_reconcile(services)
    assert (result.classes["unreadable"], result.classes["foreign_model"]) == (2, 1)
    plans = list((home.reports_folder / "plans").iterdir())
    assert len(plans) == 2
    assert leaks({SECRET_TEXT}, b"".join(path.read_bytes() for path in plans) + result.model_dump_json().encode()) == set()
    assert run_reconcile(services, repair=True).clean
