"""Bytes of a Word file in, its text out: headings, list items with their numbers, tables in place, text boxes and notes; headers as furniture.

Its XML is walked rather than python-docx's paragraphs: content controls, insertions under tracked changes and text boxes are text too.
ECMA-376 part 1 (WordprocessingML) names the elements.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from typing import Any, Final

import docx
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.part import XmlPart

from pipeline.domain.errors import RecordError
from pipeline.domain.reading import ReadFile
from pipeline.domain.vocabulary import FailureCategory
from pipeline.stages.extract.office.docx_styles import Styles
from pipeline.stages.extract.office.docx_text import paragraph_text, paragraphs_in, q, text_boxes
from pipeline.stages.extract.office.flow import Flow

#: What a file may have that is not read: kind of part, and the notice that says so. Reviewers' remarks are not the document's.
_LEFT_OUT: Final = {RELATIONSHIP_TYPE.COMMENTS: "comments_left_out", RELATIONSHIP_TYPE.IMAGE: "pictures_left_out"}

#: Of all parts unpacked. A protocol of 300 pages with figures has some 50 MB; a bomb ends here before it is unpacked.
_MAX_UNPACKED: Final = 512 * 1024 * 1024
#: Of one XML part: as a tree it takes ten times its size.
_MAX_XML: Final = 100 * 1024 * 1024
#: Elements that only wrap others. What was deleted or moved away is not text; ``Fallback`` says again what ``Choice`` says.
_WRAPPERS: Final = frozenset(
    {q(name) for name in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag")}
    | {f"{{http://schemas.openxmlformats.org/markup-compatibility/2006}}{name}" for name in ("AlternateContent", "Choice")}
)
_NOTE_PARTS: Final = (RELATIONSHIP_TYPE.FOOTNOTES, RELATIONSHIP_TYPE.ENDNOTES)
_SEPARATORS: Final = ("separator", "continuationSeparator", "continuationNotice")


def read_docx(data: bytes) -> ReadFile:
    """Return the text of a Word file.

    Raises:
        RecordError: ``damaged_file``: no Word file, or broken, or with a document type; ``read_memory``: it unpacks to more than may be held.
    """
    _check_size(data)
    try:
        document = docx.Document(io.BytesIO(data))
        return _read(document)
    except (RecordError, MemoryError):
        raise
    except Exception:  # noqa: BLE001 - the libraries' errors quote the file
        raise RecordError(FailureCategory.DAMAGED_FILE, "the Word file cannot be opened") from None


def _check_size(data: bytes) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = archive.infolist()
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - what the library makes of a broken archive is its own
        raise RecordError(FailureCategory.DAMAGED_FILE, "no Word file, or a truncated one") from None
    if sum(one.file_size for one in parts) > _MAX_UNPACKED or any(
        one.file_size > _MAX_XML for one in parts if one.filename.endswith((".xml", ".rels"))
    ):
        raise RecordError(FailureCategory.READ_MEMORY, "the Word file unpacks to more than may be held")


def _without_type(root: Any) -> Any:
    """Return a part's root. With a document type, which ECMA-376 part 2 forbids, its text may stand in entities and would be lost.

    Raises:
        RecordError: ``damaged_file``.
    """
    if root.getroottree().docinfo.internalDTD is not None:
        raise RecordError(FailureCategory.DAMAGED_FILE, "a part of the Word file declares a document type")
    return root


def _read(document: Any) -> ReadFile:
    for part in document.part.package.iter_parts():
        if isinstance(part, XmlPart):
            _without_type(part.element)
    related: dict[str, list[Any]] = {}
    for relation in document.part.rels.values():
        if not relation.is_external:
            related.setdefault(relation.reltype, []).append(relation.target_part)
    flow = Flow()
    styles = Styles(document)
    _walk(document.element.body, flow, styles)
    for kind in _NOTE_PARTS:
        for part in related.get(kind, []):
            _notes(part, flow)
    furniture = [
        paragraph_text(paragraph)
        for kind in (RELATIONSHIP_TYPE.HEADER, RELATIONSHIP_TYPE.FOOTER)
        for part in related.get(kind, [])
        for paragraph in paragraphs_in(part.element)
    ]
    notices = [notice for kind, notice in _LEFT_OUT.items() if kind in related]
    return flow.file(title=document.core_properties.title or "", furniture=furniture, notices=notices)


def _walk(body: Any, flow: Flow, styles: Styles) -> None:
    for block in _blocks(body):
        if block.tag == q("tbl"):
            flow.table(*_grid(block))
        else:
            _paragraph(block, flow, styles)
        for box in text_boxes(block):
            for inner in _blocks(box):
                flow.paragraph(paragraph_text(inner))


def _blocks(parent: Any) -> Iterator[Any]:
    """Yield paragraphs and tables in order, out of whatever wraps them. The parser bounds how deep that can be."""
    for child in parent:
        if child.tag in (q("p"), q("tbl")):
            yield child
        elif child.tag in _WRAPPERS:
            yield from _blocks(child)


def _paragraph(element: Any, flow: Flow, styles: Styles) -> None:
    text = paragraph_text(element)
    level, number, item_level = styles.of(element)
    if not text.strip():
        return
    if level:
        flow.heading(f"{number} {text}" if number else text, level)
    elif item_level:
        flow.list_item(f"{number} {text.strip()}" if number else text, item_level)
    else:
        flow.paragraph(text)


def _grid(table: Any) -> tuple[list[list[str]], int]:
    """Return the cells of a table and how many first rows name columns: those marked so, or else a first row that is bold throughout."""
    grid: list[list[str]] = []
    marked = bold = 0
    for number, row in enumerate(_rows(table)):
        line: list[str] = []
        cells = list(_children(row, q("tc")))
        is_header = row.find(f"{q('trPr')}/{q('tblHeader')}") is not None
        for cell in cells:
            above = grid[-1][len(line)] if grid and len(line) < len(grid[-1]) else ""
            text = above if _goes_on(cell) else _cell_text(cell)
            line += [text, *([text if is_header else ""] * (_span(cell) - 1))]
        grid.append(line)
        marked += int(is_header and marked == number)
        bold += int(number == 0 and bool(cells) and all(map(_is_bold, cells)))
    header_rows = marked or bold
    return grid, header_rows if header_rows < len(grid) else 0


def _rows(table: Any) -> Iterator[Any]:
    """Yield the rows of a table but those that tracked changes deleted."""
    return (row for row in _children(table, q("tr")) if row.find(f"{q('trPr')}/{q('del')}") is None)


def _children(parent: Any, tag: str) -> Iterator[Any]:
    for child in parent:
        if child.tag == tag:
            yield child
        elif child.tag in _WRAPPERS:
            yield from _children(child, tag)


def _goes_on(cell: Any) -> bool:
    """Whether a cell is a part of the one above: its text stands in each row, which is cited alone."""
    merge = cell.find(f"{q('tcPr')}/{q('vMerge')}")
    return merge is not None and merge.get(q("val"), "continue") == "continue"


def _span(cell: Any) -> int:
    """Return over how many columns a cell goes (Word has at most 63)."""
    span = cell.find(f"{q('tcPr')}/{q('gridSpan')}")
    value = "1" if span is None else span.get(q("val"), "1")
    return min(max(int(value), 1), 63) if value.isdigit() else 1


def _cell_text(cell: Any) -> str:
    """Return a cell's paragraphs, those of tables and text boxes in it too, joined by blanks."""
    return " ".join(text for one in paragraphs_in(cell) if (text := paragraph_text(one).strip()))


def _is_bold(cell: Any) -> bool:
    runs = [run for run in cell.iter(q("r")) if any((one.text or "").strip() for one in run.iter(q("t")))]
    marks = [run.find(f"{q('rPr')}/{q('b')}") for run in runs]
    return bool(marks) and all(mark is not None and mark.get(q("val"), "1") not in ("0", "false", "none") for mark in marks)


def _notes(part: Any, flow: Flow) -> None:
    """Add footnotes or endnotes as paragraphs at the end."""
    for note in _without_type(docx.oxml.parse_xml(part.blob)):
        if note.get(q("type")) not in _SEPARATORS:
            flow.paragraph(" ".join(text for one in paragraphs_in(note) if (text := paragraph_text(one).strip())))
