"""A cited passage and the live chunks of its document in, what became of it out. Nothing is looked up here."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pipeline.domain.chunks import Chunk, Span
from pipeline.search.cite.difference import likeness
from pipeline.search.cite.model import CitationStatus
from pipeline.search.cite.token import Cited
from pipeline.storage.citation_archive import CitedPlace, text_key

ALIKE: Final = 0.5  # of two texts' words: see docs/decisions/0022-citations-and-answers.md, "What counts as changed"
_BLANKS: Final = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a passage.

    Attributes:
        status: See ``CitationStatus``.
        chunks: Live chunks that hold it, or that hold what came in its place, in order; none where it is gone.
        old_text: What the passage said, where it changed and that is still known.
    """

    status: CitationStatus
    chunks: tuple[Chunk, ...] = ()
    old_text: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Past:
    """The version that a passage was cited from.

    Attributes:
        places: Where its passages stood; empty: it is not kept.
        texts: Their texts by key, those that the live version still has not among them.
    """

    places: tuple[CitedPlace, ...] = field(repr=False)
    texts: Mapping[str, str] = field(repr=False)


def outcome(cited: Cited, live: Sequence[Chunk], marks: Mapping[str, str], past: Past, *, same_text: bool) -> Outcome:
    """Return what became of a passage.

    Args:
        cited: The passage.
        live: All chunks of the document that are live.
        marks: What tokens know texts by: of every live chunk's text, by the text's key.
        past: The version that it was cited from.
        same_text: The live chunks were made of that very version: spans mean the same characters.
    """
    if same_text and (held := _holding(cited, live)):
        return Outcome(_kept(cited, held, same_text=True), held)
    if found := [chunk for chunk in live if marks.get(text_key(chunk.text)) == cited.text]:
        nearest = min(found, key=lambda chunk: _distance(cited, chunk))
        return Outcome(_kept(cited, (nearest,), same_text=False), (nearest,))
    if past.places:
        return _from_known(cited, live, past)
    at_place = tuple(chunk for chunk in live if _address(chunk) == (cited.section, cited.ordinal, cited.piece))
    return Outcome(CitationStatus.CHANGED, at_place) if at_place else Outcome(CitationStatus.REMOVED)


def differs(cited: Cited, chunks: Sequence[Chunk], *, same_text: bool) -> list[str]:
    """Return in what a passage's place differs from the one that was cited; of the same text, boundaries of chunks are no place."""
    first, last = chunks[0], chunks[-1]
    span = cited.span if same_text else Span(first.span.start, last.span.end)
    now = (first.section.value, first.ordinal, first.piece, first.part, span, _page(cited, chunks, same_text=same_text))
    was = (cited.section, cited.ordinal, cited.piece, cited.part, cited.span, cited.page)
    names = ("section", "ordinal", "piece", "part", "span", "page")
    return [name for name, before, after in zip(names, was, now, strict=True) if before != after]


def _page(cited: Cited, chunks: Sequence[Chunk], *, same_text: bool) -> int | None:
    first = chunks[0]
    on_it = first.page is not None and cited.page is not None and first.page <= cited.page <= (first.page_to or first.page)
    return cited.page if same_text and on_it else first.page  # a larger chunk may begin a page earlier


def _kept(cited: Cited, chunks: Sequence[Chunk], *, same_text: bool) -> CitationStatus:
    return CitationStatus.MOVED if differs(cited, chunks, same_text=same_text) else CitationStatus.SAME


def _holding(cited: Cited, live: Sequence[Chunk]) -> tuple[Chunk, ...]:
    """Return the chunks that hold the cited characters, in order; the very chunk alone where it is still there."""
    there = [chunk for chunk in live if chunk.part == cited.part and _overlap(chunk.span, cited.span)]
    own = [chunk for chunk in there if _address(chunk) == (cited.section, cited.ordinal, cited.piece) and chunk.span == cited.span]
    if own:
        return (own[0],)
    covered = cited.span.start
    chosen: list[Chunk] = []
    for chunk in sorted(there, key=lambda one: (one.span.start, -one.span.end)):
        if chunk.span.end > covered:
            chosen.append(chunk)
            covered = chunk.span.end
        if covered >= cited.span.end:
            break
    return tuple(chosen)


def _from_known(cited: Cited, live: Sequence[Chunk], past: Past) -> Outcome:
    """Compare with what the old version said: its passages may have been cut otherwise than the cited one was."""
    held = [place for place in past.places if place.part == cited.part and _overlap(place.span, cited.span)]
    if not held:
        return Outcome(CitationStatus.REMOVED)
    exact = [place for place in held if place.span == cited.span] or held
    by_key = {text_key(chunk.text): chunk for chunk in live}
    pieces = [past.texts.get(place.text_key) or _text(by_key.get(place.text_key)) for place in exact]
    if None in pieces:
        return Outcome(CitationStatus.REMOVED)
    old = "\n".join(piece for piece in pieces if piece is not None)
    if whole := _containing(old, live):
        return Outcome(CitationStatus.MOVED, whole)
    still_there = {place.text_key for place in past.places} & set(by_key)
    fresh = [chunk for key, chunk in by_key.items() if key not in still_there]
    return _changed(cited, old, fresh)


def _text(chunk: Chunk | None) -> str | None:
    return None if chunk is None else chunk.text


def _containing(old: str, live: Sequence[Chunk]) -> tuple[Chunk, ...]:
    """Return the chunks of one part in which a text stands word for word, whatever their boundaries; none where it stands nowhere."""
    words = _plain(old)
    parts: dict[str, list[Chunk]] = {}
    for chunk in sorted((one for one in live if not one.context), key=lambda one: (one.part, one.span)):  # a lead-in may turn what it means
        parts.setdefault(chunk.part, []).append(chunk)
    for chunks in parts.values():
        texts = [_plain(chunk.own_text) for chunk in chunks]
        ends: list[int] = []
        for text in texts:
            ends.append((ends[-1] + 1 if ends else 0) + len(text))
        start = f" {' '.join(texts)} ".find(f" {words} ")
        if start >= 0:
            return tuple(
                chunk for chunk, text, end in zip(chunks, texts, ends, strict=True) if end > start and end - len(text) < start + len(words)
            )
    return ()


def _changed(cited: Cited, old: str, fresh: Collection[Chunk]) -> Outcome:
    """Return the live passage that is most like the old one among those that the old version had not, of the same section where there is one."""
    best: tuple[tuple[float, bool, int], Chunk] | None = None
    for chunk in fresh:
        alike = likeness(old, chunk.text, at_least=ALIKE)
        if alike:
            rank = (alike, chunk.section.value == cited.section, -abs(chunk.ordinal - cited.ordinal))
            if best is None or rank > best[0]:
                best = (rank, chunk)
    return Outcome(CitationStatus.REMOVED) if best is None else Outcome(CitationStatus.CHANGED, (best[1],), old)


def _address(chunk: Chunk) -> tuple[str, int, int]:
    return chunk.section.value, chunk.ordinal, chunk.piece


def _distance(cited: Cited, chunk: Chunk) -> tuple[bool, bool, int, int]:
    far = abs(chunk.span.start - cited.span.start)
    return chunk.section.value != cited.section, chunk.part != cited.part, abs(chunk.ordinal - cited.ordinal), far


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def _plain(text: str) -> str:
    return _BLANKS.sub(" ", text).strip()


def shown(chunks: Iterable[Chunk]) -> str:
    """Return the text of chunks as a citation shows it: the first with its parents."""
    first, *others = chunks
    return "\n".join([first.text, *(chunk.own_text for chunk in others)])
