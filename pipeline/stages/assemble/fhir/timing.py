"""Timing and Dosage in, words out: "1 tablet; oral; 2 times per 1 day; as needed"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pipeline.stages.assemble.fhir.values import (
    concept_text,
    concepts_text,
    items,
    joined,
    moment,
    period,
    quantity,
    ratio,
    strings,
    text_of,
    value_range,
)

# UCUM units of time (https://hl7.org/fhir/R4/valueset-units-of-time.html).
_UNITS: Final = {"s": "seconds", "min": "minutes", "h": "hours", "d": "days", "wk": "weeks", "mo": "months", "a": "years"}
# https://hl7.org/fhir/R4/valueset-event-timing.html
_WHEN: Final = {
    "MORN": "in the morning", "MORN.early": "early in the morning", "MORN.late": "late in the morning", "NOON": "at noon",
    "AFT": "in the afternoon", "AFT.early": "early in the afternoon", "AFT.late": "late in the afternoon", "EVE": "in the evening",
    "EVE.early": "early in the evening", "EVE.late": "late in the evening", "NIGHT": "at night", "PHS": "after sleep",
    "HS": "before sleep", "WAKE": "upon waking", "C": "with meals", "CM": "at breakfast", "CD": "at lunch", "CV": "at dinner",
    "AC": "before meals", "ACM": "before breakfast", "ACD": "before lunch", "ACV": "before dinner",
    "PC": "after meals", "PCM": "after breakfast", "PCD": "after lunch", "PCV": "after dinner",
}  # fmt: skip


def timing(value: object) -> str:
    """Return a Timing: how often, when, and for how long."""
    if not isinstance(value, Mapping):
        return ""
    repeat = next(iter(items(value.get("repeat"))), {})
    bounds = quantity(repeat.get("boundsDuration")) or value_range(repeat.get("boundsRange"))
    parts = (
        concept_text(value.get("code")),
        _frequency(repeat),
        joined(map(_when, strings(repeat.get("when"))), ", "),
        joined(strings(repeat.get("dayOfWeek")), ", "),
        joined((f"at {one}" for one in strings(repeat.get("timeOfDay"))), ", "),
        f"for {bounds}" if bounds else period(repeat.get("boundsPeriod")),
        _counted(repeat),
        joined(map(moment, strings(value.get("event"))), ", "),
    )
    return joined(parts, ", ")


def dosage(value: Mapping[str, object]) -> str:
    """Return one Dosage: its words, then the dose, how it is given, how often, and the most that may be."""
    rates = items(value.get("doseAndRate")) or [value]
    doses = joined(quantity(one.get("doseQuantity")) or value_range(one.get("doseRange")) or quantity(one.get("dose")) for one in rates)
    speed = joined(ratio(one.get("rateRatio")) or value_range(one.get("rateRange")) or quantity(one.get("rateQuantity")) for one in rates)
    parts = (
        text_of(value.get("text")),
        f"dose {doses}" if doses else "",
        f"rate {speed}" if speed else "",
        concept_text(value.get("route")),
        timing(value.get("timing")),
        as_needed(value),
        concept_text(value.get("site")),
        concept_text(value.get("method")),
        concepts_text(value.get("additionalInstruction")),
        text_of(value.get("patientInstruction")),
        *_most(value),
    )
    return joined(parts)


def dosages(value: object) -> list[str]:
    """Return the dosages of a list, those without a word left out."""
    return [text for text in map(dosage, items(value)) if text]


def as_needed(value: Mapping[str, object]) -> str:
    """Return "as needed", and for what."""
    reason = concept_text(value.get("asNeededCodeableConcept")) or concepts_text(value.get("asNeededFor"))
    said = reason or value.get("asNeededBoolean") is True or value.get("asNeeded") is True
    return f"as needed for {reason}" if reason else "as needed" if said else ""


def _most(value: Mapping[str, object]) -> list[str]:
    found = {
        "per period": joined(map(ratio, items(value.get("maxDosePerPeriod")))),
        "at a time": quantity(value.get("maxDosePerAdministration")),
        "in a lifetime": quantity(value.get("maxDosePerLifetime")),
    }
    return [f"at most {text} {of}" if of != "per period" else f"at most {text}" for of, text in found.items() if text]


def _frequency(repeat: Mapping[str, object]) -> str:
    """Return "every 8 hours", "2 times per 1 days", "2 to 3 times per 1 days"."""
    span = _to(repeat, "period")
    if not span:
        return f"{times} times" if (times := _to(repeat, "frequency")) else ""
    unit = text_of(repeat.get("periodUnit"))
    each, times = f"{span} {_UNITS.get(unit, unit)}".strip(), _to(repeat, "frequency")
    if times in ("", "1"):
        return f"every {each}"
    return f"{times} times per {each}"


def _counted(repeat: Mapping[str, object]) -> str:
    count, lasts = _to(repeat, "count"), _to(repeat, "duration")
    unit = text_of(repeat.get("durationUnit"))
    return joined((f"{count} times in all" if count else "", f"{lasts} {_UNITS.get(unit, unit)} each time" if lasts else ""), ", ")


def _to(repeat: Mapping[str, object], name: str) -> str:
    least, most = text_of(repeat.get(name)), text_of(repeat.get(f"{name}Max"))
    return f"{least} to {most}" if least and most else least or most


def _when(code: str) -> str:
    return _WHEN.get(code, code)
