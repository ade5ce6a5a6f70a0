"""Where sentences end in clinical English. Abbreviations with full stops do not end one: a cut there parts a verb from its negation."""

from __future__ import annotations

import re
from typing import Final

_CANDIDATE: Final = re.compile(
    r"(?P<word>\S{1,60})(?<=[.!?。！？])(?:[\"'”’)\]]{0,3})(?=\s+[A-Z0-9\"“'(\[≥≤<>À-Þ•*-]|\s*\n|\s*\Z)|[。！？](?=\S)"
)
# Followed by a capital or a digit without ending a sentence. Titles, units, Latin, references, months.
_ABBREVIATIONS: Final = frozenset(
    [
        "e.g.",
        "i.e.",
        "eg.",
        "ie.",
        "etc.",
        "vs.",
        "v.",
        "cf.",
        "ca.",
        "approx.",
        "incl.",
        "excl.",
        "dr.",
        "prof.",
        "mr.",
        "mrs.",
        "ms.",
        "st.",
        "no.",
        "nr.",
        "nos.",
        "fig.",
        "figs.",
        "tab.",
        "ref.",
        "refs.",
        "al.",
        "ver.",
        "vol.",
        "ed.",
        "eds.",
        "dept.",
        "univ.",
        "inc.",
        "ltd.",
        "corp.",
        "co.",
        "i.v.",
        "iv.",
        "i.m.",
        "s.c.",
        "p.o.",
        "b.i.d.",
        "t.i.d.",
        "q.d.",
        "q.i.d.",
        "q.o.d.",
        "p.r.n.",
        "o.d.",
        "h.s.",
        "a.m.",
        "p.m.",
        "min.",
        "max.",
        "mg.",
        "kg.",
        "ml.",
        "hr.",
        "hrs.",
        "wk.",
        "wks.",
        "mo.",
        "mos.",
        "yr.",
        "yrs.",
        "sec.",
        "temp.",
        "avg.",
        "resp.",
        "esp.",
        "dx.",
        "hx.",
        "tx.",
        "pt.",
        "pts.",
        "u.s.",
        "u.k.",
        "e.u.",
        "spp.",
        "sp.",
        "jan.",
        "feb.",
        "mar.",
        "apr.",
        "jun.",
        "jul.",
        "aug.",
        "sept.",
        "sep.",
        "oct.",
        "nov.",
        "dec.",
        "art.",
        "sect.",
        "para.",
        "subj.",
        "tbl.",
        "jr.",
        "sr.",
    ]
)
# These do end a sentence where a capital follows; elsewhere they stand inside one.
_INITIAL: Final = re.compile(r"[\"'(\[]*[A-Za-z]\.")
_NUMBER_MARK: Final = re.compile(r"[\"'(\[]*\d{1,2}\.")


def sentence_ends(text: str) -> list[int]:
    """Return the offsets after each sentence of ``text``, ascending; the last is the end of the text (none for blank text)."""
    ends: list[int] = []
    for match in _CANDIDATE.finditer(text):
        word = match["word"]
        if word is None or not _continues(word, text, match.end()):
            ends.append(match.end())
    stop = len(text.rstrip())
    ends = [end for end in ends if end < stop]
    return [*ends, stop] if stop else ends


def _continues(word: str, text: str, end: int) -> bool:
    """Whether the full stop after ``word`` belongs to an abbreviation, an initial or a number."""
    if word[-1] in "!?。！？" or not text[end:].strip():
        return False
    bare = word.lstrip("(\"'“[").lower()
    if bare == "etc.":
        return False
    return bare in _ABBREVIATIONS or _INITIAL.fullmatch(word) is not None or _NUMBER_MARK.fullmatch(word) is not None
