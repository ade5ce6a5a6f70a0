"""Names that head a line before an age and sex, a date of birth or a record number: "VELLACOTT, CHANCE | 06/30/1983", "Ines Okoro 49F"."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final

from pipeline.stages.deidentify.recognisers.names_judge import Span, is_medical
from pipeline.stages.deidentify.recognisers.names_phrase import PARTICLES, SUFFIXES
from pipeline.stages.deidentify.recognisers.names_words import Word

HEADER_SCORE: Final = 0.86
_MOST_WORDS: Final = 5
_WORD: Final = r"[^\W\d_][^\W\d_.'’-]{0,24}(?:['’-][^\W\d_]{1,20}){0,2}\.?"
_NAME: Final = rf"(?P<name>{_WORD}(?:(?P<comma>,)? {_WORD}){{1,4}})"
# What only stands behind a person's name.
_ABOUT: Final = (
    r"(?=[ \t]*(?:\d{1,3} ?(?:-? ?y(?:/?o|r|ear)\b|y\.o|[MFmf]\b|/ ?[MFmf]\b)|\d{1,2}[/-]\d{1,2}[/-](?:\d{4}|\d{2})\b"
    r"|(?:MRN|DOB|CSN|UHID|MR ?#)(?![A-Za-z])|G\d{1,2}P\d))"
)
_HEADED: Final = re.compile(rf"^[ \t|>*#]{{0,6}}(?:\d{{1,2}}[.)] ?)?{_NAME}(?:[ \t]*[|,(][ \t]*|[ \t]{{1,8}}){_ABOUT}", re.MULTILINE)


def find_headed(text: str, words: Sequence[Word]) -> Iterator[Span]:
    """Yield names at the head of a line that goes on with what is a person's, with scores."""
    starts: list[int] = []
    for match in _HEADED.finditer(text):
        starts = starts or [word.start for word in words]
        name = words[bisect_left(starts, match.start("name")) : bisect_left(starts, match.end("name"))]
        if 2 <= len(name) <= _MOST_WORDS and _is_name(name):
            yield name[0].start, match.end("name"), HEADER_SCORE


def _is_name(name: Sequence[Word]) -> bool:
    """Whether all words can be a name's and a list of names has one of them."""
    full = [word for word in name if word.shape != "I" and word.low not in PARTICLES and word.low not in SUFFIXES]
    return (
        bool(full)
        and all(word.upper and not word.never and not word.plain_word and not is_medical(word.low) for word in full)
        and (any(word.is_name for word in full) or (name[0].shape == "I" and not any(word.ordinary for word in full)))
    )
