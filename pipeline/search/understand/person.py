"""Age and sex of the patient that a query speaks of, and what it denies."""

from __future__ import annotations

import re
from typing import Final, Literal

_UNIT: Final = r"(?P<unit>y(?:ea)?rs?|y/?o|y\.o\.?|mo(?:nth)?s?|w(?:ee)?ks?|days?)"
_AGE: Final = re.compile(
    rf"(?<![\w.<>≥≤])(?P<number>\d{{1,3}}(?:\.\d)?)[\s-]*{_UNIT}(?:[\s-]*(?P<old>old|of age))?(?![\w-])"
    r"|\bage[d:]?\s*(?:of\s*)?(?P<plain>\d{1,3})(?![\w-])"
    r"|(?<![\w.])(?P<letter>\d{1,3})\s?/?\s?(?P<sex>[MF])(?![\w/-])",
    re.IGNORECASE,
)
_SAYS_OLD: Final = re.compile(r"y/?o\Z|y\.o", re.IGNORECASE)
_PERSON: Final = re.compile(
    r"[\s,-]*(?:[a-z]+[\s-]){0,2}(?:man|woman|male|female|boy|girl|patient|pt|infant|child|kid|baby|newborn|lady|gentleman|[MF])\b",
    re.IGNORECASE,
)
_IN_YEARS: Final = {"y": 1.0, "m": 1 / 12, "w": 1 / 52, "d": 1 / 365}
_OLDEST: Final = 120
_FEMALE: Final = re.compile(r"\b(?:wom[ae]n|females?|girls?|lady|she|her|pregnan\w*|mother)\b|(?<![\w.])\d{1,3}\s?(?:yo|y/o)?\s?/?F\b")
_MALE: Final = re.compile(r"\b(?:m[ae]n|males?|boys?|gentleman|he|his|him)\b|(?<![\w.])\d{1,3}\s?(?:yo|y/o)?\s?/?M\b")

_CUE: Final = re.compile(
    r"\b(?:no(?!\.|\s+(?:\d|more than|longer|later))|not|without|w/o|denie[sd]|denying|negative for|never|free of|absence of|rule[sd]? out|lacks?|neither|nor|"
    r"does ?n['o]t|did ?n['o]t|has ?n['o]t|isn['’]t|doesn['’]t|didn['’]t)\b",
    re.IGNORECASE,
)
_ENDS: Final = re.compile(r"[,;.:()?!](?!\d)|\b(?:but|however|except|although|with|who|and(?= (?:has|have|is|with|on)\b))\b", re.IGNORECASE)
_REACHED: Final = re.compile(r"\s*(?:\S+\s*){1,6}")  # words that a denial reaches over


def age_years(query: str) -> float | None:
    """Return the patient's age in years, the first one stated; a duration ("for 3 days") and a limit ("≥ 18 years") are none."""
    for match in _AGE.finditer(query):
        number = float(match["number"] or match["plain"] or match["letter"])
        unit = match["unit"]
        is_age = unit is None or match["old"] or _SAYS_OLD.match(unit) or _PERSON.match(query, match.end())
        if is_age and number <= _OLDEST:
            return round(number * _IN_YEARS[(unit or "y")[0].lower()], 3)
    return None


def sex(query: str) -> Literal["male", "female"] | None:
    """Return the patient's sex; ``None`` where the query says none, or both."""
    female, male = _says(_FEMALE, query), _says(_MALE, query)
    if female == male:
        return None
    return "female" if female else "male"


def _says(pattern: re.Pattern[str], query: str) -> bool:
    """Words in any case; single letters after a number in capitals only: "5 m" is a length."""
    lowered = re.sub(r"[A-Z]{2,}|[A-Z](?=[a-z])", lambda match: match[0].lower(), query)
    return pattern.search(lowered) is not None


def negated(query: str) -> tuple[tuple[int, int], ...]:
    """Return the stretches that the query denies, each without its cue: to the clause's end, six words at most."""
    found: list[tuple[int, int]] = []
    for cue in _CUE.finditer(query):
        if found and cue.start() < found[-1][1]:
            continue
        stop = _ENDS.search(query, cue.end())
        reach = _REACHED.match(query, cue.end(), stop.start() if stop else len(query))
        if reach and (text := reach[0].strip()):
            start = query.index(text, cue.end())
            found.append((start, start + len(text)))
    return tuple(found)
