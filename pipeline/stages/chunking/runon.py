"""Finds where a mirror lost the line breaks of a list: "1. … 2. … 3. …" on one line, or a header in the middle of one."""

from __future__ import annotations

import itertools
import re
from typing import Final

_HEADER: Final = re.compile(
    r"(?<=[\w.,;:)%])[ \t]+(?=(?:(?:Key|Main|Major)\s)?(?P<polarity>Inclusion|Exclusion|INCLUSION|EXCLUSION)\s+(?:Criteria|CRITERIA)\b"
    r"(?P<tail>[^:\n]{0,60}):)"
)
# "… of the form. Part B Exclusion Criteria A subject is …": a title between two sentences.
_TITLE: Final = re.compile(
    r"(?<=[.;)])[ \t]+(?=(?P<title>(?:[A-Z][\w-]*[ \t]){0,3}(?:Inclusion|Exclusion|INCLUSION|EXCLUSION)[ \t](?:Criteria|CRITERIA))[ \t]+[A-Z])"
)
_SPEAKS_OF: Final = frozenset(
    [
        "the",
        "any",
        "following",
        "meet",
        "meets",
        "see",
        "of",
        "no",
        "all",
        "these",
        "those",
        "other",
        "and",
        "or",
        "to",
        "per",
        "under",
        "in",
        "key",
        "main",
        "major",
        "additional",
        "general",
    ]
)
_NUMBER: Final = re.compile(r"(?<![^\s:])(?P<value>\d{1,2})[.)](?=\s|[A-Za-z])\s*(?=(?P<next>\S))")
_BULLET: Final = re.compile(r"(?<=\S)[ \t]*(?=[•▪●◦■][ \t]*\w)")
_OPERATORS: Final = re.compile(
    r"(?:[<>≤≥=±~-]|\b(?:than|to|or|and|least|most|of|below|above|week|day|grade|stage|step|part|cohort|arm|phase))\s*\Z", re.IGNORECASE
)
_MIN_ITEMS: Final = 2
_MIN_WORDS_BEFORE: Final = 3  # fewer may be the header's own: "Healthy volunteers Inclusion Criteria:"
_READ_BACK: Final = 200
_LOOK_BACK: Final = 12


def lost_breaks(text: str) -> list[int]:
    """Return the offsets at which a line break is missing, ascending."""
    headers = _lost_headers(text)
    breaks = list(headers)
    numbers_at_line_start = {match.group(1) for match in re.finditer(r"^[ \t*•-]{0,40}(\d{1,2})[.)]", text, re.MULTILINE)}
    cuts = sorted({0, len(text), *headers, *(match.end() for match in re.finditer("\n", text))})
    for start, end in itertools.pairwise(cuts):
        if "2" not in numbers_at_line_start:
            breaks += _numbered(text, start, end)
        bullets = [match.end() for match in _BULLET.finditer(text, start, end)]
        if len(bullets) >= _MIN_ITEMS or (bullets and text[start:end].lstrip()[:1] == text[bullets[0]]):
            breaks += bullets
    return sorted(breaks)


def _lost_headers(text: str) -> list[int]:
    """Headers inside a line: after the end of a phrase in small letters, or of a polarity that no line begins with."""
    found: list[int] = []
    for match in _HEADER.finditer(text):
        before = text[max(text.rfind("\n", 0, match.start()) + 1, match.start() - _READ_BACK) : match.start()].split()
        if not before or before[-1].lower().strip("(),.") in _SPEAKS_OF:
            continue
        ends_phrase = len(before) >= _MIN_WORDS_BEFORE and (before[-1][0].islower() or before[-1][-1] in ".;)")
        first = not match["tail"].strip() and not re.search(
            rf"^\W*(?:\w+\W+){{0,3}}{match['polarity']}\s+criteria", text, re.IGNORECASE | re.MULTILINE
        )
        if ends_phrase or first:
            found.append(match.end())
    for match in _TITLE.finditer(text):
        found += (match.end(), match.end("title"))
    return found


def _numbered(text: str, start: int, end: int) -> list[int]:
    """Return where items 1, 2, 3 … begin on one line, if they come in order; a number before a number opens no item."""
    candidates = [(match.start(), int(match["value"]), not match["next"].isdigit()) for match in _NUMBER.finditer(text, start, end)]
    sound = [
        (offset, value, wordy)
        for offset, value, wordy in candidates
        if not _OPERATORS.search(text[max(start, offset - _LOOK_BACK) : offset])
    ]
    run: list[int] = []
    position = 0
    while position < len(sound):
        wanted = len(run) + 1
        later = [index for index in range(position, len(sound)) if sound[index][1] == wanted]
        chosen = next((index for index in later if sound[index][2]), None)
        if chosen is None and later and any(value == wanted + 1 for _, value, _ in sound[later[0] + 1 :]):
            chosen = later[0]  # an item may begin with a number where the list goes on after it
        if chosen is None:
            break
        run.append(sound[chosen][0])
        position = chosen + 1
    return run if len(run) >= _MIN_ITEMS else []
