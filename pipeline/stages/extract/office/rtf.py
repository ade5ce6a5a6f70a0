"""Bytes of an RTF file in, its text out: paragraphs, and table rows where it marks their cells."""

from __future__ import annotations

import re
from typing import Final

from striprtf.striprtf import rtf_to_text

from pipeline.domain.errors import RecordError
from pipeline.domain.reading import ReadFile
from pipeline.domain.vocabulary import FailureCategory
from pipeline.stages.extract.office.flow import Flow
from pipeline.stages.extract.office.rtf_markup import CELL, ROW, prepared, private_signs

FURNITURE_LEFT_OUT: Final = "headers_left_out"  # a notice: running headers, footers or notes, which the library does not read

_START: Final = b"{\\rtf"
_HEADER_ROW: Final = re.compile(r"\\trhdr(?![a-z])")
_FURNITURE: Final = re.compile(r"\{\\(?:header|footer)[lrf]?(?![a-z])|\{\\footnote(?![a-z])")


def read_rtf(data: bytes) -> ReadFile:
    """Return the text of an RTF file. Deleted, hidden and struck text is left out, as are pictures.

    Raises:
        RecordError: ``damaged_file``: it is no RTF, or cannot be parsed.
    """
    if not data.lstrip().startswith(_START):
        raise RecordError(FailureCategory.DAMAGED_FILE, "no RTF file")
    markup = data.decode("latin-1")  # RTF is ASCII; what is not is kept as it is
    try:
        text = private_signs(rtf_to_text(prepared(markup), errors="replace"))
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - the library's errors quote the file
        raise RecordError(FailureCategory.DAMAGED_FILE, "the RTF cannot be parsed") from None
    flow = Flow()
    _add(flow, _paired(text).replace("\x00", "\ufffd"), has_header=bool(_HEADER_ROW.search(markup)))
    return flow.file(notices=[FURNITURE_LEFT_OUT] if _FURNITURE.search(markup) else [])


def _paired(text: str) -> str:
    """Return a text whose signs beyond sixteen bits, which RTF writes as pairs, are one sign each; half a pair becomes U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _add(flow: Flow, text: str, *, has_header: bool) -> None:
    """Write a text whose rows end in the sign for them. The first cell of a row begins at the last line before its end."""
    *rows, rest = text.split(ROW)
    table: list[list[str]] = []
    for row in rows:
        first, *others = row.removeprefix("\n").split(CELL)
        before, _, cell = first.rpartition("\n")
        if before.strip():
            _add_table(flow, table, has_header=has_header)
            table = []
            _add_lines(flow, before)
        table.append([cell, *others[:-1]] if others and not others[-1].strip() else [cell, *others])
    _add_table(flow, table, has_header=has_header)
    _add_lines(flow, rest.replace(CELL, " "))


def _add_table(flow: Flow, rows: list[list[str]], *, has_header: bool) -> None:
    flow.table(rows, 1 if has_header and len(rows) > 1 else 0)


def _add_lines(flow: Flow, text: str) -> None:
    """Add lines: RTF writes a paragraph a line, so that single lines stay together and a blank one parts paragraphs."""
    for stretch in re.split(r"\n[ \t]*\n", text):
        flow.paragraph("\n".join(line.rstrip() for line in stretch.split("\n")))
