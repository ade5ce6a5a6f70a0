"""Drafts of a whole document come in; chunks that fit the model's window and the account of every character go out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pipeline.domain.chunks import Chunk, Drop, Loss, Span
from pipeline.domain.documents import DeidentifiedPart
from pipeline.domain.ports import TokenCounter
from pipeline.domain.vocabulary import DropReason, Section
from pipeline.stages.chunking.draft import Draft, Drafts
from pipeline.stages.chunking.loss import Claim, account
from pipeline.stages.chunking.markup import Folded
from pipeline.stages.chunking.passage import Passage
from pipeline.stages.chunking.split import split

_PIECE_NOTE: Final = " (part {piece} of {pieces})"
_LONGEST_NOTE: Final = _PIECE_NOTE.format(piece=999, pieces=999)
_INVISIBLE: Final = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"


def markup_drops(part: str, folded: Folded) -> list[Drop]:
    """Return the signs that folding a part took away: escapes and emphasis, and signs that nobody sees."""
    return [
        Drop(part, Span(start, end), DropReason.BLANK if folded.raw[start] in _INVISIBLE else DropReason.MARKUP)
        for start, end in folded.markup
    ]


def finish(parts: Sequence[DeidentifiedPart], read: Drafts, tokens: TokenCounter) -> tuple[tuple[Chunk, ...], tuple[Drop, ...], Loss]:
    """Return chunks in order of section and ordinal, drops in order of place, and where every character of ``parts`` went."""
    drafts = sorted(read.drafts, key=lambda draft: (list(Section).index(draft.section), draft.ordinal))
    chunks: list[Chunk] = []
    claims: list[Claim] = []
    places: dict[Draft, int] = {}
    pages = {part.name: part.page for part in parts}
    texts = [_text(draft.passage, draft.context) for draft in drafts]
    for draft, text, count in zip(drafts, texts, tokens.count_many(texts), strict=True):
        places[draft] = len(chunks)
        for chunk in _cut(draft, text, count, pages[draft.part], tokens):
            prefix = "".join(f"{parent}: " for parent in chunk.context)
            claims.append(Claim(chunk.part, chunk.span, len(chunks), chunk.text.removeprefix(prefix)))
            chunks.append(chunk)
    claims += [Claim(carried.part, carried.span, places[carried.draft], carried.text) for carried in read.carried]
    drops = tuple(sorted(read.drops, key=lambda drop: (drop.part, drop.span)))
    return tuple(chunks), drops, account(parts, chunks, drops, claims)


def _cut(draft: Draft, whole: str, count: int, page: int | None, tokens: TokenCounter) -> list[Chunk]:
    if count <= tokens.window:
        return [_chunk(draft, draft.passage, whole, whole, count, page, draft.context)]
    context = (*draft.context, *draft.later_context)
    pieces = split(draft.passage, tokens, limit=tokens.window, text_of=lambda piece: _text(piece, context) + _LONGEST_NOTE)
    chunks: list[Chunk] = []
    for number, piece in enumerate(pieces, start=1):
        own_context = context if number > 1 else draft.context
        text = _text(piece, own_context)
        embed_text = text + _PIECE_NOTE.format(piece=number, pieces=len(pieces))
        count = tokens.count(embed_text)
        chunks.append(_chunk(draft, piece, text, embed_text, count, page, own_context, number, len(pieces)))
    return chunks


def _text(words: Passage, context: tuple[str, ...]) -> str:
    return "".join(f"{parent}: " for parent in context) + words.text


def _chunk(
    draft: Draft,
    piece: Passage,
    text: str,
    embed_text: str,
    count: int,
    page: int | None,
    context: tuple[str, ...],
    number: int = 1,
    pieces: int = 1,
) -> Chunk:
    return Chunk(
        section=draft.section,
        ordinal=draft.ordinal,
        is_exclusion=draft.is_exclusion,
        text=text,
        embed_text=embed_text,
        part=draft.part,
        span=piece.span,
        token_count=count,
        scope=draft.scope,
        context=context,
        page=page,
        piece=number,
        pieces=pieces,
        repeats=tuple(draft.repeats),
    )
