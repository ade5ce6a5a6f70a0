"""A Word paragraph's element in, the text that it shows out: insertions are text, what was deleted, moved away, struck or hidden is not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pipeline.stages.extract.office.flow import raised
from pipeline.stages.extract.pdf.symbols import readable

_W: Final = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_MATH_TEXT: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_FALLBACK: Final = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"


def q(name: str) -> str:
    """Return the qualified name of a WordprocessingML element or attribute."""
    return f"{{{_W}}}{name}"


_TEXT_BOX: Final = q("txbxContent")
_NO_TEXT: Final = frozenset({q("del"), q("moveFrom"), _TEXT_BOX, _FALLBACK, q("rPr"), q("pPr")})
_SIGNS: Final = {q("tab"): "\t", q("br"): "\n", q("cr"): "\n", q("noBreakHyphen"): "\u2011", q("ptab"): "\t"}
_WITHDRAWN: Final = (q("vanish"), q("strike"), q("dstrike"))
_OFF: Final = ("0", "false", "off")


def paragraph_text(paragraph: Any) -> str:
    """Return the text of a paragraph; text boxes anchored in it and paragraphs of tables in it are not part of it."""
    return "".join(_pieces(paragraph))


def paragraphs_in(element: Any) -> Iterator[Any]:
    """Yield every paragraph in an element, those of text boxes and tables in it too, each once."""
    return (one for one in element.iter(q("p")) if not _is_said_again(one))


def text_boxes(block: Any) -> Iterator[Any]:
    """Yield the text boxes anchored in a paragraph, each once. Those in tables are read with their cells."""
    if block.tag != q("p"):
        return
    for box in block.iter(_TEXT_BOX):
        if not _is_said_again(box):
            yield box


def _is_said_again(element: Any) -> bool:
    """Whether an element is for programs that do not know the one before it."""
    return any(above.tag == _FALLBACK for above in element.iterancestors())


def _pieces(element: Any) -> Iterator[str]:
    for child in element:
        if child.tag in _NO_TEXT:
            continue
        if child.tag == q("r"):
            yield _run(child)
        elif child.tag == _MATH_TEXT:
            yield child.text or ""
        else:
            yield from _pieces(child)


def _run(run: Any) -> str:
    properties = run.find(q("rPr"))
    if properties is not None and any(_is_on(properties.find(name)) for name in _WITHDRAWN):
        return ""
    text = "".join(_signs(run))
    align = None if properties is None else properties.find(q("vertAlign"))
    return raised(text) if align is not None and align.get(q("val")) == "superscript" else text


def _signs(run: Any) -> Iterator[str]:
    for child in run:
        if child.tag == q("t"):
            yield "".join(readable(ord(sign), "Symbol") if "\uf020" <= sign <= "\uf0ff" else sign for sign in child.text or "")
        elif child.tag in _SIGNS:
            yield _SIGNS[child.tag]
        elif child.tag == q("sym"):
            yield _symbol(child)
        elif child.tag not in _NO_TEXT:
            yield from _pieces(child)  # a drawing's own words stand in text boxes; a ruby's in runs


def _symbol(element: Any) -> str:
    """Return the sign of a symbol: ``char`` is its code in hexadecimal, in the private area or without it."""
    try:
        code = int(element.get(q("char"), ""), 16)
    except ValueError:
        return "\ufffd"
    return readable(code if code >= 0xF000 else 0xF000 + code, element.get(q("font"), "Symbol")) if code < 0xF100 else chr(code & 0xFFFF)


def _is_on(mark: Any) -> bool:
    return mark is not None and mark.get(q("val"), "1") not in _OFF
