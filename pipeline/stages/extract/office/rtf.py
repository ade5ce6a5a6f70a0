"""Bytes of an RTF file in, its text out: paragraphs, and table rows where it marks their cells."""

from __future__ import annotations

import re
from typing import Final

from striprtf.striprtf import rtf_to_text

from pipeline.domain.errors import RecordError
from pipeline.domain.reading import ReadFile
from pipeline.domain.vocabulary import FailureCategory
from pipeline.stages.extract.office.flow import Flow, raised

FURNITURE_LEFT_OUT: Final = "headers_left_out"  # a notice: running headers, footers or notes, which the library does not read

_START: Final = b"{\\rtf"
# The library writes "|" for the end of a cell and a line end for that of a row, which text may hold too. Two rare blanks stand for them.
_CELL: Final = "\u2005"
_ROW: Final = "\u2005\u2002\u2005"
_CELL_WORD: Final = re.compile(r"(?<!\\)((?:\\\\)*)\\(?:nest)?cell(?![a-z])")
_ROW_WORD: Final = re.compile(r"(?<!\\)((?:\\\\)*)\\(?:nest)?row(?![a-z])")
_HEADER_ROW: Final = re.compile(r"\\trhdr(?![a-z])")
_RAISED: Final = re.compile(r"(\\super(?:\\[a-z]+-?\d*)*) ?([0-9+()-]{1,4})(?=[{}\\])")
_FURNITURE: Final = re.compile(r"\{\\(?:header|footer)[lrf]?(?![a-z])|\{\\footnote(?![a-z])")


def read_rtf(data: bytes) -> ReadFile:
    """Return the text of an RTF file. Deleted, hidden and binary parts are the library's to leave out.

    Raises:
        RecordError: ``damaged_file``: it is no RTF, or cannot be parsed.
    """
    if not data.lstrip().startswith(_START):
        raise RecordError(FailureCategory.DAMAGED_FILE, "no RTF file")
    markup = data.decode("latin-1")  # RTF is ASCII; what is not is kept as it is
    prepared = _ROW_WORD.sub(r"\1\\qmspace\\enspace\\qmspace ", _CELL_WORD.sub(r"\1\\qmspace ", _RAISED.sub(_as_signs, markup)))
    try:
        text = rtf_to_text(prepared, errors="replace")
    except Exception:  # noqa: BLE001 - the library's errors quote the file
        raise RecordError(FailureCategory.DAMAGED_FILE, "the RTF cannot be parsed") from None
    flow = Flow()
    _add(flow, text.replace("\x00", "\ufffd"), has_header=bool(_HEADER_ROW.search(markup)))
    return flow.file(notices=[FURNITURE_LEFT_OUT] if _FURNITURE.search(markup) else [])


def _as_signs(found: re.Match[str]) -> str:
    signs = raised(found[2])
    return f"{found[1]} " + "".join(f"{{\\uc1\\u{ord(sign)}?}}" if ord(sign) > 127 else sign for sign in signs)


def _add(flow: Flow, text: str, *, has_header: bool) -> None:
    """Write a text whose rows end in the sign for them. The first cell of a row begins at the last line before its end."""
    *rows, rest = text.split(_ROW)
    table: list[list[str]] = []
    for row in rows:
        first, *others = row.removeprefix("\n").split(_CELL)
        before, _, cell = first.rpartition("\n")
        if before.strip():
            _add_table(flow, table, has_header=has_header)
            table = []
            _add_lines(flow, before)
        table.append([cell, *others[:-1]] if others and not others[-1].strip() else [cell, *others])
    _add_table(flow, table, has_header=has_header)
    _add_lines(flow, rest.replace(_CELL, " "))


def _add_table(flow: Flow, rows: list[list[str]], *, has_header: bool) -> None:
    flow.table(rows, 1 if has_header and len(rows) > 1 else 0)


def _add_lines(flow: Flow, text: str) -> None:
    """Add lines: RTF writes a paragraph a line, so that single lines stay together and a blank one parts paragraphs."""
    for stretch in re.split(r"\n[ \t]*\n", text):
        flow.paragraph("\n".join(line.rstrip() for line in stretch.split("\n")))
