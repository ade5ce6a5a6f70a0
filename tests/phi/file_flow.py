"""Runs files with pages through every command, once for each named guard switched off: ``python file_flow.py FOLDER GUARD ...``.

Beside what commands print (``shown``), each run leaves: ``commands``, the command lines of all its processes; ``modes``, those of the
readers' private folders; ``sent``, what went to the captioner of pictures; ``tmp``, its folder for temporary files.
"""

from __future__ import annotations

import http.server
import json
import os
import stat
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from pipeline.domain.errors import RecordError
from pipeline.domain.reading import ReadOptions
from pipeline.domain.vocabulary import PUBLIC_KINDS, DocumentKind
from pipeline.stages.extract.limits import Limits
from pipeline.testing.canaries import PATIENT
from pipeline.testing.canary_files import write_broken_files
from tests.phi.canary_flow import command, run_all, warm_up

LOUD: Final = Path(__file__).with_name("loud_reader.py")
QUERY: Final = "anticoagulant and loop diuretic after chest pain"


def loud_reader(*, stderr: int = subprocess.DEVNULL) -> None:
    """Let every reader's process be a loud one. Part of every flow."""
    from pipeline.stages.extract import process

    class Subprocess:
        PIPE, DEVNULL = subprocess.PIPE, subprocess.DEVNULL

        @staticmethod
        def Popen(arguments: list[str], **options: Any) -> subprocess.Popen[bytes]:
            return subprocess.Popen([arguments[0], str(LOUD)], **{**options, "stderr": None if stderr == 2 else options["stderr"]})

    process.subprocess = Subprocess  # type: ignore[assignment]


def no_silence_of_readers() -> None:
    """What a reader's process writes to standard error is shown."""
    loud_reader(stderr=2)


def no_class_of_a_readers_error() -> None:
    """A reader's process says what its error says."""
    os.environ["CANARY_TELLS"] = "yes"


def no_private_folder() -> None:
    """Temporary files of readers stay."""
    from pipeline.stages.extract import process

    class Tempfile:
        @staticmethod
        def TemporaryDirectory(**_: Any) -> Any:
            class Folder:
                def __enter__(self) -> str:
                    return os.environ["TMPDIR"]

                def __exit__(self, *_: object) -> None:
                    """Nothing is removed."""

            return Folder()

    process.tempfile = Tempfile  # type: ignore[assignment]


def _every_kind_is_public(module: Any) -> None:
    module.PUBLIC_KINDS = frozenset(DocumentKind)


def no_doubt_of_kinds() -> None:
    """Whatever nobody says the kind of is taken for a protocol."""
    import pipeline.jobs.site_files as site_files

    identify = site_files.identify

    def sure(read: Any, kind: DocumentKind | None, folder: str) -> Any:
        return identify(read, kind or DocumentKind.PROTOCOL, folder)

    site_files.identify = sure


def no_clinical_titles() -> None:
    """A clinical file is called as it calls itself."""
    import pipeline.stages.assemble.site_file as site_file

    def found_title(kind: DocumentKind, said: Any, found: str) -> str:
        return said.title or found or kind.value

    site_file.title_of = found_title


def no_clinical_facets() -> None:
    """A clinical file's facets are those of a public one: full date, agency, protocol number."""
    import pipeline.stages.assemble.site_file as site_file

    facets_of = site_file.facets_of
    site_file.facets_of = lambda kind, facts, found: facets_of(DocumentKind.PROTOCOL, facts, found)


def no_clinical_numbers() -> None:
    """The numbers that a clinical file's sidecar gives are kept."""
    import pipeline.jobs.take as take

    _every_kind_is_public(take)
    scrubber = take._shown_title
    take._shown_title = lambda services, file: scrubber(services, file) if file.document.kind in PUBLIC_KINDS else file.document.title


def no_scrubbed_tables() -> None:
    """Rows of tables are kept as they were read."""
    import pipeline.jobs.generation as generation
    import pipeline.jobs.prepare as prepare

    deidentify, table_rows, identified = prepare.deidentify, generation.table_rows, {}

    def remember(document: Any, *arguments: Any, **options: Any) -> Any:
        identified[document.document_id] = document
        return deidentify(document, *arguments, **options)

    prepare.deidentify = remember
    generation.table_rows = lambda document: table_rows(identified[document.document_id])


def no_scrubbed_headings() -> None:
    """Headings are kept as they were read, and nobody reads them a second time."""
    import pipeline.jobs.prepare as prepare

    judge = prepare.judge

    def with_names(self: Any, document: Any) -> Any:
        chunked = chunk(self, document)
        return replace(chunked, chunks=tuple(replace(one, headings=(f"Letter about {PATIENT}",)) for one in chunked.chunks))

    from pipeline.stages.chunking import DocumentChunker

    chunk = DocumentChunker.chunk
    DocumentChunker.chunk = with_names  # type: ignore[method-assign]
    prepare.judge = lambda document, chunked, *others: judge(
        document, replace(chunked, chunks=tuple(replace(one, headings=()) for one in chunked.chunks)), *others
    )


def no_clinical_pictures() -> None:
    """Pictures of clinical files are shown to the captioner."""
    import pipeline.jobs.site_files as site_files

    read_landed = site_files.read_landed
    site_files.read_landed = lambda *arguments, **options: read_landed(*arguments, **{**options, "vision": True})


GUARDS: Final[dict[str, Callable[[], None]]] = {
    one.__name__: one
    for one in (
        no_silence_of_readers,
        no_class_of_a_readers_error,
        no_private_folder,
        no_doubt_of_kinds,
        no_clinical_titles,
        no_clinical_facets,
        no_clinical_numbers,
        no_scrubbed_tables,
        no_scrubbed_headings,
        no_clinical_pictures,
    )
}


#: With a guard off the flow ends where its leak is made: the rest adds minutes of OCR and no evidence. Not named: after the index run.
ENDS_EARLY: Final = {
    "no_silence_of_readers": "ingest",
    "no_class_of_a_readers_error": "start",
    "no_private_folder": "ingest",
    "no_doubt_of_kinds": "ingest",
    "no_clinical_titles": "ingest",
    "no_clinical_facets": "ingest",
    "no_clinical_numbers": "ingest",
    "no_clinical_pictures": "ingest",
}
SCANNED: Final = ("*scan.pdf*", "*.png", "*.tiff")  # what takes OCR


def captioner(sent: Path) -> str:
    """Start a captioner of pictures that writes down what it is sent; returns its address."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            with sent.open("ab") as file:
                file.write(body + b"\n")
            answer = json.dumps({"choices": [{"message": {"content": "A wound."}}], "usage": {"total_tokens": 7}}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/v1"


def watch(own: Path) -> None:
    """Write down, as long as this process lives, the command lines of its descendants and the modes of readers' folders."""
    lines: set[str] = set()
    modes: set[str] = set()
    while True:
        for folder in Path(own / "tmp").glob("clindex-read-*"):
            with suppress(OSError):
                modes.add(oct(stat.S_IMODE(folder.stat().st_mode)))
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if f"TMPDIR={own}".encode() in (process / "environ").read_bytes():
                    lines.add((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        (own / "commands").write_text("\n".join(sorted(lines)), encoding="utf-8")
        (own / "modes").write_text("\n".join(sorted(modes)), encoding="utf-8")
        time.sleep(0.1)


def what_a_reader_says() -> None:
    """Print the error of a file that breaks its reader: commands show the category of such errors alone, but a caller might log more."""
    from pipeline.stages.extract.process import read_file

    try:
        read_file(b"<p>Breaks the reader</p>", "text/html", ReadOptions(), Limits(memory_bytes=2 << 30, seconds=60))
    except RecordError as error:
        traceback.print_exception(error)


def xcom(ward: Path) -> None:
    """Print what each Airflow task of a run over these files would leave in XCom. One file has changed: its batch has work."""
    from pipeline.jobs.steps import nightly as steps
    from pipeline.jobs.steps import start as steps_start

    changed = next(ward.rglob("*.html"))
    changed.write_text(changed.read_text(encoding="utf-8").replace("was given", "was given again"), encoding="utf-8")
    started, found = steps_start.start_check(), steps.fetch_documents(paths=[str(ward)])
    taken = [steps.normalize_batch(found["fetched"], batch) for batch in found["batches"]]
    ended = steps.complete_ingest(found, taken)
    planned = steps.plan_indexing()
    results = [steps.index_documents(batch) for batch in planned["batches"]]
    left = [started, found, taken, ended, planned, results, steps.complete_index(planned, results)]
    sys.stdout.write(f"XCom {json.dumps(left)}\n")


def set_up(ward: Path) -> None:
    """Watch this process and its children, and give them a folder, a captioner and a reader that the test looks at."""
    own = ward.parent.parent
    (own / "tmp").mkdir()
    (own / "sent").touch()
    os.environ |= {"TMPDIR": str(own / "tmp"), "CLINDEX_VISION_URL": captioner(own / "sent"), "CLINDEX_VISION_MODEL": "canary"}
    tempfile.tempdir = None  # it is looked up anew
    threading.Thread(target=watch, args=(own,), daemon=True).start()
    loud_reader()


def without_guard(ward: Path, guard: str) -> None:
    """Run the flow up to where the leak is made, without the files that take OCR: every guard stands before or after that."""
    for pattern in SCANNED:
        for path in ward.rglob(pattern):
            path.unlink()
    GUARDS[guard]()
    end = ENDS_EARLY.get(guard)
    if end == "start":
        what_a_reader_says()
        return
    command("ingest", "documents", str(ward), "--verbose", "--json")
    if end is None:
        command("index", "--verbose", "--json")


def main(ward: Path, guard: str) -> None:
    """Run the whole flow; with a guard off, a part of it."""
    set_up(ward)
    if guard != "none":
        without_guard(ward, guard)
        return
    command("ingest", "documents", str(ward), "--verbose", "--json")
    command("index", "--verbose", "--json")
    command("search", QUERY, "--json")
    xcom(ward)
    write_broken_files(ward)
    command("ingest", "documents", str(ward), "--verbose")
    what_a_reader_says()
    command("index", "--verbose")
    command("audit", "phi", "--json")
    command("report", "--json")
    command("reconcile", "--verbose", "--json")


if __name__ == "__main__":
    warm_up()
    run_all(Path(sys.argv[1]), sys.argv[2:], main)
