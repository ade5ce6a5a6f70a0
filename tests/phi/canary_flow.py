"""Runs notes through every command and step, once for each named guard switched off: ``python canary_flow.py FOLDER GUARD ...``.

Each run is a process of its own. What it prints is what commands, logs, steps' return values and exceptions show.
``tests/phi/test_canary_guards.py`` makes the folders and reads what is left.
"""

from __future__ import annotations

import dataclasses
import json
import logging
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from pipeline.testing.canaries import PATIENT, SEED, write_broken

QUERY = "crushing chest pain with raised troponin"


def command(*arguments: str) -> int:
    """Run one command as the console script does; returns its exit code."""
    from pipeline.cli.main import app

    try:
        return int(app([*arguments], standalone_mode=False) or 0)
    except BaseException as error:
        traceback.print_exception(error)
        return 99


def broken_detector() -> None:
    """Let one note pass the detector as it is: only the gate is left for it. Part of every flow."""
    from pipeline.domain.phi import Scrubbed
    from pipeline.stages.deidentify.scrubber import Scrubber

    scrub_all = Scrubber.scrub_all

    def leaky(self: Scrubber, texts: Any, policy: Any, **options: Any) -> list[Scrubbed]:
        if any(SEED in text for text in texts):
            return [Scrubbed(text, ()) for text in texts]
        return scrub_all(self, texts, policy, **options)

    Scrubber.scrub_all = leaky  # type: ignore[method-assign]


def no_detector() -> None:
    """Nothing is recognised."""
    from pipeline.stages.deidentify.scrubber import Scrubber

    Scrubber.find_all = lambda self, folded, policy, **_: [[] for _ in folded]  # type: ignore[method-assign]


def no_gate() -> None:
    """No chunk is read a second time."""
    import pipeline.jobs.prepare as prepare

    prepare.judge = lambda *_, **__: []  # type: ignore[assignment]


def no_detector_and_no_gate() -> None:
    """Neither reader."""
    no_detector()
    no_gate()


def no_known_identifiers() -> None:
    """What a sidecar lists is not looked for, by neither reader."""
    import pipeline.jobs.site_files as site_files
    from pipeline.stages.deidentify import KnownIdentifiers

    site_files.known_of = lambda _: KnownIdentifiers()


def no_clinical_policy() -> None:
    """Notes are taken for registry text."""
    import pipeline.wiring as wiring

    policy_for = wiring.policy_for
    wiring.policy_for = lambda kind, source, choices=None: policy_for("trial", "clinicaltrials.gov", choices)


def no_key_hashing() -> None:
    """Paths and patients' numbers are their own keys."""
    import pipeline.stages.assemble.site_file as note
    import pipeline.stages.sources.documents as documents

    keyed_hash = note.keyed_hash
    documents.keyed_hash = lambda secret, purpose, value: value if purpose == "document" else keyed_hash(secret, purpose, value)
    note.keyed_hash = documents.keyed_hash


def no_pseudonyms() -> None:
    """A patient's number is the patient's pseudonym."""
    import pipeline.stages.assemble.site_file as note

    keyed_hash = note.keyed_hash
    note.keyed_hash = lambda secret, purpose, value: value if purpose == "patient" else keyed_hash(secret, purpose, value)


def no_title_policy() -> None:
    """A note's title is what its sidecar says."""
    import pipeline.stages.assemble.site_file as note

    note.title_of = lambda kind, said, found: said.title or "Document"


def no_department_list() -> None:
    """Any department passes."""
    import pipeline.jobs.site_files as site_files

    class Everything:
        def __contains__(self, _: object) -> bool:
            return True

    of = site_files.FileFacts.of
    site_files.FileFacts.of = lambda *arguments, **options: of(*arguments, **{**options, "departments": Everything()})  # type: ignore[method-assign]


def no_error_translation() -> None:
    """A command prints what an unexpected error says."""
    import pipeline.cli.output as output
    from pipeline.domain.errors import ClindexError, InternalError

    output.as_ours = lambda error: error if isinstance(error, ClindexError) else InternalError(str(error))


def no_class_of_error() -> None:
    """What a broken stage says is kept with its document, not its class alone."""
    import pipeline.jobs.prepare as prepare

    made_of = prepare.StageFailure

    def telling(*arguments: Any, **options: Any) -> Any:
        made, error = made_of(*arguments, **options), sys.exception()
        return made if error is None else dataclasses.replace(made, detail=str(error))

    prepare.StageFailure = telling  # type: ignore[assignment, misc]


def no_quiet_sidecar() -> None:
    """A bad sidecar's error says what it could not read."""
    import pipeline.domain.sidecars as sidecars
    import pipeline.stages.normalize.sidecar as sidecar

    class Loud(sidecars._Said):
        model_config = {**sidecars._Said.model_config, "hide_input_in_errors": False}  # noqa: RUF012

    def read(data: bytes) -> Any:
        return Loud.model_validate(json.loads(data))

    sidecar.read_sidecar = read


def no_quiet_log() -> None:
    """A log line shows the message of the exception that it carries."""
    from pipeline.observability import JsonLines

    JsonLines.format = lambda self, record: logging.Formatter().format(record)  # type: ignore[method-assign]


GUARDS: dict[str, Callable[[], None]] = {
    one.__name__: one
    for one in (
        no_detector,
        no_gate,
        no_detector_and_no_gate,
        no_known_identifiers,
        no_clinical_policy,
        no_key_hashing,
        no_pseudonyms,
        no_title_policy,
        no_department_list,
        no_error_translation,
        no_class_of_error,
        no_quiet_sidecar,
        no_quiet_log,
    )
}


def steps() -> None:
    """Print what each Airflow task would leave in XCom."""
    from pipeline.jobs.steps import nightly as tasks
    from pipeline.jobs.steps import reconcile as steps_reconcile
    from pipeline.jobs.steps import reindex as steps_reindex
    from pipeline.jobs.steps import retention as steps_retention
    from pipeline.jobs.steps import start as steps_start

    started = steps_start.start_check()
    plan = tasks.plan_indexing(force=True)
    results = [tasks.index_documents(batch) for batch in plan["batches"]]
    reindexing = steps_reindex.plan({"reason": "canary", "kind": "progress_note", "source": None, "dry_run": False, "candidate": False})
    results_again = [tasks.index_documents(batch) for batch in reindexing["batches"]]
    summary = tasks.complete_index(plan, results)
    left = [started, plan, results, reindexing, results_again, summary, steps_reconcile.compare(), tasks.report()]
    left += [steps_retention.find(), steps_retention.verify()]
    candidate = steps_reindex.plan({"reason": "canary", "kind": None, "source": None, "dry_run": True, "candidate": True})
    left += [candidate, steps_reindex.complete(candidate, []), steps_reindex.complete(reindexing, results_again)]
    sys.stdout.write(json.dumps(left) + "\n")
    try:
        tasks.judge_index(summary)
    except Exception as error:
        traceback.print_exception(error)


def proof() -> None:
    """A candidate beside the live collection, a repair and its undo, a deletion."""
    for arguments in (
        ("status", "--json"),
        ("reindex", "--candidate", "--reason", "canary", "--json", "--verbose"),
        ("reindex", "--promote", "--verbose"),
        ("collections", "--json"),
        ("reindex", "--rollback", "--verbose"),
        ("reindex", "--retire", "--verbose"),
        ("reconcile", "--deep", "--verbose"),
    ):
        command(*arguments)
    deletion()


def deletion() -> None:
    """A hold, a deletion of one document, its certificate."""
    document, patient = _one_of_a_patient()
    command("hold", "place", patient, "--reason", "canary", "--json")
    command("delete", "--document", document, "--reason", "canary", "--verbose", "--json")
    command("hold", "list")
    for hold in _holds():
        command("hold", "release", hold, "--reason", "canary")
    command("delete", "--document", document, "--reason", "canary", "--approve-large", "--verbose", "--json")
    command("certificate", "show", "1")
    command("certificate", "verify", "--verbose", "--json")


def cited() -> None:
    """Citations of notes, as they are, altered, and of a new version; and questions."""
    from datetime import date

    from pipeline.search.request import SearchRequest
    from pipeline.search.search import search
    from pipeline.settings import Settings
    from pipeline.wiring import open_services

    with open_services(Settings()) as services:
        hits = search(services, SearchRequest(query=QUERY), today=date(2031, 1, 1)).hits
    for hit in hits:
        command("cite", hit.token, "--verbose", "--json")
        command("cite", hit.token)
        command("cite", hit.token[:-2] + "AA", "--json")
    command("ask", QUERY, "--verbose", "--json")
    command("ask", f"When was {PATIENT} admitted?")


def _one_of_a_patient() -> tuple[str, str]:
    from sqlalchemy import select

    from pipeline.settings import Settings
    from pipeline.storage.tables import documents
    from pipeline.wiring import open_services

    with open_services(Settings()) as services, services.db.read() as tx:
        found = tx.execute(select(documents.c.document_id, documents.c.facets))
        return next((str(row.document_id), row.facets["patient"]) for row in found if row.facets.get("patient"))


def _holds() -> list[str]:
    from pipeline.jobs.holds import list_holds
    from pipeline.settings import Settings
    from pipeline.wiring import open_services

    with open_services(Settings()) as services:
        return [one.hold_id for one in list_holds(services).holds]


def failing_runs(ward: Path) -> None:
    """Files that cannot be taken, a stage that breaks, a command that breaks, a log line with an exception: each quotes the patient."""
    from pipeline.observability import LOGGER
    from pipeline.stages.chunking import DocumentChunker
    from pipeline.stages.normalize import sidecar

    write_broken(ward)
    command("ingest", "documents", str(ward), "--verbose")
    try:
        sidecar.read_sidecar(json.dumps({"kind": PATIENT}).encode())
    except Exception as error:
        traceback.print_exception(error)
    try:
        raise ValueError(f"cannot read {PATIENT}")
    except ValueError:
        LOGGER.exception("canary")
    chunk = DocumentChunker.chunk

    def breaks(*_: object) -> Any:
        raise ValueError(f"cannot read the note of {PATIENT}")

    DocumentChunker.chunk = breaks  # type: ignore[method-assign]
    command("index", "--all", "--verbose")
    command("report")
    command("metrics", "--json")
    command("notify", "--dry-run", "--json")
    DocumentChunker.chunk = chunk  # type: ignore[method-assign]
    command("index", "--verbose")
    import pipeline.jobs.status as status

    status.status = breaks  # type: ignore[assignment]
    command("status", "--json")


#: Guards against what a failure says. All others' leaks are made once the notes are indexed: with one of them off the flow ends there.
OF_FAILURES: Final = frozenset({"no_error_translation", "no_class_of_error", "no_quiet_sidecar", "no_quiet_log"})


def main(ward: Path, guard: str) -> None:
    """Run the whole flow; with a guard off, what it guards."""
    broken_detector()
    if guard != "none":
        GUARDS[guard]()
    command("ingest", "documents", str(ward), "--verbose", "--json")
    command("index", "--verbose", "--json")
    if guard in OF_FAILURES:
        failing_runs(ward)
    if guard != "none":
        return
    command("index", "--verbose")
    command("search", QUERY, "--json")
    command("search", QUERY)
    cited()
    command("reconcile", "--verbose", "--json")
    command("reindex", "--reason", "canary", "--kind", "discharge_summary", "--verbose")
    steps()
    command("report", "--json")
    failing_runs(ward)
    command("reconcile", "--verbose", "--repair")
    proof()
    command("report")


def warm_up() -> None:
    """Import what is slow once, before the processes part: presidio and its language model take most of a run."""
    from pipeline.stages.deidentify import Scrubber, policy_for

    Scrubber().scrub("Mr. Smith has no fever.", policy_for("note", "documents"))


def run_all(folder: Path, guards: Sequence[str], flow: Callable[[Path, str], None]) -> None:
    """Run the flow once a guard, each in a process of its own, as many at once as there are processors.

    A flow that broke off has shown nothing to be searched: exits 1 and names its guard.
    """
    running: dict[int, str] = {}
    broken: list[str] = []

    def one_ends() -> None:
        pid, status = os.wait()
        guard = running.pop(pid)
        if status:
            broken.append(guard)

    for guard in guards:
        if len(running) == (os.cpu_count() or 1):
            one_ends()
        running[_begin(folder, guard, flow)] = guard
    while running:
        one_ends()
    if broken:
        sys.exit(f"flows that broke off: {', '.join(sorted(broken))}")


def _begin(folder: Path, guard: str, flow: Callable[[Path, str], None]) -> int:
    """Begin the flow in FOLDER/GUARD, where ``home`` and ``in`` are; what it prints goes to ``shown`` there. Returns the process's id."""
    if pid := os.fork():
        return pid
    own = folder / guard
    shown = os.open(own / "shown", os.O_CREAT | os.O_WRONLY, 0o600)
    os.dup2(shown, 1)
    os.dup2(shown, 2)
    os.environ["CLINDEX_HOME"] = str(own / "home")
    code = 1
    try:
        (ward,) = (own / "in").iterdir()
        flow(ward, guard)
        code = 0
    except BaseException as error:
        traceback.print_exception(error)
    finally:
        sys.stdout.flush()
        os._exit(code)


if __name__ == "__main__":
    warm_up()
    run_all(Path(sys.argv[1]), sys.argv[2:], main)
