"""What is shown of ranked documents: neighbouring passages of a section as one, and no page full of the same text.

In go groups, best first; out go the same groups, documents that say what a better one has said behind the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pipeline.domain.chunks import Chunk, Span
from pipeline.domain.vocabulary import CRITERION_SECTIONS, DocumentKind, Element
from pipeline.search.passages import Group, Joined, Passage
from pipeline.storage.documents import DocumentRow

#: Characters that may lie between two neighbouring passages: the blank lines between paragraphs.
GAP: Final = 4
#: Characters of a joined passage: two of the longest chunks of a protocol; more is no passage but the section.
LONGEST: Final = 3600
#: Share of the best passage's score from which a neighbour that says nothing again is joined to it.
WORTH: Final = 0.5


def arrange(groups: Sequence[Group]) -> list[Group]:
    """Return the groups as they are shown: passages joined, documents that say the same again last."""
    return diverse([replace(group, passages=joined(group.passages)) for group in groups])


def joined(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """Return passages with each one's neighbours of its section taken into it, best first.

    A neighbour that overlaps is always taken in: what it would show stands there already, in part. One that only follows is taken in
    where it scores at least ``WORTH`` of the passage. Criteria are units of their own, and rows of tables are rendered: neither is joined.
    """
    rest = list(passages)
    shown: list[Passage] = []
    while rest:
        best, rest = rest[0], rest[1:]
        grown, taken = _grown(best, rest)
        rest = [one for one in rest if one not in taken]
        shown.append(grown)
    return tuple(shown)


def _grown(best: Passage, others: Sequence[Passage]) -> tuple[Passage, list[Passage]]:
    """Return the passage with the neighbours that belong to it, and which they were."""
    whole, taken = _whole(best.row.chunk), []
    while (found := _next(best, whole, [one for one in others if one not in taken])) is not None:
        whole, neighbour = found
        taken.append(neighbour)
    return (replace(best, joined=replace(whole, passages=1 + len(taken))), taken) if taken else (best, [])


def _next(best: Passage, whole: Joined, others: Sequence[Passage]) -> tuple[Joined, Passage] | None:
    for other in others:
        if not _may_join(best.row.chunk, other.row.chunk):
            continue
        made = _join(whole, _whole(other.row.chunk))
        if made is None or len(made.text) > LONGEST:
            continue
        if _overlap(whole.span, other.row.chunk.span) or other.score >= WORTH * best.score:
            return made, other
    return None


def _may_join(chunk: Chunk, other: Chunk) -> bool:
    return (
        chunk.section is other.section
        and chunk.part == other.part
        and chunk.headings == other.headings
        and chunk.section not in CRITERION_SECTIONS
        and chunk.element is other.element is Element.TEXT
    )


def _whole(chunk: Chunk) -> Joined:
    return Joined(chunk.text, chunk.span, chunk.page, chunk.page_to or chunk.page)


def _overlap(span: Span, other: Span) -> bool:
    return span.start < other.end and other.start < span.end


def _join(one: Joined, other: Joined) -> Joined | None:
    """Return two neighbours as one; ``None`` where they are none, or their texts do not fit where their spans meet."""
    first, second = (one, other) if one.span <= other.span else (other, one)
    if second.span.end <= first.span.end:  # it stands in the first one whole
        return first if second.text in first.text else None
    common = first.span.end - second.span.start
    if common < -GAP or common > len(second.text):
        return None
    if common > 0:
        if not first.text.endswith(second.text[:common]):
            return None
        text = first.text + second.text[common:]
    else:
        text = f"{first.text}\n{second.text}"
    return Joined(text, Span(first.span.start, second.span.end), first.page, second.page_to)


def diverse(groups: Sequence[Group]) -> list[Group]:
    """Return documents in their order, those that say what a better one says behind all others, in their order."""
    first: list[Group] = []
    again: list[Group] = []
    for group in groups:
        (again if any(_same(group, before) for before in first) else first).append(group)
    return first + again


def _same(group: Group, before: Group) -> bool:
    """Whether two documents are editions of one, or hold the same text.

    Never two trials, two patients' documents, or two documents with numbers of their own: an order for children may read as the one
    for adults does, and is another.
    """
    one, other = group.document, before.document
    if one.kind == DocumentKind.TRIAL or one.kind != other.kind or one.facets.patient != other.facets.patient:
        return False
    if one.facets.reference_number != other.facets.reference_number:
        return False
    return _editions(one, other) or group.passages[0].row.text_hash == before.passages[0].row.text_hash


def _editions(one: DocumentRow, other: DocumentRow) -> bool:
    """Whether two documents are the same protocol: by its sponsor's number, or by its agency's."""
    ours, theirs = one.facets, other.facets
    if ours.protocol_number and ours.protocol_number == theirs.protocol_number:
        return True
    return bool(ours.reference_number) and ours.agency == theirs.agency and one.title.casefold() == other.title.casefold()
