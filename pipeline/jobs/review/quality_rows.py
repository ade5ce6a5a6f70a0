"""Findings of data quality: what keeps documents from going live now, and what the last check found broken. One a document and expectation."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final
from uuid import UUID

from sqlalchemy import Connection, select

from pipeline.domain.review import About, FindingKind
from pipeline.jobs.quality import held
from pipeline.jobs.quality.job import FOLDER, RESULT
from pipeline.jobs.quality.suites import DataSet
from pipeline.jobs.review.readers import SAME_CONTENT, Found
from pipeline.settings import Settings
from pipeline.storage.tables import chunks, documents

#: Data sets whose rows are documents or parts of one. Points are reconciliation's, resources have a kind of their own, runs are nobody's.
_OF_DOCUMENTS: Final = (DataSet.STUDIES.value, DataSet.DOCUMENTS.value, DataSet.PAGES.value, DataSet.CHUNKS.value)
_IN_BATCH: Final = 500

Rows = dict[tuple[UUID, str], tuple[int, bool]]


def quality(tx: Connection, settings: Settings, start: str | None) -> Iterator[Found]:
    """Yield them in order of document. The check names the first 100 rows of each expectation, so that these are few."""
    found = _checked(tx, settings)
    for one in held.listed(tx):
        for name in held.expectations_in(one.broken):
            found[UUID(one.document_id), name] = (found.get((UUID(one.document_id), name), (1, True))[0], True)
    alive = _alive(tx, sorted({key for key, _ in found}))
    for (key, name), (count, blocks) in sorted(found.items()):
        if key in alive and (start is None or str(key) >= start):
            kind, content = alive[key]
            yield Found(About(FindingKind.QUALITY, str(key), name, "", content), kind, count=count, blocks=blocks)


def _checked(tx: Connection, settings: Settings) -> Rows:
    """Return what the last check named, by document and expectation; nothing where there was none."""
    try:
        said = json.loads((settings.reports_folder / FOLDER / RESULT).read_text(encoding="utf-8"))
        lines = [line for one in said["data_sets"] if one["name"] in _OF_DOCUMENTS for line in one["expectations"]]
        named = [(line["data_set"], line["id"], line["severity"] == "block", list(map(str, line["named"]))) for line in lines]
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    points = _documents_of(tx, [row for data_set, _, _, rows in named if data_set == DataSet.CHUNKS for row in rows])
    found: Rows = {}
    for data_set, name, blocks, rows in named:
        if name == SAME_CONTENT:
            continue  # a duplicate is a finding of its own kind
        for row in rows:
            key = points.get(row) if data_set == DataSet.CHUNKS else _uuid(row.partition("/")[0])
            if key is not None:
                found[key, name] = (found.get((key, name), (0, blocks))[0] + 1, blocks)
    return found


def _documents_of(tx: Connection, rows: Sequence[str]) -> Mapping[str, UUID]:
    ids = [key for key in map(_uuid, rows) if key is not None]
    found: dict[str, UUID] = {}
    for at in range(0, len(ids), _IN_BATCH):
        query = select(chunks.c.point_id, chunks.c.document_id).where(chunks.c.point_id.in_(ids[at : at + _IN_BATCH]))
        found.update({str(point): document for point, document in tx.execute(query)})
    return found


def _alive(tx: Connection, ids: Sequence[UUID]) -> dict[UUID, tuple[str, str]]:
    found: dict[UUID, tuple[str, str]] = {}
    for at in range(0, len(ids), _IN_BATCH):
        query = select(documents.c.document_id, documents.c.kind, documents.c.content_hash)
        query = query.where(documents.c.document_id.in_(ids[at : at + _IN_BATCH]), documents.c.tombstoned_at.is_(None))
        found.update({key: (kind, content) for key, kind, content in tx.execute(query)})
    return found


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
