"""What in a query may be an identifier. Only the index knows: ``route`` asks. A dose, an age, a range, a grade or a day never is one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pipeline.search.understand.model import Mention, Scheme
from pipeline.search.understand.numbers import amounts, unit_pattern

_NCT: Final = re.compile(r"(?<![A-Za-z0-9])NCT[\s:#_‐‑–-]{0,3}(\d{8})(?!\d)", re.IGNORECASE)
_UUID: Final = re.compile(r"(?<![\w-])[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![\w-])", re.IGNORECASE)
_FHIR: Final = re.compile(r"(?<![\w/])((?:[A-Z][a-z]+){1,4}/[A-Za-z0-9.-]{1,64})(?![\w/])")
_ICD: Final = re.compile(r"(?<![\w.-])([A-TV-Z]\d[0-9AB])(?:\.?([0-9A-Z]{1,4}))?(?![\w.-]\w|\w)", re.IGNORECASE)
_LOINC: Final = re.compile(r"(?<![\w.-])(\d{1,5}-\d)(?![\w-])")
_SNOMED: Final = re.compile(r"(?<![\w.-])([1-9]\d{5,17})(?![\w-])")
_CODE_NUMBER: Final = re.compile(r"(?<![\w.-])(\d{2,8})(?![\w-])")
_TOKEN: Final = re.compile(r"(?<![\w./-])[A-Za-z0-9]+(?:[-‐‑–_./]{1,2}[A-Za-z0-9]+)*")
_PAIR: Final = re.compile(r"(?<![\w./-])([A-Za-z]{2,15}(?:-[A-Za-z]{3,8})?)[ ](\d{1,4}[A-Za-z]?)(?![\w./%-])")
_PEDIATRIC: Final = re.compile(r"(?<![\w./-])(\d{3,4}(?:\.\d{1,2})?)[ -]?(P)(?![\w-])", re.IGNORECASE)

# "policy 510", "ref. no. 1317.9", "TP 1242-P", "study #301"
_SAYS_SO: Final = re.compile(
    r"(?:\b(?:policy|policies|protocols?|ref(?:erence)?|tp|mcg|guideline|study|trial|number|document|doc|procedure|section|code)\b|\bno\.?|#)"
    r"[\s.:#]*(?:(?:no|num|number|nr|id|ref|policy|protocol)\b[\s.:#]*){0,3}\Z",
    re.IGNORECASE,
)
_SAYS_CODE: Final = {
    Scheme.ICD_10: re.compile(
        r"\b(?:icd[\s-]?(?:10|x)?(?:[\s-]?cm)?|(?:diagnos[ie]s|dx)\s+codes?)[\s:#]*(?:codes?[\s:#]*)?\Z", re.IGNORECASE
    ),
    Scheme.LOINC: re.compile(r"\bloinc[\s:#]*(?:codes?[\s:#]*)?\Z", re.IGNORECASE),
    Scheme.SNOMED: re.compile(r"\bsnomed(?:[\s-]?ct)?[\s:#]*(?:(?:codes?|ids?|concepts?)[\s:#]*)?\Z", re.IGNORECASE),
    Scheme.RXNORM: re.compile(r"\brx(?:norm|cui)[\s:#]*(?:codes?|cui)?[\s:#]*\Z", re.IGNORECASE),
}
_NEVER_AFTER: Final = re.compile(
    r"(?:[<>≤≥=±~]\s*|\b(?:age[ds]?|aged|over|under|above|below|least|most|than|grade|stage|phase|type|class|ecog|cycle|day|week|month|year|visit|arm|cohort"
    r"|version|amendment|page|figure|table|top|level|score|gcs|bp|hr|rr|spo2|sat|dose|exon|vitamin|figs?|step|part|factor|between|up to)[\s:#]+)\Z",
    re.IGNORECASE,
)
_UNIT_AFTER: Final = re.compile(r"\s?-?\s?(?:" + unit_pattern() + r")(?![\w])|\s?[%°/]|\s?(?:-|to|–)\s?\d|\s?:\s?\d", re.IGNORECASE)
_FEW_WORDS: Final = 2  # beside a bare number: "814 death", "510 pediatric destination"; a longer question is about something else
_WORD: Final = re.compile(r"[A-Za-z]{2,}")


def mentions(query: str) -> tuple[Mention, ...]:
    """Return what may be an identifier, in order of place. Two readings of one place may both be there."""
    found: dict[tuple[int, int, tuple[Scheme, ...]], Mention] = {}
    for mention in (*_certain(query), *_codes(query), *_numbers(query)):
        found.setdefault((mention.start, mention.end, mention.schemes), mention)
    nct = [one for one in found.values() if one.schemes == (Scheme.NCT_ID,)]
    kept = [one for one in found.values() if one in nct or not any(one.start < other.end and other.start < one.end for other in nct)]
    return tuple(sorted(kept, key=lambda one: (one.start, -one.end, one.schemes)))


def _certain(query: str) -> Iterator[Mention]:
    """Yield what has a form of its own."""
    for match in _NCT.finditer(query):
        yield Mention((Scheme.NCT_ID,), f"NCT{match[1]}", match.start(), match.end(), said=True, alone=_is_alone(query, match))
    for match in _UUID.finditer(query):
        yield Mention((Scheme.DOCUMENT_ID, Scheme.FHIR_ID), match[0].lower(), match.start(), match.end(), said=True)
    for match in _FHIR.finditer(query):
        yield Mention((Scheme.FHIR_ID,), match[1], match.start(), match.end(), said=True)


def _codes(query: str) -> Iterator[Mention]:
    """Yield codes of terminologies: of ICD-10 with its point, others where a word says so or they stand alone."""
    for match in _ICD.finditer(query):
        category, rest = match[1].upper(), (match[2] or "").upper()
        said, alone = bool(_SAYS_CODE[Scheme.ICD_10].search(query, 0, match.start())), _is_alone(query, match, words=0)
        if said or alone or "." in match[0]:
            value = f"{category}.{rest}" if rest else category
            yield Mention((Scheme.ICD_10,), value, match.start(), match.end(), said=said, alone=alone)
    for scheme, pattern in ((Scheme.LOINC, _LOINC), (Scheme.SNOMED, _SNOMED), (Scheme.RXNORM, _CODE_NUMBER)):
        for match in pattern.finditer(query):
            if _SAYS_CODE[scheme].search(query, 0, match.start()):
                yield Mention((scheme,), match[1], match.start(), match.end(), said=True)
            elif scheme is Scheme.LOINC and _is_alone(query, match, words=0):
                yield Mention((scheme,), match[1], match.start(), match.end(), alone=True)


def _numbers(query: str) -> Iterator[Mention]:
    """Yield numbers of protocols and policies."""
    measured = [(one.start, one.end) for one in amounts(query)]
    for pattern in (_TOKEN, _PAIR, _PEDIATRIC):
        for match in pattern.finditer(query):
            if any(start < match.end() and match.start() < end for start, end in measured):
                continue
            value = match[0] if pattern is not _PEDIATRIC else f"{match[1]}-P"
            if not any(sign.isdigit() for sign in value) or _NCT.fullmatch(value):
                continue
            said = bool(_SAYS_SO.search(query, 0, match.start()))
            if not said and (_is_a_quantity(query, match) or (pattern is _PAIR and _NEVER_AFTER.search(query, 0, match.start(2)))):
                continue
            schemes = (Scheme.PROTOCOL_NUMBER,) if pattern is _PAIR else (Scheme.PROTOCOL_NUMBER, Scheme.REFERENCE_NUMBER)
            yield Mention(schemes, value, match.start(), match.end(), said=said, alone=_is_alone(query, match))


def _is_a_quantity(query: str, match: re.Match[str]) -> bool:
    """Whether signs around a number say that it measures or counts something."""
    if any(sign.isalpha() for sign in match[0]) and not re.fullmatch(r"\d+(?:[.-]\d+)?[A-Za-z]+", match[0]):
        return False
    glued = re.fullmatch(r"(\d[\d.,-]*)([A-Za-z]+)", match[0])
    if glued and _UNIT_AFTER.fullmatch(glued[2]):
        return True
    return bool(_NEVER_AFTER.search(query, 0, match.start()) or _UNIT_AFTER.match(query, match.end()))


def _is_alone(query: str, match: re.Match[str], *, words: int = _FEW_WORDS) -> bool:
    rest = query[: match.start()] + " " + query[match.end() :]
    return len(_WORD.findall(rest)) <= words
