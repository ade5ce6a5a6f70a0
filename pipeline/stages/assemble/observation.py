"""One line of an Observation: what was measured, its value as printed, its unit, its status."""

from __future__ import annotations

from collections.abc import Mapping


def observation_line(fields: Mapping[str, object]) -> str:
    """Return the line, such as ``Potassium 4.10 mmol/L (final)``.

    Args:
        fields: An Observation's allowed fields; numbers are strings, so that 4.10 stays 4.10.
    """
    quantity = fields.get("valueQuantity")
    value = _quantity(quantity) if isinstance(quantity, Mapping) else ""
    value = value or _concept(fields.get("valueCodeableConcept")) or _plain(fields, "valueString", "valueInteger", "valueBoolean")
    status = fields.get("status")
    return " ".join(part for part in (_concept(fields.get("code")), value, f"({status})" if status else "") if part)


def _quantity(quantity: Mapping[str, object]) -> str:
    return " ".join(
        part for part in (f"{quantity.get('comparator', '')}{quantity.get('value', '')}", str(quantity.get("unit", ""))) if part
    )


def _concept(concept: object) -> str:
    """Return a concept's own text, else the first display among its codings."""
    if not isinstance(concept, Mapping):
        return ""
    codings = concept.get("coding")
    displays = [one.get("display") for one in codings if isinstance(one, Mapping)] if isinstance(codings, list) else []
    return str(concept.get("text") or next((each for each in displays if each), ""))


def _plain(fields: Mapping[str, object], *names: str) -> str:
    return next((str(fields[name]) for name in names if name in fields), "")
