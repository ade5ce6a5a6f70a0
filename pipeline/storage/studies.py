"""Studies in truth: one is replaced whole inside its caller's transaction, many are loaded with a few queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Table, delete, func, insert, select

from pipeline.domain.identifiers import text_hash
from pipeline.domain.study import Study
from pipeline.domain.vocabulary import NoticeCategory
from pipeline.storage.study_rows import child_rows, refuse_oversized, study_from_rows, study_row
from pipeline.storage.study_tables import (
    conditions,
    studies,
    study_aliases,
    study_arm_groups,
    study_collaborators,
    study_conditions,
    study_interventions,
    study_keywords,
    study_locations,
    study_notices,
    study_outcomes,
    study_phases,
    study_secondary_ids,
    study_std_ages,
    study_who_masked,
)
from pipeline.storage.tables import documents
from pipeline.storage.upsert import insert_or_ignore

_IN_BATCH: Final = 500

_CHILD_TABLES: Final = (
    study_aliases,
    study_arm_groups,
    study_collaborators,
    study_interventions,
    study_keywords,
    study_locations,
    study_notices,
    study_outcomes,
    study_phases,
    study_secondary_ids,
    study_std_ages,
    study_who_masked,
)


def replace_study(tx: Connection, document_id: UUID, study: Study) -> None:
    """Put a study in the place of what its document had: the old rows and their children go, the new ones are inserted.

    Raises:
        RecordError: A code, an id or a number does not fit its column; nothing was changed.
    """
    row = study_row(study)
    children = child_rows(study)
    refuse_oversized(studies, [row])
    for table, rows in children.items():
        refuse_oversized(table, rows)
    tx.execute(delete(studies).where(studies.c.document_id == document_id))  # children go with it (ON DELETE CASCADE)
    tx.execute(insert(studies), [{"document_id": document_id, **row}])
    for table, rows in children.items():
        if rows:
            tx.execute(insert(table), [{"document_id": document_id, **child} for child in rows])
    if study.conditions:
        ids = _condition_ids(tx, study.conditions)
        links = [
            {"document_id": document_id, "position": position, "condition_id": ids[text_hash(name)]}
            for position, name in enumerate(study.conditions)
        ]
        tx.execute(insert(study_conditions), links)


def load_studies(tx: Connection, ids: Sequence[UUID]) -> dict[UUID, Study]:
    """Return the studies of these documents; one without a study is absent. A batch of 500 costs 14 queries."""
    found: dict[UUID, Study] = {}
    for start in range(0, len(ids), _IN_BATCH):
        found.update(_load_batch(tx, ids[start : start + _IN_BATCH]))
    return found


def unknown_values(tx: Connection) -> list[tuple[str, str, int]]:
    """Return each registry code of live studies that is unknown to us: field, code, number of studies, most frequent first."""
    counted = func.count(study_notices.c.document_id.distinct())
    query = (
        select(study_notices.c.field, study_notices.c.value, counted)
        .join(documents, documents.c.document_id == study_notices.c.document_id)
        .where(study_notices.c.category == NoticeCategory.UNKNOWN_VALUE.value, documents.c.tombstoned_at.is_(None))
        .group_by(study_notices.c.field, study_notices.c.value)
        .order_by(counted.desc(), study_notices.c.field, study_notices.c.value)
    )
    return [(field, value or "", int(count)) for field, value, count in tx.execute(query)]


def notice_counts(tx: Connection) -> dict[str, int]:
    """Return how many live studies have each category of notice."""
    query = (
        select(study_notices.c.category, func.count(study_notices.c.document_id.distinct()))
        .join(documents, documents.c.document_id == study_notices.c.document_id)
        .where(documents.c.tombstoned_at.is_(None))
        .group_by(study_notices.c.category)
    )
    return {category: int(count) for category, count in tx.execute(query)}


def _condition_ids(tx: Connection, names: Sequence[str]) -> dict[str, int]:
    """Return the id of each condition by its name's hash; unknown ones are added, in one order so that two writers cannot deadlock."""
    hashes = {text_hash(name): name for name in names}
    query = select(conditions.c.name_hash, conditions.c.condition_id).where(conditions.c.name_hash.in_(sorted(hashes)))
    known = {row.name_hash: row.condition_id for row in tx.execute(query)}
    missing = sorted(set(hashes) - set(known))
    if missing:
        insert_or_ignore(tx, conditions, [{"name_hash": one, "name": hashes[one]} for one in missing], keys=["name_hash"])
        known = {row.name_hash: row.condition_id for row in tx.execute(query)}
    return known


def _load_batch(tx: Connection, ids: Sequence[UUID]) -> dict[UUID, Study]:
    rows = {row.document_id: row._asdict() for row in tx.execute(select(studies).where(studies.c.document_id.in_(ids)))}
    if not rows:
        return {}
    children: dict[UUID, dict[Table, list[Mapping[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for table in _CHILD_TABLES:
        query = select(table).where(table.c.document_id.in_(ids)).order_by(table.c.document_id, table.c.position)
        for child in tx.execute(query):
            children[child.document_id][table].append(child._asdict())
    names: dict[UUID, list[str]] = defaultdict(list)
    joined = (
        select(study_conditions.c.document_id, conditions.c.name)
        .join(conditions, conditions.c.condition_id == study_conditions.c.condition_id)
        .where(study_conditions.c.document_id.in_(ids))
        .order_by(study_conditions.c.document_id, study_conditions.c.position)
    )
    for document_id, name in tx.execute(joined):
        names[document_id].append(name)
    return {key: study_from_rows(row, children[key], names[key]) for key, row in rows.items()}
