"""Stretches that a cut must not go through: a dose with its drug, route and frequency; a negation with what it negates."""

from __future__ import annotations

import re
from typing import Final

_NUMBER: Final = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:/\d+)?"
_UNIT: Final = (
    r"(?:mcg|µg|μg|ug|mg|g|gm|grams?|kg|ng|ml|mL|l|L|cc|dl|dL|iu|IU|units?|mEq|meq|mmol|mol|mm\s?Hg|puffs?|tab(?:let)?s?|caps?(?:ule)?s?|drops?|gtts?"
    r"|sprays?|patch(?:es)?|tsp|tbsp|joules?|J|Gy|cGy|%|m2|m²|kcal|hours?|hrs?|hr|h|min(?:utes?)?|days?|d|dose)"
)
# Routes, frequencies and forms, with or without full stops (b.i.d., BID, q6h, q 6 hours, every 8 hours, p.o.).
_HOW: Final = (
    r"(?:(?:p\.?\s?o|i\.?v|i\.?m|s\.?c|s\.?q|subq|subcut|i\.?o|i\.?n|s\.?l|p\.?r|n\.?g|b\.?i\.?d|t\.?i\.?d|q\.?i\.?d|q\.?o\.?d|q\.?d|q\.?h\.?s|q\.?a\.?m"
    r"|q\.?p\.?m|h\.?s|a\.?c|p\.?c|p\.?r\.?n|stat|x\s?\d+)\b\.?"
    r"|q\.?\s?\d{1,2}(?:\s?[-–]\s?\d{1,2})?\s?(?:h(?:ou)?rs?|h|d(?:ays?)?|w(?:ee)?ks?|min(?:utes?)?)\b\.?"
    r"|every\s\d{1,2}(?:\s?(?:-|–|to)\s?\d{1,2})?\s(?:hours?|days?|weeks?|minutes?)|every\s(?:other\s)?(?:day|morning|evening|night|week)"
    r"|(?:once|twice|three\stimes|four\stimes|\d\stimes)\s(?:a|per|each)?\s?(?:day|daily|week|weekly)|daily|nightly|weekly|monthly|at\sbedtime"
    r"|as\sneeded|(?:by\smouth|orally|oral|intravenous(?:ly)?|intramuscular(?:ly)?|subcutaneous(?:ly)?|intranasal(?:ly)?|sublingual(?:ly)?|IVP|bolus"
    r"|infusion|nebulized)|over\s\d+\s?(?:min(?:utes?)?|h(?:ou)?rs?)|for\s\d+\s(?:days?|weeks?|doses?)|max(?:imum)?\.?\s\d+(?:\.\d+)?\s?(?:mg|mcg|g|mL))"
)
_DOSE: Final = re.compile(
    rf"(?<![\w.])(?:[A-Za-z][\w-]{{2,30}}[^\S\n]{{1,3}})?{_NUMBER}(?:\s?(?:-|–|to)\s?{_NUMBER})?(?:[^\S\n]|-|\n(?=\w{{2}}))?{_UNIT}(?![\w])"
    rf"(?:\s?/\s?(?:{_NUMBER}\s?)?{_UNIT}(?!\w)){{0,3}}(?:,?\s{{1,3}}{_HOW}(?!\w)){{0,6}}",
    re.IGNORECASE,
)
_CUE: Final = re.compile(
    r"\b(?:no|not|none|denie[sd]|deny(?:ing)?|without|negative\sfor|absen(?:ce\sof|t)|never|neither|nor|free\sof|rule[sd]?\sout|non[eo]\sof|unlikely)\b",
    re.IGNORECASE,
)
# What ends the reach of a negation (the conjunctions and verbs of NegEx, Chapman et al., J Biomed Inform 2001;34:301-310).
_END: Final = re.compile(
    r"[.!?](?=\s|\Z)|[;:]|\n\s*(?:\n|[-*•·]\s)|\b(?:but|however|although|though|except|aside\sfrom|other\sthan|apart\sfrom|yet|which|who|because"
    r"|still|nevertheless|secondary\sto|presents?|reports?|complains?|admits?|has|had|is|was)\b",
    re.IGNORECASE,
)
# An enumeration of what a patient denies can be long; "no" and "not" reach less far, and their end is not always seen.
_LISTING: Final = re.compile(r"den|neg|with|abs|non|free", re.IGNORECASE)
_REACH: Final = 300
_LISTING_REACH: Final = 2000


def doses(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the doses in ``start:end``, half-open, in order, with the word before the number (the drug) and how it is given."""
    return [match.span() for match in _DOSE.finditer(text, start, end)]


def negations(text: str, start: int, end: int) -> list[tuple[int, int, int]]:
    """Return each negation in ``start:end``: where its cue begins, where its cue ends, and where its reach ends; in order, apart."""
    found: list[tuple[int, int, int]] = []
    position = start
    while cue := _CUE.search(text, position, end):
        limit = min(end, cue.end() + (_LISTING_REACH if _LISTING.match(cue.group()) else _REACH))
        stop = _END.search(text, cue.end(), limit)
        position = stop.start() if stop else limit
        found.append((cue.start(), cue.end(), position))
        position = max(position, cue.end())
    return found


def negates(text: str) -> bool:
    """Whether a text holds a word that negates."""
    return _CUE.search(text) is not None
