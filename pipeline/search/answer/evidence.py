"""A search's hits in, the passages and sentences that an answer may rest on out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from pipeline.domain.identifiers import text_hash
from pipeline.domain.visibility import OPEN_KINDS, OPEN_LABEL
from pipeline.domain.vocabulary import Section
from pipeline.search.answer.model import Cite, Statement
from pipeline.search.answer.quantities import quantities
from pipeline.search.request import Hit
from pipeline.stages.chunking.sentences import sentence_ends

_FEWEST_WORDS: Final = 4  # a shorter line is a heading, unless it says a quantity ("Adult: 0.3 mg IM")
_LONGEST: Final = 600  # characters: a longer sentence is a table or a list without stops


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage that was found.

    Attributes:
        number: 1-based, best first.
        is_open: Its kind and label let it be sent out.
        is_exclusion: It is an exclusion criterion: it denies whatever its words are.
    """

    number: int
    cite: Cite
    text: str = field(repr=False)
    about: str = field(repr=False)  # title and headings: what its sentences leave unsaid
    kind: str
    is_open: bool
    is_exclusion: bool = False

    @property
    def title(self) -> str:
        """Its document's title."""
        return self.about.partition("\n")[0]

    @property
    def said(self) -> str:
        """Its text, each line of an exclusion criterion named as what it is: the words alone would say the contrary."""
        return "\n".join(f"Exclusion criterion: {line}" for line in self.text.splitlines()) if self.is_exclusion else self.text

    @property
    def document_id(self) -> str:
        """Which document it is of."""
        return self.cite.document_id


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a passage, ``start``:``end`` of its text."""

    passage: Passage
    start: int
    end: int

    @property
    def text(self) -> str:
        """Its words, as they stand."""
        return self.passage.text[self.start : self.end]

    @property
    def place(self) -> tuple[int, int]:
        """Which of an answer's sentences it is."""
        return self.passage.number, self.start


def passages_of(hits: Sequence[Hit], most: int) -> list[Passage]:
    """Return at most so many passages: every hit's best one first, then the others of the same documents; a text once."""
    shown = [(hit, hit.token, hit.citation, hit.section, hit.text) for hit in hits]
    shown += [(hit, other.token, other.citation, other.section, other.text) for hit in hits for other in hit.related]
    found: list[Passage] = []
    seen: set[str] = set()
    for hit, token, citation, section, text in shown:
        digest = text_hash(text)
        if digest in seen or len(found) == most:
            continue
        seen.add(digest)
        cite = Cite(token=token, citation=citation, document_id=hit.document_id, text_hash=digest)
        about = "\n".join([hit.title, *hit.headings])
        is_open = hit.kind in OPEN_KINDS and hit.access in (None, OPEN_LABEL)
        found.append(Passage(len(found) + 1, cite, text, about, hit.kind, is_open, section == Section.EXCLUSION_CRITERION))
    return found


def sentences_of(passages: Sequence[Passage]) -> list[Sentence]:
    """Return the sentences of passages in order; headings and tables without stops are none."""
    return [sentence for passage in passages for sentence in _sentences(passage)]


def _sentences(passage: Passage) -> list[Sentence]:
    found: list[Sentence] = []
    begin = 0
    for line in passage.text.splitlines(keepends=True):
        start = 0
        for end in sentence_ends(line):
            piece = line[start:end]
            first = begin + start + len(piece) - len(piece.lstrip())
            words = piece.strip()
            if words and len(words) <= _LONGEST and (len(words.split()) >= _FEWEST_WORDS or any(one.unit for one in quantities(words))):
                found.append(Sentence(passage, first, first + len(words)))
            start = end
        begin += len(line)
    return found


def statement(sentence: Sentence, score: float) -> Statement:
    """Return a sentence as an answer shows it."""
    return Statement(
        text=sentence.text,
        text_hash=text_hash(sentence.text),
        cites=[sentence.passage.cite],
        start=sentence.start,
        end=sentence.end,
        score=round(score, 4),
    )
