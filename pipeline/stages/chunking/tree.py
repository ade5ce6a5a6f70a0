"""Entries come in, nested nodes go out: which criterion stands under which parent, header, label and scope. No recursion."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from pipeline.stages.chunking.headers import Header
from pipeline.stages.chunking.layout import Entry, Kind, Page, ends_with_colon
from pipeline.stages.chunking.leadins import lead_in_polarity
from pipeline.stages.chunking.lines import Mark, Style
from pipeline.stages.chunking.roles import Role, role_of, without_colon
from pipeline.stages.chunking.scope import read_inline, read_label


@dataclass(slots=True)
class Node:
    """One entry in its place. ``parent`` is an index into the list of nodes."""

    entry: Entry
    role: Role
    parent: int | None
    is_exclusion: bool | None
    scope: tuple[str, ...]
    header: Header | None
    has_children: bool = False


@dataclass(slots=True)
class _Open:
    """A node that may still get children."""

    node: int
    indent: int
    rank: int  # 0: scope or capital label, 1: other label, 2: item or paragraph
    mark: Mark | None
    child: Kind | None = None
    flat: bool = False  # its children stand at its own indent


@dataclass(slots=True)
class Tree:
    """Nodes in order of the text, and which polarities a header or a lead-in stated."""

    nodes: list[Node] = field(default_factory=list)
    polarities: set[bool] = field(default_factory=set)


_CAPITALS: Final = re.compile(r"[^a-z]{4,80}")
_SHORT_LABEL_WORDS: Final = 4
_DEEPER: Final = 2  # columns; the registry indents two (three under numbers), and its authors slip by one
_LEVELS_SEARCHED: Final = 12  # deeper lists at one indent do not occur


def build(page: Page) -> Tree:
    """Nest the entries of a page."""
    return _Builder(page).build()


class _Builder:
    def __init__(self, page: Page) -> None:
        self._entries = page.entries
        self._tree = Tree()
        self._stack: list[_Open] = []
        self._header: Header | None = None
        self._polarity: bool | None = None

    def build(self) -> Tree:
        for index, entry in enumerate(self._entries):
            following = self._entries[index + 1] if index + 1 < len(self._entries) else None
            if entry.header is not None:
                self._stack.clear()
                self._header = entry.header
                self._polarity = entry.header.is_exclusion
                self._state(self._polarity)
            elif entry.passage is not None and entry.passage.words:
                self._place(entry, None if following is None or following.header else following)
        return self._tree

    def _state(self, polarity: bool | None) -> None:
        if polarity is not None:
            self._tree.polarities.add(polarity)

    def _place(self, entry: Entry, following: Entry | None) -> None:
        role = role_of(entry, following)
        rank, indent = self._rank_and_indent(entry, role, following)
        if rank < 2:
            while self._stack and not (self._stack[-1].rank < rank or self._stack[-1].indent + _DEEPER <= indent):
                self._stack.pop()
        elif entry.kind is Kind.ITEM:
            self._close_for_item(entry, indent)
        else:
            self._close_for_text(entry, indent)
        self._turn(entry, rank)
        parent = self._stack[-1] if self._stack else None
        flat = bool(parent and parent.rank == 2 and abs(parent.indent - indent) < _DEEPER)
        if parent:
            parent.child = parent.child or entry.kind
            parent.flat = parent.flat or flat
            self._tree.nodes[parent.node].has_children = True
        self._tree.nodes.append(
            Node(entry, role, parent.node if parent else None, self._polarity, self._scope(entry, role, parent), self._header)
        )
        self._stack.append(_Open(len(self._tree.nodes) - 1, indent, rank, entry.marks[-1] if entry.marks else None))

    def _rank_and_indent(self, entry: Entry, role: Role, following: Entry | None) -> tuple[int, int]:
        """A label governs what follows at its own indent; one with deeper children is an item like others."""
        if role is Role.CRITERION or following is None:
            return 2, entry.indent
        if entry.kind is Kind.ITEM and (role is not Role.SCOPE or following.indent >= entry.indent + _DEEPER):
            return 2, entry.indent
        capitals = _CAPITALS.fullmatch(entry.text) is not None
        return (0 if role is Role.SCOPE or capitals else 1), min(entry.indent, following.indent)

    def _close_for_item(self, entry: Entry, indent: int) -> None:
        while self._stack:
            top = self._stack[-1]
            if top.rank < 2:
                if top.indent < indent + _DEEPER and (top.rank == 0 or top.child is not Kind.TEXT):
                    return
                self._stack.pop()
            elif indent >= top.indent + _DEEPER:
                return
            elif indent <= top.indent - _DEEPER:
                self._stack.pop()
            else:
                self._close_at_same_indent(entry, indent)
                return

    def _close_at_same_indent(self, entry: Entry, indent: int) -> None:
        """Items at one indent are siblings, unless their marks or a colon say that one opens the others."""
        mark = entry.marks[-1]
        top = self._stack[-1]
        for depth in range(len(self._stack) - 1, max(-1, len(self._stack) - 1 - _LEVELS_SEARCHED), -1):
            level = self._stack[depth]
            if level.rank < 2 or abs(level.indent - indent) >= _DEEPER:
                break
            if level.mark and (level.mark.style, level.mark.form) == (mark.style, mark.form):
                opens = level is top or (level.flat and depth == len(self._stack) - 2)
                if opens and ends_with_colon(self._text(level)) and entry.text[:1].islower() and mark.value == 0:
                    del self._stack[depth + 1 :]
                else:
                    del self._stack[depth:]
                return
        if ends_with_colon(self._text(top)) or (top.mark and _is_first_below(mark, top.mark)):
            return
        while self._stack and self._stack[-1].rank == 2 and abs(self._stack[-1].indent - indent) < _DEEPER:
            self._stack.pop()

    def _close_for_text(self, entry: Entry, indent: int) -> None:
        """A paragraph ends lists at its indent; a label before it governs it only where the label leaves no other reading."""
        while self._stack:
            top = self._stack[-1]
            if top.rank == 2:
                if indent >= top.indent + _DEEPER:
                    return
            elif top.rank == 0:
                if top.indent < indent + _DEEPER:
                    return
            elif top.child is not Kind.ITEM and top.indent < indent + _DEEPER and self._governs_text(top, entry):
                return
            self._stack.pop()

    def _governs_text(self, label: _Open, entry: Entry) -> bool:
        text = self._text(label)
        return not entry.text[:1].isupper() or "following" in text.lower() or len(text.split()) <= _SHORT_LABEL_WORDS

    def _turn(self, entry: Entry, rank: int) -> None:
        """Take the polarity of a line before a list that states it (``Participants are excluded if …:``)."""
        if entry.kind is not Kind.TEXT or rank == 2 or self._stack:
            return
        stated = lead_in_polarity(entry.text)
        if stated is None or (self._polarity is not None and not stated):
            return
        if self._header is not None and self._header.is_exclusion is None and self._header.language:
            return
        self._polarity = stated
        self._state(stated)

    def _scope(self, entry: Entry, role: Role, parent: _Open | None) -> tuple[str, ...]:
        inherited: tuple[str, ...] = ()
        if parent:
            inherited = self._tree.nodes[parent.node].scope
        elif self._header and self._header.scope:
            inherited = (self._header.scope,)
        own: str | None = None
        if role is Role.SCOPE:
            label = read_label(without_colon(entry.text), colon=ends_with_colon(entry.text))
            own = label.scope if label else None
        elif role is not Role.GROUPING:
            own = read_inline(entry.text)
        return (*inherited, own) if own and own not in inherited else inherited

    def _text(self, level: _Open) -> str:
        return self._tree.nodes[level.node].entry.text


def _is_first_below(mark: Mark, above: Mark) -> bool:
    """Whether ``mark`` begins a list of another family than ``above``: a. under 1., i. under a."""
    if mark.value != 1 or above.value == 0:
        return False
    order = [Style.NUMBER, Style.MULTILEVEL, Style.LETTER, Style.ROMAN]
    return order.index(mark.style) > order.index(above.style)
