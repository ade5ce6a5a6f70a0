"""Where sentences end in clinical English. Abbreviations with full stops do not end one: a cut there parts a verb from its negation."""

from __future__ import annotations

import re
from typing import Final

_CANDIDATE: Final = re.compile(
    r"(?P<word>\S{1,60})(?<=[.!?。！？])(?:[\"'”’)\]]{0,3})(?=\s+[A-Z0-9\"“'(\[≥≤<>À-Þ•*-]|\s*\n|\s*\Z)|[。！？](?=\S)"
)
# Before a capital as before a digit these end no sentence: titles, Latin, routes and frequencies.
_ABBREVIATIONS: Final = re.compile(
    r"(?:e\.?g|i\.?e|vs|cf|ca|approx|incl|excl|resp|esp|dr|prof|mrs?|ms|st|al|vol|eds?|dept|univ|inc|ltd|corp|co|spp?|jr|sr|ver|temp|avg"
    r"|i\.v|i\.m|s\.c|p\.o|b\.i\.d|t\.i\.d|q\.i\.d|q\.d|q\.o\.d|p\.r\.n|o\.d|h\.s|u\.s|u\.k|e\.u)\."
)
# These do only before a number: "No. 4", "Fig. 2", "5 mg. 2 times". Before a capital, "5 mg." and "no." end their sentence.
_BEFORE_NUMBERS: Final = re.compile(
    r"(?:no|nr|nos|figs?|tab|tbl|refs?|art|sect|para|v|min|max|mg|kg|ml|hrs?|wks?|mos?|yrs?|sec|a\.m|p\.m|jan|feb|mar|apr|jun|jul|aug|sept?|oct"
    r"|nov|dec)\."
)
_LOOK_AHEAD: Final = 8  # blanks between two sentences
_INITIAL: Final = re.compile(r"[\"'(\[]*[A-Za-z]\.")
_NUMBER_MARK: Final = re.compile(r"[\"'(\[]*\d{1,2}\.")


def sentence_ends(text: str) -> list[int]:
    """Return the offsets after each sentence of ``text``, ascending; the last is the end of the text (none for blank text)."""
    ends: list[int] = []
    for match in _CANDIDATE.finditer(text):
        word = match["word"]
        if word is None or not _continues(word, text, match.end(), begins=not text[ends[-1] if ends else 0 : match.start()].strip()):
            ends.append(match.end())
    stop = len(text.rstrip())
    ends = [end for end in ends if end < stop]
    return [*ends, stop] if stop else ends


def _continues(word: str, text: str, end: int, *, begins: bool) -> bool:
    """Whether the full stop after ``word`` belongs to an abbreviation, an initial, or a list number (``begins``: first in its sentence)."""
    following = text[end : end + _LOOK_AHEAD].lstrip()[:1]
    if word[-1] in "!?。！？" or not following:
        return False
    bare = word.lstrip("(\"'“[").lower()
    if _BEFORE_NUMBERS.fullmatch(bare):
        return following.isdigit()
    if _NUMBER_MARK.fullmatch(word):
        return begins
    return _ABBREVIATIONS.fullmatch(bare) is not None or _INITIAL.fullmatch(word) is not None
