"""Chunks and citations made by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

import pytest

from pipeline.domain.chunks import Chunk, Span, TextVersion
from pipeline.domain.vocabulary import Section
from pipeline.search.cite.passages import Outcome, Past, outcome
from pipeline.search.cite.token import Cited, read_token, text_mark, token_of
from pipeline.storage.citation_archive import place_of, text_key

SECRET = b"a secret of the tests, 32 bytes."
DOCUMENT = UUID("0f3a91c2-0000-5000-8000-000000000001")
VERSION = TextVersion("a1" * 16, "b2" * 16)


@dataclass(frozen=True)
class Text:
    """A document's chunks made of lines: one inclusion criterion a line, unless a line begins with ``-``: an exclusion criterion."""

    chunks: tuple[Chunk, ...]

    @classmethod
    def of(cls, *lines: str) -> Text:
        chunks: list[Chunk] = []
        counts = {Section.INCLUSION_CRITERION: 0, Section.EXCLUSION_CRITERION: 0}
        start = 0
        for line in lines:
            section = Section.EXCLUSION_CRITERION if line.startswith("-") else Section.INCLUSION_CRITERION
            words = line.removeprefix("-")
            counts[section] += 1
            chunks.append(chunk(words, section=section, ordinal=counts[section], start=start))
            start += len(words) + 1
        return cls(tuple(chunks))


def chunk(text: str, *, section: Section = Section.INCLUSION_CRITERION, ordinal: int = 1, start: int = 0, page: int | None = None) -> Chunk:
    return Chunk(section, ordinal, None, text, text, "text", Span(start, start + len(text)), 3, page=page)


def cited_from(one: Chunk, *, generation: int = 1, version: TextVersion | None = VERSION) -> Cited:
    return read_token(SECRET, token_of(SECRET, DOCUMENT, generation, one, version))


def past_of(chunks: Sequence[Chunk]) -> Past:
    return Past(tuple(map(place_of, chunks)), {text_key(one.text): one.text for one in chunks})


@pytest.fixture
def became() -> Callable[..., Outcome]:
    """Returns a function that says what became of a chunk of an old text in a new one."""

    def look(old: Text, which: int, new: Sequence[Chunk], *, known: bool = True, same_text: bool = False) -> Outcome:
        marks = {key: text_mark(SECRET, key) for key in (text_key(one.text) for one in new)}
        past = past_of(old.chunks) if known else Past((), {})
        return outcome(cited_from(old.chunks[which]), new, marks, past, same_text=same_text)

    return look
