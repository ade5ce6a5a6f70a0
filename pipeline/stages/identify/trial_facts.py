"""Facts of trial documents out of the evidence: protocol number, amendment, version, the document's date, and its registrations."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pipeline.stages.identify.evidence import LOOK_BACK, Evidence, Place, Stretch
from pipeline.stages.identify.facts import Fact, FactScheme, extracted
from pipeline.stages.identify.registrations import OTHER_TRIAL, registrations
from pipeline.stages.identify.shapes import DATE_VALUE, NUMBER_VALUE, PROTOCOL_VALUE, is_compound, iso_date, protocol_number

_NUMBER_WORD: Final = r"(?:Number|Num\b\.?|No\b\.?|Nr\b\.?|ID\b|Identifier|Identification(?: Number)?|Code|#)(?:\(s\)|s\b)?(?: \(s\))?"
#: A row of a table whose columns have no names is written "label | value".
_AFTER_LABEL: Final = r"[ \n]?[:#-]?(?: ?\|)?[ \n]{0,2}"
#: Labels of the sponsor's number by how much they prove; a token in running headers of two pages and more adds to its own.
_PROTOCOL_LABELS: Final = (
    (6, rf"(?i:\b(?:clinical )?(?:study |trial |sponsor(?:'s)? )?protocol (?:{_NUMBER_WORD}))"),
    (5, rf"(?i:\b(?:sponsor(?:'s)? )?(?:study|trial) (?:{_NUMBER_WORD}))"),
    (4, r"(?i:\b(?:clinical )?(?:study |trial )?protocol\b ?:)"),
    (3, r"(?i:\b(?:clinical )?(?:study |trial )?protocol\b)"),
    (2, r"(?i:\bstatistical analysis plan\b(?: for| of)?)"),
    (2, r"(?i:\b(?:clinical )?(?:study|trial)\b ?:?)"),
)
_LABELLED: Final = tuple(
    (weight, re.compile(label + _AFTER_LABEL + rf"(?P<value>{PROTOCOL_VALUE})(?!\w)")) for weight, label in _PROTOCOL_LABELS
)
#: Headers that begin with the number: "X12-345 Protocol Amendment 2", "X12-345 - Statistical Analysis Plan".
_BEFORE: Final = re.compile(
    rf"(?<![\w-])(?P<value>{PROTOCOL_VALUE})(?:\([a-z]\))?(?:,)?[ -]{{1,3}}(?i:(?:clinical |study |[a-z]{{1,12}} [a-z]{{1,14}} )?protocol|statistical analysis plan|version (?:number|no|\d+))\b"
)
_ALONE: Final = re.compile(rf"(?m)^(?P<value>{PROTOCOL_VALUE})(?:\([a-z]\))?$")
_WEIGHT_BEFORE: Final = 2
_WEIGHT_ALONE: Final = 1
_WEIGHT_HEADER: Final = 2  # added where the token stands in the running headers of two pages

_AMENDED: Final = r"(?P<value>\d{1,2}(?:\.\d{1,2})?|[IVX]{1,4}|[a-zA-Z])(?![\w.]*\w)"
_AMENDMENT_LABEL: Final = re.compile(rf"(?i:\bamendment (?:number|no\b\.?|#|version))[ \n]?:?(?: ?\|)?[ \n]{{0,2}}{_AMENDED}")
#: One sponsor's title pages: "PROTOCOL/AMENDMENT NO.: 189-04" is amendment 4 of protocol 189, and -00 the original.
_AMENDMENT_OF_PROTOCOL: Final = re.compile(r"(?i)\bprotocol/amendment no\b\.?[ ]?:?[ ]?[\w-]{1,12}-(?P<value>\d\d)\b")
_AMENDMENT: Final = re.compile(r"(?i:\bamendment)[ \n]?[:#]?[ \n]?(?P<value>\d{1,2}(?:\.\d{1,2})?|[IVX]{1,4})(?![\w.-]*\w)")
_AMENDMENT_SUFFIX: Final = rf"{PROTOCOL_VALUE}\((?P<value>[a-z])\)"
_ROMAN: Final = {roman: str(number) for number, roman in enumerate(["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X"], 1)}

_VERSION: Final = re.compile(
    rf"(?i:\b(?:version|edition)(?: (?:number|no\b\.?|#))?[ \n]?:?(?: ?\|)?[ \n]{{0,2}}|(?<![\w.])v(?:er)?\.? ?(?=\d))(?P<value>{NUMBER_VALUE})(?![\w.]*\w)"
)
_VERSION_OF_ANOTHER: Final = re.compile(
    r"(?i)\b(?:template|CTCAE|terminology criteria|MedDRA|RECIST|dictionary|SDTM|CDISC|ADaM|ICD|form|guidance|SAS|WHODrug|DSM|AJCC|EQ-5D|NCCN|software)\b[^\n]*\Z"
)

_DATE_LABEL: Final = re.compile(
    r"(?i:\b(?:(?:document|protocol|version|approval|issue|release|amendment|SAP|final|effective|revision|edition)(?: \w+)? )?date(?: of (?:protocol|document|issue|approval|amendment|version|this version))?"
    r"(?: \([^()\n]{0,80}\))?(?:[ \n]?:| ?\|)(?: ?\|)?[ \n]{0,2}(?:(?:SAP |protocol )?version \d[\d.]{0,4} ?[:,-]? ?)?)(?i:"
    + DATE_VALUE
    + ")"
)
_DATED: Final = re.compile(
    r"(?i:\b(?:version|amendment|edition|protocol|analysis plan|SAP)\b[^\n]{0,30}?[ ,\n(-]{1,3})(?i:(?<![\w.-])" + DATE_VALUE + ")"
)


@dataclass(frozen=True, slots=True)
class _Found:
    value: str
    weight: int
    page: int | None


def trial_facts(evidence: Evidence) -> tuple[Fact, ...]:
    """Return the facts of a protocol or analysis plan."""
    stretches = evidence.stretches()
    single = (_protocol_number(stretches), _amendment(stretches), _version(stretches), _document_date(stretches))
    facts = [fact for fact in single if fact is not None]
    return (*facts, *registrations(stretches))


def _candidates(stretch: Stretch) -> Iterator[_Found]:
    """Yield the tokens that may be the sponsor's number, with the weight of what stands beside them."""
    strict = bool(stretch.lines) and stretch.lines[0].place is Place.OPENING
    for weight, pattern in _LABELLED:
        if strict and weight < 5:
            break  # in the body only a full label proves, and only at the beginning of a line: a row of the synopsis
        for match in pattern.finditer(stretch.text):
            before = stretch.before(match.start(), LOOK_BACK)
            if (strict and before) or OTHER_TRIAL.search(before):
                continue
            if value := protocol_number(match["value"]):
                yield _Found(value, weight, stretch.line_at(match.start("value")).page)
    if strict:
        return
    for weight, pattern in ((_WEIGHT_BEFORE, _BEFORE), (_WEIGHT_ALONE, _ALONE)):
        for match in pattern.finditer(stretch.text):
            value = protocol_number(match["value"])
            if value and any(one.isalpha() for one in value):
                yield _Found(value, weight, stretch.line_at(match.start()).page)


def _protocol_number(stretches: tuple[Stretch, ...]) -> Fact | None:
    """Return the token with the best label; of equals that which more running headers repeat, then the first."""
    found = [one for stretch in stretches for one in _candidates(stretch) if not (one.weight < 5 and is_compound(one.value))]
    if not found:
        return None
    headers = next((one for one in stretches if one.lines and one.lines[0].place is Place.FURNITURE), None)
    repeated = Counter[str]()
    if headers is not None:
        for value in {one.value for one in found}:
            repeated[value] = len({line.page for line in headers.lines if value in line.text})
    best = max(found, key=lambda one: (one.weight + (_WEIGHT_HEADER if repeated[one.value] > 1 else 0), repeated[one.value]))
    return extracted(FactScheme.PROTOCOL_NUMBER, best.value, best.page)


def _amendment_value(raw: str) -> str | None:
    if raw in _ROMAN:
        return _ROMAN[raw]
    return raw if raw[0].isdigit() else (raw.lower() if len(raw) == 1 else None)


def _amendment(stretches: tuple[Stretch, ...]) -> Fact | None:
    """Return a labelled amendment, else that of the headers, else the highest of the title page, which may list those before it."""
    head, furniture, opening = stretches
    for stretch in (head, furniture):
        for match in _AMENDMENT_LABEL.finditer(stretch.text):
            if value := _amendment_value(match["value"]):
                return extracted(FactScheme.AMENDMENT, value, stretch.line_at(match.start()).page)
        joined = _AMENDMENT_OF_PROTOCOL.search(stretch.text)
        if joined and int(joined["value"]):
            return extracted(FactScheme.AMENDMENT, str(int(joined["value"])), stretch.line_at(joined.start()).page)
    for stretch in (furniture, head):
        found = [(match, _amendment_value(match["value"])) for match in _AMENDMENT.finditer(stretch.text)]
        numbered = [(float(value), -match.start(), match, value) for match, value in found if value]
        if numbered:
            _, _, match, value = max(numbered, key=lambda one: one[:2])
            return extracted(FactScheme.AMENDMENT, value, stretch.line_at(match.start()).page)
    for stretch in (head, furniture):
        for match in re.finditer(_AMENDMENT_SUFFIX, stretch.text):
            if protocol_number(match[0][:-3]):
                return extracted(FactScheme.AMENDMENT, match["value"], stretch.line_at(match.start()).page)
    return _synopsis_amendment(opening)


def _synopsis_amendment(opening: Stretch) -> Fact | None:
    for match in _AMENDMENT_LABEL.finditer(opening.text):
        if not opening.before(match.start(), LOOK_BACK) and (value := _amendment_value(match["value"])):
            return extracted(FactScheme.AMENDMENT, value, opening.line_at(match.start()).page)
    return None


def _version(stretches: tuple[Stretch, ...]) -> Fact | None:
    """Return the version that title page or headers state; one of a template, a dictionary or a scale is not the document's."""
    for stretch in stretches[:2]:
        for match in _VERSION.finditer(stretch.text):
            if not _VERSION_OF_ANOTHER.search(stretch.before(match.start(), 2 * LOOK_BACK)):
                return extracted(FactScheme.VERSION, match["value"], stretch.line_at(match.start()).page)
    return None


def _document_date(stretches: tuple[Stretch, ...]) -> Fact | None:
    """Return the labelled date, else the one beside version or amendment in headers, then on the title page."""
    head, furniture, _ = stretches
    for stretch, pattern in ((head, _DATE_LABEL), (furniture, _DATE_LABEL), (furniture, _DATED), (head, _DATED)):
        for match in pattern.finditer(stretch.text):
            if value := iso_date(match, us_order=False):
                return extracted(FactScheme.DOCUMENT_DATE, value, stretch.line_at(match.start()).page)
    return None
