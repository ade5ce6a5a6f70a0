"""The sections of a part come in; units that are not cut any further go out: sentences, list items, rows, headings, figures.

Units stand in order and hold everything that a reader sees of the part. A lead-in stays with the first item of its list, and the other
items know it: a chunk that begins inside the list says it again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from pipeline.domain.marks import Mark, MarkKind, of_kind
from pipeline.domain.ports import TokenCounter
from pipeline.domain.sections import SectionSpan
from pipeline.domain.vocabulary import Element
from pipeline.stages.chunking.blocks import Block, BlockKind, blocks, regions, wrap_width
from pipeline.stages.chunking.context import abbreviate, is_lead_in
from pipeline.stages.chunking.protected import doses
from pipeline.stages.chunking.sentences import sentence_ends
from pipeline.stages.chunking.shown import Shown


class UnitKind(StrEnum):
    """What a unit is."""

    SENTENCE = "sentence"
    FRAGMENT = "fragment"  # of something that is over the window
    ITEM = "item"
    ROW = "row"
    HEADER_ROW = "header_row"
    HEADING = "heading"
    FIGURE = "figure"


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit: a half-open stretch of its part, without blanks at its ends.

    Attributes:
        section: Index of its section in the part.
        fresh: It begins a paragraph.
        keep: It stays with the unit after it (a heading, a lead-in).
        lead: What a chunk says first that begins with this unit: the lead-in of its list, the header of its bars, the negation it stands in.
        element: What it is part of.
        number: Number of that table or figure in the document, or ``None``.
        tokens: What it costs, special tokens apart; 0 until it is counted.
    """

    start: int
    end: int
    kind: UnitKind
    section: int
    fresh: bool = False
    keep: bool = False
    lead: tuple[str, ...] = field(default=(), repr=False)
    element: Element = Element.TEXT
    number: int | None = None
    tokens: int = 0


# A lead-in that is said again: the clause that opens the list (decision 0002), at most an eighth of the window; of a table, whose rows say
# nothing without it, a quarter.
_LEAD_CHARACTERS: Final = 160
_LEAD_SHARE: Final = 8
_TABLE_LEAD_SHARE: Final = 4
_LEAST_LEAD: Final = 4  # tokens: a negation and a word
_MOST_LEADS: Final = 2  # the list's own, and that of the list around it
_LONGEST_MARK: Final = 8
_LEAD_TAIL: Final = 80  # characters that tell a lead-in
# What stands over a table; a paragraph that begins like a sentence ("Table 3 shows …") does so as well, and does no harm there.
_CAPTION: Final = re.compile(r"(?:table|tab\.|schedule|appendix|exhibit)\s{1,3}\w{1,8}", re.IGNORECASE)
_LONGEST_CAPTION: Final = 400
_BAR_RULE: Final = frozenset("|-: \t")
_UNIT_KINDS: Final = {BlockKind.ITEM: UnitKind.ITEM, BlockKind.ROW: UnitKind.ROW, BlockKind.FIGURE: UnitKind.FIGURE}


def units_of(source: Shown, sections: Sequence[SectionSpan], tokens: TokenCounter) -> list[Unit]:
    """Return the units of a part in order."""
    marked = regions(source.part.marks)
    tables = of_kind(source.part.marks, MarkKind.TABLE)
    wrap = wrap_width(source.text)
    found: list[Unit] = []
    first = 0
    for index, section in enumerate(sections):
        left, right = source.trimmed(section.start, section.heading_end)
        if left < right:
            found.append(Unit(left, right, UnitKind.HEADING, index, fresh=True, keep=True))
        while first < len(marked) and marked[first].end <= section.heading_end:
            first += 1
        last = first
        while last < len(marked) and marked[last].start < section.end:
            last += 1
        page = list(blocks(source, marked[first:last], section.heading_end, section.end, wrap))
        found += _units(source, page, index, tables, tokens)
        first = max(first, last - 1)
    return found


def _units(source: Shown, page: Sequence[Block], section: int, tables: Sequence[Mark], tokens: TokenCounter) -> Iterator[Unit]:
    open_lists: list[tuple[str, str]] = []  # how the lead-in was numbered, and what its items say again of it; outermost first
    position = 0
    for before, block, following in zip([None, *page], page, [*page[1:], None], strict=False):
        _close(open_lists, source, block, before)
        lead = tuple(text for _, text in open_lists[-_MOST_LEADS:])
        if block.kind is BlockKind.TEXT:
            made = list(_sentences(source, block, section, lead))
        elif block.kind is BlockKind.HEADING:
            made = [Unit(block.start, block.end, UnitKind.HEADING, section, fresh=True, keep=True)]
        else:
            position = _table_at(tables, block.start, position)
            made = [_whole(block, section, lead, tables, position)]
        if block.kind is not BlockKind.HEADING and following is not None and _opens(source, made[-1], block, following):
            said = _lead(source, made[-1], block, following, tokens)
            open_lists += [(_numbering(source, block), text) for text in said]
            first = 0 if following.kind is BlockKind.ROW else len(made) - 1  # the whole of a caption, the last sentence of a lead-in
            made[first:] = [replace(unit, keep=True) for unit in made[first:]]
        yield from made


def _whole(block: Block, section: int, lead: tuple[str, ...], tables: Sequence[Mark], position: int) -> Unit:
    kind = _UNIT_KINDS[block.kind]
    element, number = Element.TEXT, None
    mark = block.mark
    if mark is not None and mark.kind is MarkKind.FIGURE:
        element, number = Element.FIGURE, mark.number
    if mark is not None and mark.kind is MarkKind.TABLE_ROW:
        kind = UnitKind.HEADER_ROW if mark.level == 1 else UnitKind.ROW
        if position < len(tables) and tables[position].start <= block.start < tables[position].end:
            element, number = Element.TABLE, tables[position].number
    return Unit(block.start, block.end, kind, section, block.fresh, lead=lead, element=element, number=number)


def _table_at(tables: Sequence[Mark], start: int, position: int) -> int:
    """Return the index of the table that holds an offset, or of the next one; asked in order of offsets."""
    while position < len(tables) and tables[position].end <= start:
        position += 1
    return position


def _sentences(source: Shown, block: Block, section: int, lead: tuple[str, ...]) -> Iterator[Unit]:
    whole = source.text[block.start : block.end]
    inside = iter(doses(whole, 0, len(whole)))
    dose = next(inside, None)
    start = 0
    for end in sentence_ends(whole):
        while dose is not None and dose[1] <= end:
            dose = next(inside, None)
        if dose is not None and dose[0] < end < dose[1] and end < len(whole):
            continue
        left, right = source.trimmed(block.start + start, block.start + end)
        if left < right:
            yield Unit(left, right, UnitKind.SENTENCE, section, fresh=block.fresh and not start, lead=lead)
        start = end


def _close(open_lists: list[tuple[str, str]], source: Shown, block: Block, before: Block | None) -> None:
    """Close the lists and tables that a block does not belong to: an item numbered like a lead-in is that one's sibling."""
    if not open_lists or before is None:
        return
    if BlockKind.ROW in (block.kind, before.kind):
        is_led = block.kind is BlockKind.ROW
    else:  # an item, or the next line without a mark
        is_led = block.kind is BlockKind.ITEM or (block.kind is BlockKind.TEXT and not block.fresh)
    if not is_led:
        open_lists.clear()
    elif block.kind is BlockKind.ITEM:
        numbering = _numbering(source, block)
        same = [index for index, (one, _) in enumerate(open_lists) if one == numbering]
        if same:
            del open_lists[same[0] :]


def _numbering(source: Shown, block: Block) -> str:
    """Return the family of an item's mark: a sign, or the name of its numbers; empty for what is no item."""
    if block.kind is not BlockKind.ITEM:
        return ""
    first = source.text[block.start : block.start + _LONGEST_MARK].lstrip("(（")
    if first[:1].isdigit():
        return "number"
    if first[:1].isalpha() and first[1:2] in ".)）":
        return "letter"
    return "roman" if first[:1].isalpha() else first[:1]


def _opens(source: Shown, last: Unit, block: Block, following: Block) -> bool:
    """Whether a block opens the list, or the rows, that follow it."""
    if block.kind is BlockKind.ROW:  # a header line of bars: what follows it is a line of dashes
        return block.mark is None and following.kind is BlockKind.ROW and set(source.text[following.start : following.end]) <= _BAR_RULE
    if block.kind is not BlockKind.TEXT and block.kind is not BlockKind.ITEM:
        return False
    if following.kind is BlockKind.ROW and following.mark is not None:
        is_short = block.end - block.start <= _LONGEST_CAPTION
        return block.kind is BlockKind.TEXT and is_short and _CAPTION.match(source.text, block.start, block.end) is not None
    if following.kind is not BlockKind.ITEM and (following.fresh or following.kind is not BlockKind.TEXT):
        return False
    return is_lead_in(source.text[max(last.start, last.end - _LEAD_TAIL) : last.end])


def _lead(source: Shown, last: Unit, block: Block, following: Block, tokens: TokenCounter) -> tuple[str, ...]:
    """Return what the items or rows after a block say again of it."""
    start = block.start if following.kind is BlockKind.ROW else last.start
    text = source.stretch(start, min(last.end, start + 8 * _LEAD_CHARACTERS))
    if block.kind is BlockKind.ROW:
        text = " | ".join(cell.strip() for cell in text.strip("| ").split("|"))
    limit = max(_LEAST_LEAD, tokens.window // (_TABLE_LEAD_SHARE if following.kind is BlockKind.ROW else _LEAD_SHARE))
    short = abbreviate(f"{text.rstrip(':')}:", tokens, characters=_LEAD_CHARACTERS, max_tokens=limit).text
    return (short,) if short.strip(":") else ()
