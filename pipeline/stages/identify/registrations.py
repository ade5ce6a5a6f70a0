"""Registrations of a trial out of the evidence: NCT ids, its own and others', European numbers, American applications."""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import Final

from pipeline.stages.identify.evidence import LOOK_BACK, Place, Stretch
from pipeline.stages.identify.facts import Fact, FactScheme, extracted

#: What says that a number after it is of another trial.
OTHER_TRIAL: Final = re.compile(
    r"(?i)\b(?:parent|companion|extension|related|previous|prior|lead-in|feeder|qualifying|rollover|sister|other|reference|compared? (?:to|with)|(?:in|from|of|see|unlike) (?:the )?(?:study|trial))\b[^\n]*\Z"
)

_NCT: Final = re.compile(r"(?i:\bNCT)[ :#-]{0,2}(?P<digits>\d(?:\d|[ \n](?=\d)){7,8})(?!\d)")
_NCT_LABEL: Final = re.compile(
    r"(?i)(?:\b(?:NCT|ClinicalTrials\.gov|clinical ?trials? gov|registry|registration|regulatory agency|trial register)\b[^\n:]{0,40}[:#]?|\bidentifier(?: \w+)?\(?s?\)? ?:?) ?\Z"
)
_EU: Final = re.compile(r"(?<![\d-])(20\d\d-\d{6}-\d\d(?:-\d\d)?)(?![\d-])")
_EU_LABEL: Final = re.compile(r"(?i)\b(?:EudraCT|EU ?CT|EU (?:trial|CTR)|European Clinical Trials)\b")
_IND: Final = re.compile(
    r"\b(?:US )?IND(?i:(?: application)?(?: number| no\b\.?| #)?)(?: ?\(FDA\))?[:# |]{0,3}(?P<value>\d{2,3},\d{3}|\d{4,6})(?![\d,-])"
)
#: In the body a row of the synopsis is own, a sentence is not.
_NCT_ROW: Final = re.compile(
    r"(?i)(?:(?:study|trial) )?(?:NCT|ClinicalTrials\.gov|clinical ?trials? registr\w+|regist(?:ry|ration))\b[^\n:|.;]{0,40}[:|#]? ?\Z"
)
_REFERENCES: Final = re.compile(r"(?im)^(?:\d{1,2}(?:\.\d)*\.? )?(?:references|bibliography|literature cited)$")
#: Other trials' registrations are kept to show that they were seen and are not its own; more than these say nothing.
_MOST_OTHER: Final = 20


class _Whose(Enum):
    OWN = auto()
    BARE = auto()  # alone in a line of the title page: own, where there is but one
    OTHER = auto()


def registrations(stretches: tuple[Stretch, ...]) -> list[Fact]:
    """Return NCT ids, European numbers and IND numbers; ``stretches`` are head, furniture and opening."""
    return [*_nct_ids(stretches), *_european(stretches), *_investigational(stretches)]


def _nct_ids(stretches: tuple[Stretch, ...]) -> list[Fact]:
    """Return ids that a label, a line of its own on the title page or a running header gives as own, then others as not own."""
    found: dict[_Whose, dict[str, int | None]] = {whose: {} for whose in _Whose}
    for stretch in stretches:
        references = _REFERENCES.search(stretch.text)
        listed = references.start() if references else len(stretch.text)
        for match in _NCT.finditer(stretch.text):
            digits = "".join(match["digits"].split())
            if len(digits) == 8:
                found[_whose(stretch, match, listed)].setdefault(f"NCT{digits}", stretch.line_at(match.start()).page)
    own = found[_Whose.OWN]
    if not own and len(found[_Whose.BARE]) == 1:
        own = found[_Whose.BARE]
    others = {value: page for value, page in {**found[_Whose.OTHER], **found[_Whose.BARE]}.items() if value not in own}
    return [
        *(extracted(FactScheme.NCT_ID, value, page) for value, page in own.items()),
        *(extracted(FactScheme.NCT_ID, value, page, own=False) for value, page in list(others.items())[:_MOST_OTHER]),
    ]


def _whose(stretch: Stretch, match: re.Match[str], listed: int) -> _Whose:
    """Tell whose an id is; from ``listed`` on the text is a list of references."""
    line = stretch.line_at(match.start())
    before = stretch.before(match.start(), 2 * LOOK_BACK)
    if OTHER_TRIAL.search(before):
        return _Whose.OTHER
    if line.place is Place.FURNITURE:
        return _Whose.OWN
    above = stretch.text[max(0, match.start() - LOOK_BACK) : match.start()].rstrip("\n").rpartition("\n")[2]
    if line.place is Place.OPENING:
        is_row = _NCT_ROW.match(before or above) is not None and match.start() < listed
        return _Whose.OWN if is_row else _Whose.OTHER
    if _NCT_LABEL.search((before or above).rstrip(" |")):
        return _Whose.OWN
    return _Whose.BARE if len(line.text) <= len(match[0]) + 2 else _Whose.OTHER


def _european(stretches: tuple[Stretch, ...]) -> list[Fact]:
    found: dict[str, int | None] = {}
    for stretch in stretches[:2]:
        for match in _EU.finditer(stretch.text):
            near = stretch.text[max(0, match.start() - 2 * LOOK_BACK) : match.start()]
            if _EU_LABEL.search(near) and not OTHER_TRIAL.search(stretch.before(match.start(), LOOK_BACK)):
                found.setdefault(match[1], stretch.line_at(match.start()).page)
    return [extracted(FactScheme.EU_NUMBER, value, page) for value, page in found.items()]


def _investigational(stretches: tuple[Stretch, ...]) -> list[Fact]:
    found: dict[str, int | None] = {}
    for stretch in stretches[:2]:
        for match in _IND.finditer(stretch.text):
            found.setdefault(match["value"].replace(",", ""), stretch.line_at(match.start()).page)
    return [extracted(FactScheme.IND_NUMBER, value, page) for value, page in found.items()]
