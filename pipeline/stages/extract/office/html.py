"""Bytes of an HTML page in, its text out: headings, paragraphs, lists and tables as a browser shows them. Nothing is fetched or run.

Walked without recursion: a page of a hundred thousand nested elements is read like any other.
"""

from __future__ import annotations

import codecs
import re
from typing import Final

from bs4 import BeautifulSoup, Tag
from bs4.dammit import EncodingDetector
from bs4.element import CData, NavigableString, RubyTextString

from pipeline.domain.errors import RecordError
from pipeline.domain.plain_text import is_wide
from pipeline.domain.reading import ReadFile
from pipeline.domain.vocabulary import FailureCategory
from pipeline.stages.extract.office.flow import Flow, raised
from pipeline.stages.extract.office.grid import Tables

HIDDEN_TEXT: Final = "hidden_text"  # a notice: words that a browser does not show were left out

_BOMS: Final = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
#: WHATWG Encoding: what pages call by these names is Windows-1252.
_WESTERN: Final = frozenset({"ascii", "us-ascii", "iso-8859-1", "iso8859-1", "latin-1", "latin1", "l1"})
_NEVER_SHOWN: Final = frozenset({"script", "style", "template", "head", "noscript", "svg", "iframe", "object", "datalist"})
_STRUCK: Final = frozenset({"del", "s", "strike"})  # without its line a withdrawn dose would read as a valid one
_HIDING: Final = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_LISTS: Final = frozenset({"ul", "ol", "menu", "dir"})
_INLINE_NAMES: Final = (
    "a abbr acronym b bdi bdo big button cite code data del dfn em font i img input ins kbd label mark meter output q ruby rp rt s samp "
    "select option small span strike strong sub sup time tt u var wbr textarea"
)
_INLINE: Final = frozenset(_INLINE_NAMES.split())
_BLANKS: Final = re.compile(r"\s+")
_BREAK: Final = "\x0b"  # stands for <br> until blanks are collapsed: no page's text can hold it (it is made a blank)
_END: Final = object()


def read_html(data: bytes) -> ReadFile:
    """Return what a page shows.

    Raises:
        RecordError: ``not_utf8``: it is not in the encoding that it states, nor in UTF-8 where it states none; ``damaged_file``.
    """
    markup = _decoded(data)
    try:
        soup = BeautifulSoup(markup, "html.parser")
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - the parser's errors quote the page
        raise RecordError(FailureCategory.DAMAGED_FILE, "the page cannot be parsed") from None
    walk = _Walk(soup)
    walk.run()
    title = soup.title.get_text() if soup.title else ""
    return walk.flow.file(title=title, notices=[HIDDEN_TEXT] if walk.hid_text else [])


def _decoded(data: bytes) -> str:
    encoding = next((name for bom, name in _BOMS if data.startswith(bom)), None)
    declared = encoding or EncodingDetector.find_declared_encoding(data, is_html=True) or "utf-8"
    try:
        codec = codecs.lookup("cp1252" if declared.lower() in _WESTERN else declared).name
        if encoding is None and codec.startswith("utf-16"):
            codec = "utf-8"  # the statement itself was read as ASCII: it is wrong (WHATWG HTML, 13.2.3.2)
        text = data.decode(codec)
    except (LookupError, UnicodeError, ValueError):
        raise RecordError(FailureCategory.NOT_UTF8, "the page is not in the encoding that it states") from None
    if is_wide(text):
        raise RecordError(FailureCategory.NOT_UTF8, "the page is not in the encoding that it states")
    return text.removeprefix("\ufeff").replace("\x00", "\ufffd")


class _Walk:
    """Goes through a page in order and hands what it shows to a flow."""

    def __init__(self, page: Tag) -> None:
        self._page = page
        self._tables = Tables(page)
        self.flow = Flow()
        self.hid_text = False
        self._inline: list[str] = []
        self._lists: list[list[int]] = []  # of each open list: [next number], or [] where its items have bullets
        self._block = ""  # name of the innermost heading or list item
        self._item_number = ""
        self._in_pre = 0

    def run(self) -> None:
        """Walk the page."""
        todo: list[tuple[object, Tag | NavigableString]] = [(None, self._page)]
        while todo:
            state, node = todo.pop()
            if state is _END and isinstance(node, Tag):
                self._close(node)
            elif isinstance(node, Tag):
                if is_hidden(node):
                    self.hid_text = self.hid_text or (node.name not in _NEVER_SHOWN and bool(node.get_text(strip=True)))
                elif self._open(node):
                    todo.append((_END, node))
                    todo += [(None, child) for child in reversed(node.contents) if isinstance(child, Tag | NavigableString)]
            else:
                self._inline.append(str(node) if self._in_pre and type(node) is NavigableString else shown_text(node))
        self._flush()

    def _open(self, tag: Tag) -> bool:
        """Begin an element. Returns whether its children are to be walked."""
        name = tag.name
        if name == "br":
            self._inline.append("\n" if self._in_pre else _BREAK)
        elif name == "img":
            self._inline.append(f" {tag.get('alt', '')} ")
        elif name == "table" and not self._tables.is_layout(tag):
            self._flush()
            for caption in tag.find_all("caption", recursive=False):
                self.flow.paragraph(" ".join(caption.get_text(" ").split()))
            self.flow.table(*self._tables.grid(tag, self._cell_text))
            return False
        elif name not in _INLINE:
            self._flush()
            self._enter(tag)
        return True

    def _enter(self, tag: Tag) -> None:
        if tag.name in _LISTS:
            self._lists.append([_number(tag.get("start"), 1)] if tag.name == "ol" else [])
        elif tag.name == "li":
            self._block = "li"
            numbers = self._lists[-1] if self._lists else []
            if numbers:
                self._item_number = f"{_number(tag.get('value'), numbers[0])}. "
                numbers[0] = int(self._item_number[:-2]) + 1
        elif tag.name in _HEADINGS:
            self._block = tag.name
        elif tag.name == "pre":
            self._in_pre += 1

    def _close(self, tag: Tag) -> None:
        if tag.name in _INLINE or tag.name in ("br", "img"):
            return
        self._flush()
        if tag.name in _LISTS and self._lists:
            self._lists.pop()
        elif tag.name == "pre":
            self._in_pre -= 1
        if tag.name in _HEADINGS or tag.name == "li":
            self._block = self._item_number = ""

    def _cell_text(self, cell: Tag) -> str:
        """Return what a cell shows on one line; tables in it are flattened. What an unclosed cell swallowed of its row is not part of it."""
        shown: list[str] = []
        todo: list[Tag | NavigableString] = [cell]
        while todo:
            node = todo.pop()
            if not isinstance(node, Tag):
                shown.append(shown_text(node))
            elif node is not cell and self._tables.are_beside(node, cell):
                continue
            elif node.name in ("img", "br"):
                shown.append(f" {node.get('alt', '')} ")
            elif not is_hidden(node):
                between = [] if node.name in _INLINE else [NavigableString(" ")]
                todo += [*between, *(one for one in reversed(node.contents) if isinstance(one, Tag | NavigableString)), *between]
        return " ".join("".join(shown).split())

    def _flush(self) -> None:
        """End a stretch of inline text."""
        raw = "".join(self._inline)
        self._inline.clear()
        if self._in_pre:
            for stretch in re.split(r"\n[ \t]*\n", raw):
                self.flow.paragraph(stretch.strip("\n"))
            return
        lines = [" ".join(line.split()) for line in raw.split(_BREAK)]
        if not any(lines):
            return
        if self._block in _HEADINGS:
            self.flow.heading(" ".join(lines), _HEADINGS[self._block])
        elif self._block == "li":
            self.flow.list_item(self._item_number + " ".join(line for line in lines if line), len(self._lists))
            self._item_number = ""
        else:
            for stretch in re.split(r"\n{2,}", "\n".join(lines)):
                self.flow.paragraph(stretch)


def shown_text(node: NavigableString) -> str:
    """Return what a string shows, its blanks squeezed; nothing of comments and the like."""
    if type(node) not in (NavigableString, CData, RubyTextString):
        return ""
    text = _BLANKS.sub(" ", node)
    return raised(text) if node.parent is not None and node.parent.name == "sup" else text


def is_hidden(tag: Tag) -> bool:
    """Whether a browser does not show an element, or shows it as withdrawn."""
    return tag.name in _NEVER_SHOWN or tag.name in _STRUCK or tag.has_attr("hidden") or bool(_HIDING.search(str(tag.get("style", ""))))


def _number(value: object, default: int) -> int:
    return int(value) if isinstance(value, str) and re.fullmatch(r"-?\d{1,6}", value) else default
