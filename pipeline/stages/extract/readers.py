"""A media type in, the reader of it out. Each reader's libraries are loaded when it is used: none is needed to read a text."""

from __future__ import annotations

from collections.abc import Callable, Set

from pipeline.domain.errors import RecordError
from pipeline.domain.reading import PageOutcome, ReadFile, ReadOptions
from pipeline.domain.site_files import DOCX, HTML, JPEG, MARKDOWN, PDF, PNG, RTF, TEXT, TIFF
from pipeline.domain.vocabulary import FailureCategory

Progress = Callable[[int, int], None]


def read(data: bytes, media_type: str, options: ReadOptions, progress: Progress) -> ReadFile:
    """Read a file in this process, without limits.

    Raises:
        RecordError: The file cannot be read, or has neither text nor a picture.
    """
    file = _read(data, media_type, options, progress)
    if file.pages and all(page.outcome is PageOutcome.FAILED for page in file.pages):
        raise _all_failed({page.failure for page in file.pages})
    if not file.text.strip() and all(page.outcome is PageOutcome.BLANK for page in file.pages):
        raise RecordError(FailureCategory.NO_TEXT, "the file has neither text nor a picture")
    return file


def _all_failed(reasons: Set[FailureCategory | None]) -> RecordError:
    """Return the failure of a file none of whose pages could be read: theirs, where they share one that says more than that."""
    reason = next(iter(reasons)) if len(reasons) == 1 else None
    if reason is None or reason is FailureCategory.PAGE_FAILED:
        reason = FailureCategory.DAMAGED_FILE
    return RecordError(reason, "no page of the file can be read")


def _read(data: bytes, media_type: str, options: ReadOptions, progress: Progress) -> ReadFile:
    if media_type in (TEXT, MARKDOWN):
        from pipeline.stages.extract.office.text import read_markdown, read_text

        return read_text(data) if media_type == TEXT else read_markdown(data)
    if media_type == PDF:
        from pipeline.stages.extract.pdf.reader import read_pdf

        return read_pdf(data, options, progress)
    if media_type in (TIFF, PNG, JPEG):
        return _read_image(data, options, progress)
    return _read_office(data, media_type)


def _read_image(data: bytes, options: ReadOptions, progress: Progress) -> ReadFile:
    from pipeline.stages.extract.body import file_of
    from pipeline.stages.extract.ocr.images import read_image_file

    return file_of(read_image_file(data, options, progress))


def _read_office(data: bytes, media_type: str) -> ReadFile:
    if media_type == HTML:
        from pipeline.stages.extract.office.html import read_html

        return read_html(data)
    if media_type == DOCX:
        from pipeline.stages.extract.office.docx import read_docx

        return read_docx(data)
    if media_type == RTF:
        from pipeline.stages.extract.office.rtf import read_rtf

        return read_rtf(data)
    raise RecordError(FailureCategory.UNSUPPORTED_FORMAT, f"files of {media_type} are not read")
