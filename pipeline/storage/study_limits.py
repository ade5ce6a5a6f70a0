"""Whom studies take, by the registry's own fields: ages and sex."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Connection, select

from pipeline.storage.study_tables import studies

_IN_BATCH = 2000  # ids in one IN list: SQLite allows 32,766 bound values


@dataclass(frozen=True, slots=True)
class StudyLimits:
    """A study's limits; ``None``: it does not say. ``sex`` as the registry writes it: ALL, FEMALE, MALE."""

    minimum_age_days: float | None
    maximum_age_days: float | None
    sex: str | None


def limits_of(tx: Connection, document_ids: Sequence[UUID]) -> dict[UUID, StudyLimits]:
    """Return the limits of those documents that are studies."""
    columns = studies.c
    query = select(columns.document_id, columns.minimum_age_days, columns.maximum_age_days, columns.sex)
    found: dict[UUID, StudyLimits] = {}
    for start in range(0, len(document_ids), _IN_BATCH):
        rows = tx.execute(query.where(columns.document_id.in_(document_ids[start : start + _IN_BATCH])))
        found.update((row.document_id, StudyLimits(row.minimum_age_days, row.maximum_age_days, row.sex)) for row in rows)
    return found
