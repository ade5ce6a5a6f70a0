"""Rules that turn a criterion around: in goes a line of an eligibility text, out come the line in the opposite sense and a query for the first.

The query never repeats the line: it asks for the sense in other words, as a person would (``HER2+`` for ``HER2-positive``, ``never had`` for
``no prior``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

_SUBJECT_WORDS: Final = 8  # of a line that a query takes up: a person asks for a thing, not for a paragraph


@dataclass(frozen=True, slots=True)
class Flip:
    """A criterion turned around."""

    rule: str
    line: str  # as it stands
    flipped: str  # in the opposite sense
    query: str  # asks for ``line``


Make = Callable[[re.Match[str], str, str], tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to turn a line around: where the pattern is found, ``make`` returns the replacement and the query."""

    name: str
    pattern: re.Pattern[str]
    make: Make


def flips_of(line: str, condition: str) -> Iterator[Flip]:
    """Yield the line turned around by each rule that fits it.

    Args:
        line: One criterion.
        condition: What its study is about, for the query.
    """
    for rule in RULES:
        match = rule.pattern.search(line)
        if match:
            replacement, query = rule.make(match, line, condition)
            flipped = line[: match.start()] + replacement + line[match.end() :]
            if flipped != line:
                yield Flip(rule.name, line, flipped, " ".join(query.split()))


def _marker(match: re.Match[str], _: str, condition: str) -> tuple[str, str]:
    positive = match["sign"].lower() == "positive"
    about = re.sub(
        rf"\b{re.escape(match['name'])}[- ](positive|negative)\b", "", condition, flags=re.IGNORECASE
    )  # else it gives the answer away
    return f"{match['name']}{match['gap']}{'negative' if positive else 'positive'}", f"{match['name']}{'+' if positive else '-'} {about}"


def _prior(match: re.Match[str], _: str, condition: str) -> tuple[str, str]:
    what = match["what"]
    if match["no"]:
        return f"{match['word'].capitalize()} {what}", f"{condition}, never had {what}"
    return f"No {match['word'].lower()} {what}", f"{condition}, already treated with {what}"


_OPPOSITE: Final = {
    ">=": "<",
    "≥": "<",
    "at least": "less than",
    "above": "below",
    ">": "<=",
    "<=": ">",
    "≤": ">",
    "no more than": "more than",
    "below": "above",
    "<": ">=",
}
_LOW: Final = ("<=", "≤", "no more than", "below", "<")


def _compared(match: re.Match[str], line: str, _: str) -> tuple[str, str]:
    sign = match["sign"].lower()
    subject = " ".join(line[: match.start()].strip(" *-•\t\\").split("(")[0].split()[-_SUBJECT_WORDS:])
    sense = "lower than" if sign in _LOW else "higher than"
    return f"{_OPPOSITE[sign]}{match['gap']}{match['number']}", f"{subject} {sense} {match['number']} {match['unit'] or ''}"


def _pregnant(match: re.Match[str], _: str, condition: str) -> tuple[str, str]:
    if match["no"]:
        return match["word"], f"{condition} women who are not expecting a child"
    return f"not {match['word']}", f"{condition} women who are expecting a child"


def _cohort(match: re.Match[str], _: str, condition: str) -> tuple[str, str]:
    other = {"A": "B", "B": "A", "1": "2", "2": "1"}[match["number"]]
    return f"{match['group']} {other}", f"who may enter {match['group'].lower()} {match['number']}, {condition}"


RULES: Final = (
    Rule(
        "marker",
        re.compile(
            r"\b(?P<name>HER2|HR|ER|HIV|PD-L1|BRAF V600E|e-antigen|Epstein-Barr virus IgG)(?P<gap>[- ])(?P<sign>positive|negative)\b", re.I
        ),
        _marker,
    ),
    Rule(
        "prior",
        re.compile(r"\b(?P<no>no )?(?P<word>prior|previous|earlier) (?P<what>(?!to\b)[a-z][\w-]+(?: [a-z][\w-]+){0,3})", re.I),
        _prior,
    ),
    Rule(
        "comparison",
        re.compile(
            r"(?P<sign>[<>]=?|≥|≤|at least|no more than|above|below)(?P<gap>\s*)(?P<number>\d[\d.,]*)(?=\s?(?P<unit>[%a-zA-Z/]{1,8})?)",
            re.I,
        ),
        _compared,
    ),
    Rule("pregnancy", re.compile(r"\b(?P<no>not )?(?P<word>pregnant)\b", re.I), _pregnant),
    Rule("cohort", re.compile(r"\b(?P<group>Cohort|Part|Arm) (?P<number>[AB12])\b", re.I), _cohort),
)
