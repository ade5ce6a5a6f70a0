"""The reader's child: limits hold, nothing is left behind, and nothing of the file is told."""

import io
import json
import os
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from PIL import Image, ImageDraw
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from pipeline.domain.errors import RecordError
from pipeline.domain.reading import OcrReason, PageOutcome, ReadOptions
from pipeline.domain.site_files import HTML, PDF, PNG, TEXT, TIFF
from pipeline.domain.vocabulary import FailureCategory
from pipeline.stages.extract.limits import Limits
from pipeline.stages.extract.process import Read, read_file

OPTIONS = ReadOptions(ocr_workers=2, figures=False)
LIMITS = Limits(memory_bytes=2 * 1024**3, seconds=120)
SENTENCE = "Fluids were given early, and lactate was measured again after two hours."


def pdf(pages: int = 1, lines: int = 3, **options: object) -> bytes:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, **options)
    for number in range(1, pages + 1):
        for row in range(lines):
            canvas.drawString(72, 740 - 8.5 * row, f"{number * 37 % 101}.{row} {SENTENCE}")
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def bare_pdf(*streams: bytes) -> bytes:
    """A file of one page a content stream, without a table of its objects. What tells its pages stands first, as in files for the web."""
    first = 4 + len(streams)
    kids = b" ".join(b"%d 0 R" % (4 + index) for index in range(len(streams)))
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R /Resources << /Font << /F1 3 0 R >> >> >>"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(streams)),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        *(page % (first + index) for index in range(len(streams))),
    ]
    trailer = b"trailer << /Root 1 0 R /Size %d >>\n" % (first + len(streams))
    return b"%PDF-1.7\n" + _numbered(objects, 1) + trailer + _numbered(streams, first) + b"%%EOF\n"


def _numbered(objects: Sequence[bytes], first: int) -> bytes:
    return b"".join(b"%d 0 obj\n%s\nendobj\n" % pair for pair in enumerate(objects, start=first))


def scan(pages: int) -> bytes:
    sheets = []
    for number in range(pages):
        sheet = Image.new("L", (1700, 2200), 255)
        pen = ImageDraw.Draw(sheet)
        for row in range(40):
            pen.text((150, 150 + 45 * row), f"{number}.{row} {SENTENCE}", fill=0, font_size=30)
        sheets.append(sheet)
    buffer = io.BytesIO()
    sheets[0].save(buffer, "PDF", save_all=True, append_images=sheets[1:], resolution=200)
    return buffer.getvalue()


def read(data: bytes, media_type: str = PDF, limits: Limits = LIMITS) -> Read:
    return read_file(data, media_type, OPTIONS, limits)


def fails(data: bytes, media_type: str = PDF, limits: Limits = LIMITS, options: ReadOptions = OPTIONS) -> FailureCategory:
    with pytest.raises(RecordError) as failure:
        read_file(data, media_type, options, limits)
    return FailureCategory(failure.value.category)


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files that only this test uses."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_reads_a_pdf_and_tells_pages_and_memory() -> None:
    told: list[tuple[int, int]] = []
    found = read_file(pdf(3), PDF, OPTIONS, LIMITS, lambda done, of: told.append((done, of)))
    assert found.file.text.count(SENTENCE) == 9
    assert told[-1] == (3, 3)
    assert 0 < found.peak_bytes < LIMITS.memory_bytes


def test_reads_a_page_that_is_a_picture_in_a_pdf_and_as_a_file_of_its_own() -> None:
    sheet = Image.new("L", (1700, 2200), 255)
    for row in range(12):
        ImageDraw.Draw(sheet).text((150, 700 + 60 * row), SENTENCE, fill=0, font_size=36)
    for form, media_type in (("PDF", PDF), ("PNG", PNG), ("TIFF", TIFF)):
        buffer = io.BytesIO()
        sheet.save(buffer, form, **({"resolution": 200} if form == "PDF" else {"dpi": (200, 200)}))
        file = read(buffer.getvalue(), media_type).file
        assert file.text.count("lactate was measured again after two hours.") == 12
        assert [(page.outcome, page.reason, page.unexplained) for page in file.pages] == [(PageOutcome.OCR, OcrReason.IMAGE, 0)]


def test_a_text_needs_no_child() -> None:
    found = read(b"Gait steady.", TEXT)
    assert (found.file.text, found.peak_bytes) == ("Gait steady.", 0)


@pytest.mark.slow
def test_what_takes_too_long_is_ended_with_all_its_processes(temporary: Path) -> None:
    told: list[int] = []
    others = set(psutil.Process().children(recursive=True))  # what other tests of this process have started
    with pytest.raises(RecordError) as failure:
        read_file(scan(40), PDF, OPTIONS, replace(LIMITS, seconds=15.0), lambda done, _: told.append(done))
    assert failure.value.category == FailureCategory.READ_TIMEOUT
    assert told  # it was at work, Tesseract beside it: its start alone takes seconds on a busy machine
    left = set(psutil.Process().children(recursive=True)) - others
    assert not [one for one in left if one.status() != psutil.STATUS_ZOMBIE]
    assert not _reading(temporary)
    assert list(temporary.iterdir()) == []


def test_what_needs_too_much_memory_is_refused(temporary: Path) -> None:
    bomb = pdf(1) + b" " * (600 * 1024**2)
    assert fails(bomb, limits=replace(LIMITS, memory_bytes=512 * 1024**2)) is FailureCategory.READ_MEMORY
    assert list(temporary.iterdir()) == []


def test_a_page_of_html_that_needs_too_much_memory_is_not_called_damaged() -> None:
    assert fails(b"<p>Rest." * 600_000, HTML, limits=replace(LIMITS, memory_bytes=256 * 1024**2)) is FailureCategory.READ_MEMORY


def test_a_stream_that_unfolds_to_more_than_memory_does_no_harm() -> None:
    """A kilobyte of zeros deflated twice is 400 MB of them."""
    stream = zlib.compress(zlib.compress(bytes(400 * 1024**2), 9), 9)
    data = bare_pdf(b"<< /Filter [/FlateDecode /FlateDecode] /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    assert fails(data, limits=replace(LIMITS, memory_bytes=500 * 1024**2)) is FailureCategory.READ_MEMORY


@pytest.mark.slow
def test_a_parent_that_is_killed_leaves_no_process_and_no_file(tmp_path: Path) -> None:
    (tmp_path / "scan.pdf").write_bytes(scan(30))
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    program = (
        "import sys\nfrom pipeline.domain.reading import ReadOptions\nfrom pipeline.stages.extract.limits import Limits\n"
        "from pipeline.stages.extract.process import read_file\n"
        "read_file(open(sys.argv[1], 'rb').read(), 'application/pdf', ReadOptions(), Limits(2 * 1024**3, 600.0), lambda *_: print('page', flush=True))"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path / "scan.pdf")], stdout=subprocess.PIPE, env={**os.environ, "TMPDIR": str(temporary)}
    )
    assert parent.stdout is not None
    assert parent.stdout.readline() == b"page\n"
    children = psutil.Process(parent.pid).children(recursive=True)
    assert children
    parent.kill()
    parent.wait()
    _, alive = psutil.wait_procs(children, timeout=30)
    assert not [one for one in alive if one.status() != psutil.STATUS_ZOMBIE]
    assert list(temporary.iterdir()) == []
    parent.stdout.close()


def _reading(temporary: Path) -> list[psutil.Process]:
    """Processes that have the temporary folder in their environment."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("TMPDIR", "").startswith(str(temporary)) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.Error:
            continue
    return found


@pytest.mark.parametrize("data", [b"", b"<html><body>No such file</body></html>", b"%PDF-1.7\nnothing of a PDF"])
def test_what_is_no_pdf_is_damaged(data: bytes) -> None:
    assert fails(data) is FailureCategory.DAMAGED_FILE


def test_a_file_cut_in_the_middle_is_read_as_far_as_it_goes() -> None:
    streams = [b"BT /F1 12 Tf 72 400 Td (%d %s) Tj ET" % (number, SENTENCE.encode()) for number in range(8)]
    whole = bare_pdf(*(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream) for stream in streams))
    found = read(whole[: whole.index(b"(5 ")])
    assert 0 < found.file.text.count(SENTENCE) < 8
    assert "repaired" in found.file.notices
    assert len(found.file.pages) == 8
    assert sum(page.unexplained for page in found.file.pages) == 0


def test_a_file_without_its_end_is_repaired() -> None:
    whole = pdf(2)
    found = read(whole[: whole.rindex(b"startxref")])
    assert found.file.text.count(SENTENCE) == 6
    assert found.file.notices == ("repaired",)


def test_a_file_that_the_empty_password_opens_is_read() -> None:
    found = read(pdf(encrypt=StandardEncryption("", ownerPassword="harbour", strength=40)))
    assert found.file.text.count(SENTENCE) == 3
    assert found.file.notices == ("encrypted",)


def test_a_file_that_wants_a_password_is_refused() -> None:
    assert fails(pdf(encrypt=StandardEncryption("harbour", strength=128))) is FailureCategory.ENCRYPTED


def test_too_many_pages_are_refused() -> None:
    assert fails(pdf(4), options=replace(OPTIONS, max_pages=3)) is FailureCategory.TOO_MANY_PAGES


def test_a_file_with_neither_text_nor_ink_is_refused() -> None:
    assert fails(pdf(2, lines=0)) is FailureCategory.NO_TEXT


def test_a_page_too_large_to_be_rendered_fails_alone() -> None:
    buffer = io.BytesIO()
    canvas = Canvas(buffer)
    canvas.drawString(72, 700, SENTENCE)
    canvas.showPage()
    canvas.setPageSize((612, 2_000_000_000))
    canvas.rect(100, 100, 300, 1_000_000_000, fill=1)
    canvas.showPage()
    canvas.save()
    file = read(buffer.getvalue()).file
    assert [(page.outcome, page.failure) for page in file.pages] == [
        (PageOutcome.TEXT_LAYER, None),
        (PageOutcome.FAILED, FailureCategory.PAGE_TOO_LARGE),
    ]
    assert file.text == SENTENCE


@pytest.mark.slow
def test_memory_stays_flat_over_many_dense_pages() -> None:
    few, many = read(pdf(6, lines=80)), read(pdf(60, lines=80))
    assert many.peak_bytes - few.peak_bytes < 150 * 1024**2
    assert sum(page.unexplained for page in many.file.pages) == 0
    assert many.file.text.count(SENTENCE) == 60 * 80


def test_a_reading_survives_json() -> None:
    file = read(pdf(2)).file
    assert type(file).from_json(json.loads(json.dumps(file.to_json()))) == file


def test_a_reader_that_fails_tells_nothing_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RecordError) as failure:
        read_file(b"Marlene Ostrander", "application/x-unknown", OPTIONS, LIMITS)
    assert failure.value.category == FailureCategory.UNSUPPORTED_FORMAT
    assert "Ostrander" not in str(failure.value)


def test_time_is_counted() -> None:
    start = time.monotonic()
    assert 0 < read(pdf()).seconds <= time.monotonic() - start
