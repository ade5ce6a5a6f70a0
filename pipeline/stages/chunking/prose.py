"""Prose comes in; runs of whole sentences go out, packed to a target length. Lists in prose keep their lines."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.domain.chunks import Drop
from pipeline.domain.ports import TokenCounter
from pipeline.domain.vocabulary import DropReason, Section
from pipeline.stages.chunking.draft import Draft, Drafts
from pipeline.stages.chunking.layout import Entry, Kind, ends_with_colon, read_prose
from pipeline.stages.chunking.markup import Folded
from pipeline.stages.chunking.passage import Passage, Word, passage
from pipeline.stages.chunking.sentences import sentence_ends


def read_prose_part(part: str, folded: Folded, tokens: TokenCounter, *, section: Section, first_ordinal: int, target_tokens: int) -> Drafts:
    """Pack the sentences of a part into drafts of about ``target_tokens``; one over the window is cut later, at clauses."""
    drafts = Drafts()
    target = min(target_tokens, tokens.window)
    special = tokens.count("")
    open_words: list[Word] = []
    size = special
    ordinal = first_ordinal

    def close() -> None:
        nonlocal ordinal, size
        if open_words:
            drafts.drafts.append(Draft(section, ordinal, None, part, Passage(folded, tuple(open_words))))
            ordinal += 1
        open_words.clear()
        size = special

    for entry in read_prose(folded).entries:
        drafts.drops += [
            Drop(part, folded.raw_span(mark.start, _trimmed(folded, mark.start, mark.end)), DropReason.BULLET) for mark in entry.marks
        ]
        units = list(_units(folded, entry))
        for unit, count in zip(units, tokens.count_many([unit.text for unit in units]), strict=True):
            cost = count - special
            if open_words and size + cost > target:
                close()
            open_words += unit.words
            size += cost
        if size > target // 2 and entry.kind is Kind.TEXT and not ends_with_colon(entry.text):
            close()
    close()
    return drafts


def _trimmed(folded: Folded, start: int, end: int) -> int:
    while end > start + 1 and folded.text[end - 1].isspace():
        end -= 1
    return end


def _units(folded: Folded, entry: Entry) -> Iterator[Passage]:
    """Yield the sentences of one paragraph or list item; the first begins a new line."""
    words = passage(folded, entry.ranges).words
    if not words:
        return
    whole = Passage(folded, (Word(words[0].start, words[0].end, "\n"), *words[1:]))
    start = length = 0
    ends = iter(sentence_ends(whole.text))
    end = next(ends, None)
    for index, word in enumerate(whole.words):
        length += (len(word.before) if index else 0) + word.end - word.start
        if end is not None and length >= end:
            yield whole.part(start, index + 1)
            start = index + 1
            while end is not None and end <= length:
                end = next(ends, None)
    if start < len(whole.words):
        yield whole.part(start, len(whole.words))
