"""A filter as both engines need it: which field must hold which values. Each adapter turns this into its own classes."""

from __future__ import annotations

from dataclasses import dataclass, field

from pipeline.domain.points import PointFilter
from pipeline.domain.visibility import OPEN_KINDS, OPEN_LABEL, Limits, Visibility


@dataclass(frozen=True, slots=True)
class Conditions:
    """All must hold. Every field named here has a payload index (see ``KEYWORD_FIELDS`` and its neighbours)."""

    any_of: dict[str, list[str]] = field(default_factory=dict)
    equal: dict[str, int] = field(default_factory=dict)
    below: dict[str, int] = field(default_factory=dict)
    at_least: dict[str, int] = field(default_factory=dict)  # a point without the field fails
    at_most: dict[str, int] = field(default_factory=dict)
    flags: dict[str, bool] = field(default_factory=dict)
    not_flags: dict[str, bool] = field(default_factory=dict)  # must not be so; a point without the field passes
    none_but: dict[str, list[str]] = field(default_factory=dict)  # must not have another value; a point without the field passes
    either: tuple[Conditions, ...] = ()  # one of these must hold

    @property
    def is_empty(self) -> bool:
        """Whether every point matches."""
        return self == Conditions()


def conditions_of(where: PointFilter | None) -> Conditions:
    """Return what ``where`` asks for (nothing where it is ``None``)."""
    if where is None:
        return Conditions()
    any_of = {
        "document_id": [str(each) for each in where.document_ids],
        "section": [str(each) for each in where.sections],
        "overall_status": list(where.overall_status),
        "kind": list(where.kinds),
        "source": list(where.sources),
        "nct_id": list(where.nct_ids),
        "phases": list(where.phases),
        "study_type": list(where.study_types),
        "conditions": list(where.conditions),
        "patient": list(where.patients),
        "access": list(where.access),
        "department": list(where.departments),
        "agency": list(where.agencies),
        "state": list(where.states),
        "protocol_number": list(where.protocol_numbers),
        "reference_number": list(where.reference_numbers),
        "icd_codes": list(where.icd_codes),
        "loinc_codes": list(where.loinc_codes),
        "snomed_codes": list(where.snomed_codes),
        "rxnorm_codes": list(where.rxnorm_codes),
        "encounter": list(where.encounters),
        "resource_status": list(where.resource_status),
        "content_type": list(where.content_types),
        "element": list(where.elements),
        "scope": list(where.scopes),
    }
    return Conditions(
        any_of={key: values for key, values in any_of.items() if values},
        equal={} if where.generation is None else {"generation": where.generation},
        below={} if where.generation_below is None else {"generation": where.generation_below},
        at_least={} if where.dated_from is None else {"dated_to": where.dated_from},
        at_most={} if where.dated_to is None else {"dated_from": where.dated_to},
        flags={} if where.is_exclusion is None else {"is_exclusion": where.is_exclusion},
        not_flags={"is_exclusion": True} if where.exclude_exclusion_criteria else {},
        either=() if where.visible is None else _visible(where.visible),
    )


def _visible(visible: Visibility) -> tuple[Conditions, ...]:
    """Return what ``Visibility.sees`` says, for points."""
    is_open = Conditions(any_of={"kind": list(OPEN_KINDS)}, none_but={"access": [OPEN_LABEL]})
    return (is_open,) if visible.limits is None else (is_open, _allowed(visible.limits))


def _allowed(limits: Limits) -> Conditions:
    """A limit without values lets nothing pass, so it stays."""
    asked = {"access": limits.labels, "department": limits.departments, "patient": limits.patients}
    return Conditions(any_of={name: list(values) for name, values in asked.items() if values is not None})
