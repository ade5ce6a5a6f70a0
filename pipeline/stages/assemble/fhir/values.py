"""Values of FHIR's data types in, words out: every digit as printed, a code beside its display, nothing where there is nothing."""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import Final

from pipeline.stages.assemble.fhir.codes import codings, vocabulary

_UCUM: Final = "http://unitsofmeasure.org"
#: UCUM's codes that nobody reads as what they mean, where a quantity says no unit beside them.
_TIMES: Final = {"a": "years", "mo": "months", "wk": "weeks", "d": "days"}
# Safe Harbor: all ages over 89 are one (45 CFR 164.514(b)(2)(i)(C)). A quantity of years or months may be an age wherever it stands.
_OLDEST_AGE: Final = 89
_YEARS: Final = {"a": 1, "y": 1, "yr": 1, "yrs": 1, "year": 1, "years": 1, "mo": 12, "month": 12, "months": 12}
# Shorter ones are never taken for a number of a person.
_LONG_NUMBER: Final = re.compile(r"[-+]?(?=(?:\.?\d){5})\d+(?:\.\d+)?(?:[eE][-+]?\d+)?\Z", re.ASCII)
_YEAR_MONTH: Final = re.compile(r"(\d{4})-(0[1-9]|1[0-2])\Z", re.ASCII)


def text_of(value: object) -> str:
    """Return a string or a number as printed; ``True`` as "yes"; nothing for what is neither."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(value.split()) if isinstance(value, str) else ""


def prose(value: object) -> str:
    """Return what people wrote, its lines kept and its blanks made one."""
    return "\n".join(line for raw in (value if isinstance(value, str) else "").splitlines() if (line := " ".join(raw.split())))


def items(value: object) -> list[Mapping[str, object]]:
    """Return the objects of a list, or the one object that stands where a list may."""
    return [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, Mapping)]


def strings(value: object) -> list[str]:
    """Return the strings of a list, or the one string that stands where a list may."""
    return [text for one in (value if isinstance(value, list) else [value]) if (text := text_of(one))]


def joined(parts: Iterable[str], by: str = "; ") -> str:
    """Join what there is, each once, in order."""
    return by.join(dict.fromkeys(part for part in parts if part))


def name_of(concept: object) -> str:
    """Return a concept's own text, else the first display, else its first code: what people call it."""
    if isinstance(concept, Mapping) and isinstance(inner := concept.get("concept"), Mapping):
        concept = inner
    if not isinstance(concept, Mapping):
        return ""
    found = list(codings(concept))
    displays = [text_of(one.get("display")) for one in found]
    return text_of(concept.get("text")) or next((each for each in displays if each), "") or next(map(_code, found), "")


def concept_text(concept: object) -> str:
    """Return a concept with its codes: "Essential hypertension (SNOMED 59621000; ICD-10-CM I10)"."""
    name = name_of(concept)
    said = [_said(coding, name) for coding in codings(concept)]
    codes = joined(one for one in said if one not in ("", name))
    return f"{name} ({codes})" if name and codes else name


def concepts_text(concepts: object) -> str:
    """Return a list of concepts, or one."""
    return joined(map(concept_text, items(concepts)))


def code_line(concept: object) -> str:
    """Return the codings of a concept whose name stands elsewhere: "Hemoglobin A1c in Blood (LOINC 4548-4)", or nothing."""
    name = name_of(concept)
    return joined(one for one in (_said(coding, name) for coding in codings(concept)) if one not in ("", name))


def _said(coding: Mapping[str, object], name: str) -> str:
    """Return the code of a known vocabulary, behind its display where that is another than the name; of others the display alone."""
    display, code = text_of(coding.get("display")), _code(coding) if vocabulary(coding.get("system")) else ""
    other = display if display.casefold() != name.casefold() else ""
    return f"{other} ({code})" if other and code else other or code


def _code(coding: Mapping[str, object]) -> str:
    """Return "LOINC 4548-4"; of a vocabulary that is not known the code alone."""
    code = text_of(coding.get("code"))
    system = vocabulary(coding.get("system"))
    return f"{system} {code}" if system and code else code


def quantity(value: object) -> str:
    """Return a Quantity, an Age or a Duration: "<2.0 mg/dL", and the UCUM code where the unit is called otherwise."""
    if not isinstance(value, Mapping):
        return ""
    number = text_of(value.get("value"))
    unit, code = text_of(value.get("unit")), text_of(value.get("code"))
    if not number:
        return ""
    if _is_oldest(number, unit, code):
        return f"{_OLDEST_AGE + 1}+ years"
    ucum = code if value.get("system") == _UCUM else ""
    shown = unit if unit and unit != ucum else _TIMES.get(ucum, unit or code)
    more = f" [{ucum}]" if ucum and unit and ucum != unit and ucum.strip("{}[]") != unit else ""
    return joined((f"{text_of(value.get('comparator'))}{number}", shown), " ") + more


def measures_of(value: object) -> Iterator[str]:
    """Yield amounts anywhere in a value that have the digits of a record's number or a telephone's, as they are shown."""
    if isinstance(value, list):
        for one in value:
            yield from measures_of(one)
    elif isinstance(value, Mapping):
        for name in ("value", "valueInteger"):
            number = value.get(name)
            if isinstance(number, str) and _LONG_NUMBER.match(number):
                yield joined((number, text_of(value.get("unit")) or text_of(value.get("code"))), " ")
        low = value.get("low")
        if isinstance(low, Mapping):  # a range shows the unit once
            yield from measures_of({"value": low.get("value")})
        for one in value.values():
            if isinstance(one, (Mapping, list)):
                yield from measures_of(one)


def _is_oldest(number: str, unit: str, code: str) -> bool:
    """Whether an amount may be an age that must not be told."""
    a_year = _YEARS.get(code.casefold()) or _YEARS.get(unit.casefold())
    try:
        return a_year is not None and Decimal(number) >= (_OLDEST_AGE + 1) * a_year
    except InvalidOperation:
        return False


def moment(value: object) -> str:
    """Return a date or a time as printed; a month by its name: "May 2031" is read as a date everywhere, "2031-05" may be a range."""
    text = text_of(value)
    found = _YEAR_MONTH.match(text)
    return f"{month_name[int(found[2])]} {found[1]}" if found else text


def value_range(value: object) -> str:
    """Return a Range: "3.5 to 5.1 mmol/L", "at least 3.5 mmol/L", "at most 5.1 mmol/L"."""
    if not isinstance(value, Mapping):
        return ""
    low, high = value.get("low"), value.get("high")
    least, most = quantity(low), quantity(high)
    if least and most:
        return f"{_without_unit(low, high) or least} to {most}"
    return f"at least {least}" if least else f"at most {most}" if most else ""


def _without_unit(low: object, high: object) -> str:
    """Return the lower amount without its unit, where the higher one has the same."""
    if not isinstance(low, Mapping) or not isinstance(high, Mapping):
        return ""
    units = [(text_of(one.get("unit")) or text_of(one.get("code"))) for one in (low, high)]
    return quantity({"value": low.get("value"), "comparator": low.get("comparator")}) if units[0] == units[1] else ""


def sampled(value: object) -> str:
    """Return how many points a curve has; they are not shown."""
    data = text_of(value.get("data")) if isinstance(value, Mapping) else ""
    return f"sampled data of {len(data.split())} points" if data else ""


def ratio(value: object) -> str:
    """Return a Ratio or a RatioRange: "1 : 128", "500 mg / 1 tablet"."""
    if not isinstance(value, Mapping):
        return ""
    above = quantity(value.get("numerator")) or value_range({"low": value.get("lowNumerator"), "high": value.get("highNumerator")})
    below = quantity(value.get("denominator"))
    has_units = any(one.get("unit") or one.get("code") for one in (*items(value.get("numerator")), *items(value.get("denominator"))))
    return f"{above}{' / ' if has_units else ' : '}{below}" if above and below else above


def period(value: object) -> str:
    """Return a Period: "2031-05-17 to 2031-05-20", "since 2031-05-17", "until 2031"."""
    if not isinstance(value, Mapping):
        return ""
    start, end = moment(value.get("start")), moment(value.get("end"))
    if start and end:
        return start if start == end else f"{start} to {end}"
    return f"since {start}" if start else f"until {end}" if end else ""


def choice(fields: Mapping[str, object], stem: str, forms: Mapping[str, Callable[[object], str]]) -> str:
    """Return the value of an element of several types: of ``stem`` + type the first that says something."""
    return next((text for form, said in forms.items() if (text := said(fields.get(f"{stem}{form}")))), "")


#: Types that a value, an onset or the like may have, by the end of its element's name.
FORMS: Final[Mapping[str, Callable[[object], str]]] = {
    "Quantity": quantity,
    "CodeableConcept": concept_text,
    "String": prose,
    "Integer": text_of,
    "Boolean": text_of,
    "Range": value_range,
    "Ratio": ratio,
    "DateTime": moment,
    "Date": moment,
    "Instant": moment,
    "Time": text_of,
    "Period": period,
    "SampledData": sampled,
    "Age": quantity,
    "Duration": quantity,
}
