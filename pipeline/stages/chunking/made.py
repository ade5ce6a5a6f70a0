"""Runs of units come in; chunks of a document go out, with their places, texts and facts, and the claims that the account checks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pipeline.domain.chunks import Chunk, Drop, Span
from pipeline.domain.ports import TokenCounter
from pipeline.domain.sections import SectionSpan
from pipeline.domain.vocabulary import DropReason, Element
from pipeline.stages.chunking.content_type import content_type
from pipeline.stages.chunking.facts import Facts
from pipeline.stages.chunking.icd10 import icd10_codes
from pipeline.stages.chunking.loss import Claim
from pipeline.stages.chunking.shown import Shown, outside
from pipeline.stages.chunking.units import Unit, UnitKind

_CELL_SIGNS: Final = frozenset({"", ";", "|"})


@dataclass(frozen=True, slots=True)
class Draft:
    """A chunk before it has an ordinal.

    Attributes:
        pieces: Half-open stretches of the part that its text holds, in order; one but for a table whose header stands in its rows.
        prefix: What is embedded before its text.
        labels: Cells of a header whose text stands in the rows, half-open.
    """

    source: Shown
    facts: Facts
    section: SectionSpan
    headings: tuple[str, ...] = field(repr=False)
    pieces: tuple[tuple[int, int], ...]
    context: tuple[str, ...] = field(repr=False)
    prefix: str = field(repr=False)
    element: Element
    number: int | None
    labels: tuple[tuple[int, int], ...] = ()

    @property
    def own(self) -> str:
        """Its text without context."""
        return "\n".join(self.source.stretch(start, end) for start, end in self.pieces)

    @property
    def text(self) -> str:
        """What is cited."""
        return "".join(f"{one}: " for one in self.context) + self.own


def headings_of(own: Sequence[Unit], sections: Sequence[SectionSpan]) -> tuple[SectionSpan, tuple[str, ...]]:
    """Return the section that a chunk counts in, and the headings around all of it."""
    body = [unit for unit in own if unit.kind is not UnitKind.HEADING] or own[-1:]
    paths = [sections[index].path for index in dict.fromkeys(unit.section for unit in body)]
    return sections[body[0].section], _common(paths) or paths[0]


def _common(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return what all paths begin with."""
    shared = 0
    for level in zip(*paths, strict=False):
        if len(set(level)) > 1:
            break
        shared += 1
    return paths[0][:shared]


def pieces_of(
    units: Sequence[Unit], source: Shown, facts: Facts
) -> tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...], list[Drop]]:
    """Return the stretches of a chunk, the header cells that its rows repeat, and the signs between those, which are dropped."""
    start, end = units[0].start, units[-1].end
    holes: list[tuple[int, int]] = []
    labels: list[tuple[int, int]] = []
    drops: list[Drop] = []
    headers = [unit for unit in units if unit.kind is UnitKind.HEADER_ROW]
    rows = "\n".join(source.text[unit.start : unit.end] for unit in units if unit.kind is UnitKind.ROW) if headers else ""
    for unit in headers:
        cells = [(cell.start, min(cell.end, unit.end)) for cell in facts.cells(unit.start, unit.end)]
        gaps = outside(unit.start, unit.end, cells)
        said = all(f"{source.text[left:right]}:" in rows for left, right in cells)
        if not cells or not said or any(source.text[left:right].strip() not in _CELL_SIGNS for left, right in gaps):
            continue
        holes.append((unit.start, unit.end))
        labels += cells
        signs = (source.trimmed(left, right) for left, right in gaps)
        drops += [Drop(source.part.name, Span(left, right), DropReason.MARKUP) for left, right in signs if left < right]
    trimmed = (source.trimmed(left, right) for left, right in outside(start, end, holes))
    return tuple(piece for piece in trimmed if piece[0] < piece[1]), tuple(labels), drops


def fitted(drafts: Iterable[Draft], tokens: TokenCounter) -> list[tuple[Draft, str, str, int]]:
    """Return drafts with text, embedded text and its tokens, none over the window.

    Counts of units are added up before; where a tokenizer counts a whole as more than its parts, the prefix goes, then the draft is halved.
    """
    pending = list(drafts)
    texts = [draft.text for draft in pending]
    counts = tokens.count_many([draft.prefix + text for draft, text in zip(pending, texts, strict=True)])
    done: list[tuple[Draft, str, str, int]] = []
    for draft, text, count in zip(pending, texts, counts, strict=True):
        if count <= tokens.window:
            done.append((draft, text, draft.prefix + text, count))
        else:
            done += _smaller(draft, tokens)
    return done


def _smaller(draft: Draft, tokens: TokenCounter) -> list[tuple[Draft, str, str, int]]:
    done: list[tuple[Draft, str, str, int]] = []
    pending = [replace(draft, prefix="")]
    while pending:
        one = pending.pop()
        text = one.text
        count = tokens.count(text)
        if count <= tokens.window:
            done.append((one, text, text, count))
        elif one.context:
            pending.append(replace(one, context=()))
        elif len(halves := _halves(one)) < 2:
            done.append((one, text, text, count))
        else:
            pending += reversed(halves)
    return done


def _halves(draft: Draft) -> list[Draft]:
    start, end = draft.pieces[0][0], draft.pieces[-1][1]
    middle = (start + end) // 2
    blank = draft.source.text.rfind(" ", start + 1, middle + 1)
    cut = blank if blank > start else middle
    halves = [draft.source.trimmed(start, cut), draft.source.trimmed(cut, end)]
    return [replace(draft, pieces=(half,), labels=()) for half in halves if half[0] < half[1] and half != (start, end)]


def chunk_of(draft: Draft, text: str, embed_text: str, count: int, ordinal: int) -> Chunk:
    """Return the finished chunk."""
    start, end = draft.pieces[0][0], draft.pieces[-1][1]
    return Chunk(
        section=draft.section.section,
        ordinal=ordinal,
        is_exclusion=None,
        text=text,
        embed_text=embed_text,
        part=draft.source.part.name,
        span=Span(start, end),
        token_count=count,
        context=draft.context,
        page=draft.facts.page(start),
        page_to=draft.facts.page(end - 1),
        headings=draft.headings,
        content_type=content_type(draft.section.section, text),
        element=draft.element,
        element_number=draft.number,
        confidence=draft.facts.confidence(start, end),
        suspects=draft.facts.suspects(start, end),
        icd_codes=icd10_codes(text),
    )


def claims_of(draft: Draft, index: int) -> list[Claim]:
    """Return what the chunk at ``index`` holds of its part."""
    part = draft.source.part.name
    return [Claim(part, Span(start, end), index, draft.source.stretch(start, end)) for start, end in (*draft.pieces, *draft.labels)]
