"""Turns a study into rows and rows into a study: pure, and exact both ways."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import BigInteger, Integer, String, Table

from pipeline.domain.errors import RecordError
from pipeline.domain.study import (
    Age,
    ArmGroup,
    DatePrecision,
    Design,
    Eligibility,
    Intervention,
    Location,
    Notice,
    Outcome,
    OutcomeRole,
    PartialDate,
    SecondaryId,
    Sponsor,
    Status,
    Study,
)
from pipeline.domain.vocabulary import FailureCategory, NoticeCategory
from pipeline.storage import study_tables as t

Row = dict[str, Any]

_STUDY: Final = (
    "nct_id",
    "brief_title",
    "official_title",
    "acronym",
    "org_study_id",
    "organization",
    "brief_summary",
    "detailed_description",
    "has_results",
)
_STATUS: Final = ("overall_status", "last_known_status", "why_stopped")
_DESIGN: Final = (
    "study_type",
    "allocation",
    "intervention_model",
    "observational_model",
    "time_perspective",
    "primary_purpose",
    "masking",
    "enrollment_count",
    "enrollment_type",
)
_ELIGIBILITY: Final = (
    "criteria",
    "sex",
    "healthy_volunteers",
    "gender_based",
    "gender_description",
    "study_population",
    "sampling_method",
)
_AGES: Final = ("minimum_age", "maximum_age")

# A child row's columns and the fields of its dataclass have the same names; conditions are joined and stand apart.
_CHILDREN: Final[Mapping[Table, tuple[str, ...]]] = {
    t.study_arm_groups: ("label", "type", "description", "intervention_names"),
    t.study_interventions: ("name", "type", "description", "arm_group_labels", "other_names"),
    t.study_outcomes: ("role", "measure", "description", "time_frame"),
    t.study_locations: ("facility", "status", "city", "state", "zip", "country", "latitude", "longitude"),
    t.study_collaborators: ("name", "sponsor_class"),
    t.study_notices: ("category", "field", "value"),
}
_LISTS: Final = ("intervention_names", "arm_group_labels", "other_names")


def study_row(study: Study) -> Row:
    """Return the row of ``studies``, without its ``document_id``."""
    row: Row = {name: getattr(study, name) for name in _STUDY}
    row |= {name: getattr(study.status, name) for name in _STATUS}
    row |= {name: getattr(study.design, name) for name in _DESIGN}
    row |= {name: getattr(study.eligibility, name) for name in _ELIGIBILITY}
    for name in t.PARTIAL_DATES:
        given: PartialDate | None = getattr(study.status, name)
        row[f"{name}_text"] = given.text if given else None
        row[f"{name}_precision"] = given.precision.value if given else None
        row[f"{name}_sort"] = given.sort_value if given else None
        row[f"{name}_type"] = given.type if given else None
    for name in _AGES:
        age: Age | None = getattr(study.eligibility, name)
        row[f"{name}_text"] = age.text if age else None
        row[f"{name}_days"] = age.days if age else None
    row["lead_sponsor_name"] = study.lead_sponsor.name if study.lead_sponsor else None
    row["lead_sponsor_class"] = study.lead_sponsor.sponsor_class if study.lead_sponsor else None
    return row


def child_rows(study: Study) -> dict[Table, list[Row]]:
    """Return the rows of each child table but ``study_conditions``, without their ``document_id``."""
    children: dict[Table, list[Row]] = {
        t.study_secondary_ids: [
            {"secondary_id": one.id, "type": one.type, "domain": one.domain, "link": one.link} for one in study.secondary_ids
        ],
        t.study_aliases: [{"alias": alias} for alias in study.nct_id_aliases],
        t.study_keywords: [{"keyword": keyword} for keyword in study.keywords],
        t.study_phases: [{"phase": phase} for phase in study.design.phases],
        t.study_std_ages: [{"std_age": age} for age in study.eligibility.std_ages],
        t.study_who_masked: [{"who": who} for who in study.design.who_masked],
    }
    values: dict[Table, Sequence[object]] = {
        t.study_arm_groups: study.arm_groups,
        t.study_interventions: study.interventions,
        t.study_outcomes: study.outcomes,
        t.study_locations: study.locations,
        t.study_collaborators: study.collaborators,
        t.study_notices: study.notices,
    }
    for table, names in _CHILDREN.items():
        children[table] = [{name: _stored(getattr(one, name)) for name in names} for one in values[table]]
    for rows in children.values():
        for position, row in enumerate(rows):
            row["position"] = position
    return children


def study_from_rows(row: Mapping[str, Any], children: Mapping[Table, Sequence[Mapping[str, Any]]], conditions: Sequence[str]) -> Study:
    """Return the study that ``study_row`` and ``child_rows`` were made of. Children stand in order of position."""

    def column(table: Table, name: str) -> tuple[str, ...]:
        return tuple(child[name] for child in children.get(table, ()))

    def fields(table: Table) -> list[Row]:
        return [{name: _loaded(name, child[name]) for name in _CHILDREN[table]} for child in children.get(table, ())]

    sponsor = row["lead_sponsor_name"]
    dates: Row = {name: _date(row, name) for name in t.PARTIAL_DATES}
    ages: Row = {name: _age(row, name) for name in _AGES}
    return Study(
        **{name: row[name] for name in _STUDY},
        nct_id_aliases=column(t.study_aliases, "alias"),
        secondary_ids=tuple(
            SecondaryId(one["secondary_id"], one["type"], one["domain"], one["link"]) for one in children.get(t.study_secondary_ids, ())
        ),
        status=Status(**{name: row[name] for name in _STATUS}, **dates),
        lead_sponsor=None if sponsor is None else Sponsor(sponsor, row["lead_sponsor_class"]),
        collaborators=tuple(Sponsor(**one) for one in fields(t.study_collaborators)),
        conditions=tuple(conditions),
        keywords=column(t.study_keywords, "keyword"),
        design=Design(
            **{name: row[name] for name in _DESIGN},
            phases=column(t.study_phases, "phase"),
            who_masked=column(t.study_who_masked, "who"),
        ),
        arm_groups=tuple(ArmGroup(**one) for one in fields(t.study_arm_groups)),
        interventions=tuple(Intervention(**one) for one in fields(t.study_interventions)),
        outcomes=tuple(Outcome(**{**one, "role": OutcomeRole(one["role"])}) for one in fields(t.study_outcomes)),
        eligibility=Eligibility(
            **{name: row[name] for name in _ELIGIBILITY},
            **ages,
            std_ages=column(t.study_std_ages, "std_age"),
        ),
        locations=tuple(Location(**one) for one in fields(t.study_locations)),
        notices=tuple(Notice(**{**one, "category": NoticeCategory(one["category"])}) for one in fields(t.study_notices)),
    )


def refuse_oversized(table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Refuse what a column cannot hold, alike on every database (SQLite would take any length).

    Raises:
        RecordError: A code, an id or a number is too large; the message names its column.
    """
    for name, longest, largest in _LIMITS[table]:
        for row in rows:
            value = row[name]
            if (longest and isinstance(value, str) and len(value) > longest) or (largest and value is not None and abs(value) > largest):
                raise RecordError(FailureCategory.TOO_LARGE, f"{table.name}.{name} is larger than its column")


def _limits(table: Table) -> list[tuple[str, int, int]]:
    found = []
    for column in table.columns:
        if column.name in ("document_id", "position", "condition_id"):
            continue
        if type(column.type) is String and column.type.length:
            found.append((column.name, column.type.length, 0))
        elif isinstance(column.type, Integer):
            found.append((column.name, 0, 2**63 - 1 if isinstance(column.type, BigInteger) else 2**31 - 1))
    return found


_LIMITS: Final = {
    table: _limits(table)
    for table in (
        t.studies,
        t.study_secondary_ids,
        t.study_aliases,
        t.study_keywords,
        t.study_phases,
        t.study_std_ages,
        t.study_who_masked,
        *_CHILDREN,
    )
}


def _stored(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def _loaded(name: str, value: Any) -> Any:
    return tuple(value) if name in _LISTS else value


def _date(row: Mapping[str, Any], name: str) -> PartialDate | None:
    text = row[f"{name}_text"]
    if text is None:
        return None
    return PartialDate(text, DatePrecision(row[f"{name}_precision"]), row[f"{name}_sort"], row[f"{name}_type"])


def _age(row: Mapping[str, Any], name: str) -> Age | None:
    text = row[f"{name}_text"]
    return None if text is None else Age(text, row[f"{name}_days"])
