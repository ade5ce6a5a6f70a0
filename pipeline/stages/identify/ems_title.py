"""The title of an EMS protocol or policy: the subject of its header, which may be text, running header, or both."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pipeline.stages.identify.evidence import DANGLING, Evidence, Line

_MOST_LINES: Final = 5  # of a subject

_LABEL: Final = re.compile(
    r"(?i)\b(?:(?:policy |protocol |procedure )?(?:subject|title)|treatment (?:protocol|guideline)|medical control guideline|(?:medical )?procedure|field reference)\s*:\s*(?P<rest>.*)"
)
#: What ends a title in the line that holds it, or in a line after.
_STOP: Final = re.compile(
    r"(?:(?i:\b(?:effective|revised|supersedes|issued|approved|last revis\w+|review date)\b(?: date)?\s*:?\s*(?=\d|$)|\beffective date\b|\bpage:? \d+ of|\bbase hospital contact\b|_{5,})"
    r"|\b(?:PURPOSE|PRINCIPLES?|DEFINITIONS?|AUTHORITY|POLICY|INDICATIONS?|PROCEDURES?|GUIDELINES?|INTRODUCTION)\s?:|\b(?:EFFECTIVE|REVISED|SUPERSEDES)\b)"
)
_REFERENCE: Final = re.compile(r"(?i)\b(?:reference|ref\.?|policy|protocol)\s*(?:(?:no\.?|number|#)\s*:?\s*[\w.-]+|\d[\w.-]*)")
#: Whom an EMS policy addresses stands in brackets in its header.
_AUDIENCE: Final = re.compile(
    r"\((?:[A-Z/,1I \-]|EMTs?)*\b(?:EMT|EMT-1|EMT-I|PARAMEDICS?|MICN|HOSPITALS?|DISPATCH|BASE|ALL|PUBLIC)\b[A-Z/,1I \-]*\)"
)
#: A line of capitals that is a heading, not the second line of a title.
_HEADING_LINE: Final = re.compile(
    r"(?:PURPOSE|PRINCIPLES?|DEFINITIONS?|AUTHORITY|POLICY|INDICATIONS?|PROCEDURES?|INTRODUCTION|OVERVIEW|ADULT|PEDIATRIC|STEP \d.*)"
)


def ems_title(evidence: Evidence) -> str:
    """Return the subject, or an empty string."""
    furniture = [line for line in evidence.furniture if line.page in (None, 1)]
    first = [line for line in evidence.head if line.page in (None, 1)]
    for lines in (furniture, first):
        for index, line in enumerate(lines):
            if match := _LABEL.search(line.text):
                title = _subject(match["rest"], lines[index + 1 : index + _MOST_LINES])
                if lines is furniture and DANGLING.search(title):  # a header on page 1 that ends where the text begins
                    title = _subject(title, first[:2])
                if len(title) > 1:
                    return title
    return ""


def _subject(rest: str, after: Sequence[Line]) -> str:
    """Join the label's line and the lines after it that go on in capitals: headings among them are all of one level."""
    title, ended = _part(rest)
    capitals = title == title.upper()
    level = 0
    parts = [title]
    numbered = _REFERENCE.search(rest) is not None
    for line in () if ended else after:
        if _REFERENCE.search(line.text):
            if numbered:  # the header's own number came before: this one is of another document
                break
            numbered = True
        part, ended = _part(line.text)
        other_size = 0 < level != line.level > 0
        if part and ("; " in line.text or other_size or not _goes_on(part, capitals=capitals)):
            break
        level = level or line.level
        parts.append(part)
        if ended:
            break
    return " ".join(part for part in parts if part)


def _part(text: str) -> tuple[str, bool]:
    """Return a line's share of the title, and whether the title ends in it."""
    cell, _, others = text.partition("; ")  # the header of a table
    plain = _REFERENCE.sub(" ", _AUDIENCE.sub(" ", cell)).strip()
    stop = _STOP.search(plain)
    return (plain[: stop.start()].strip(), True) if stop else (plain, bool(others))


def _goes_on(text: str, *, capitals: bool) -> bool:
    """Whether a line continues a title in capitals: a paragraph, a list item or a heading with a colon does not."""
    if text.startswith("(") and text.endswith(")"):
        return True
    return (
        capitals
        and text == text.upper()
        and any(one.isalpha() for one in text)
        and not text[0].isdigit()
        and not text.endswith((":", "."))
        and not _HEADING_LINE.fullmatch(text)
    )
