"""The report's aggregates. Every one is grouped in the database, so that memory does not grow with documents or chunks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import orjson
from sqlalchemy import ColumnElement, Connection, FromClause, Select, Text, and_, case, cast, func, select

from pipeline.domain.vocabulary import DocumentState, DropReason
from pipeline.storage.collections import in_collection
from pipeline.storage.runs import Run, get_run
from pipeline.storage.study_tables import studies, study_phases
from pipeline.storage.tables import chunk_accounts, chunks, documents, index_state, run_outcomes, runs, source_state

Counts = list[tuple[str | None, int]]

_ALIVE: Final = documents.c.tombstoned_at.is_(None)


def documents_by_state(tx: Connection) -> dict[str, int]:
    """Return documents by state: see ``document_states``."""
    state, known = document_states()
    query = select(state, func.count()).select_from(known)
    counted = {name: int(count) for name, count in tx.execute(query.group_by(state))}
    return {name.value: counted.get(name.value, 0) for name in DocumentState}


def document_states() -> tuple[ColumnElement[str], FromClause]:
    """Return the state of each document as an expression, and what it is selected from.

    Indexing follows truth, so its record may be a step behind: a tombstoned document counts as ``deleting`` until its points are proven
    gone, whatever it was before; one that came back after its deletion is ``pending``.
    """
    known = func.coalesce(index_state.c.state, DocumentState.PENDING.value)
    gone = and_(~_ALIVE, known != DocumentState.DELETED.value)
    back = and_(_ALIVE, known.in_((DocumentState.DELETING.value, DocumentState.DELETED.value)))
    state = case((gone, DocumentState.DELETING.value), (back, DocumentState.PENDING.value), else_=known).label("state")
    mine = and_(index_state.c.document_id == documents.c.document_id, in_collection(None))
    return state, documents.outerjoin(index_state, mine)


def last_change(tx: Connection) -> datetime | None:
    """Return when a job last changed a document or its points."""
    moments = (
        select(func.max(documents.c.updated_at)),
        select(func.max(documents.c.tombstoned_at)),
        select(func.max(index_state.c.updated_at)).where(in_collection(None)),
    )
    found = [tx.execute(query).scalar_one() for query in moments]
    return max((moment for moment in found if moment is not None), default=None)


def studies_by(tx: Connection, column: str) -> Counts:
    """Return live studies by one of their columns, most frequent first."""
    value = studies.c[column]
    return _counts(tx, select(value, func.count()).join(documents, documents.c.document_id == studies.c.document_id).where(_ALIVE), value)


def studies_by_phase(tx: Connection) -> Counts:
    """Return live studies by phase; a study with two counts under both, one without any under ``None``."""
    joined = studies.join(documents, documents.c.document_id == studies.c.document_id).outerjoin(
        study_phases, study_phases.c.document_id == studies.c.document_id
    )
    counted = func.count(studies.c.document_id.distinct())
    return _counts(tx, select(study_phases.c.phase, counted).select_from(joined).where(_ALIVE), study_phases.c.phase)


def chunk_lengths(tx: Connection) -> list[tuple[str, int, int]]:
    """Return section, number of tokens and number of live chunks: the one pass over all chunks, a few thousand rows at most."""
    # Joined from the left, so that SQLite reads the chunks in the order they lie on disk and not document by document: of 3,000,000 chunks
    # that takes half the time.
    live = (
        select(index_state.c.document_id, index_state.c.live_generation)
        .join(documents, documents.c.document_id == index_state.c.document_id)
        .where(_ALIVE, in_collection(None))
        .subquery()
    )
    counted = func.count(live.c.document_id)
    query = (
        select(chunks.c.section, chunks.c.token_count, counted)
        .outerjoin(live, and_(live.c.document_id == chunks.c.document_id, live.c.live_generation == chunks.c.generation))
        .group_by(chunks.c.section, chunks.c.token_count)
        .having(counted > 0)
    )
    return [(section, int(tokens), int(count)) for section, tokens, count in tx.execute(query)]


def documents_by_kind(tx: Connection) -> Counts:
    """Return live documents by kind, most frequent first."""
    return _counts(tx, select(documents.c.kind, func.count()).where(_ALIVE), documents.c.kind)


def accounts_by(tx: Connection, column: str) -> Counts:
    """Return accounts of live documents by ``outcome`` or ``language``, most frequent first."""
    value = chunk_accounts.c[column]
    return _counts(tx, _of_live_accounts(value, func.count()), value)


def formats_met(tx: Connection) -> Counts:
    """Return live documents by layout met. The database groups equal lists, so that few rows come back."""
    met = cast(chunk_accounts.c.formats, Text)  # PostgreSQL cannot compare JSON
    counter: Counter[str] = Counter()
    for names, count in tx.execute(_of_live_accounts(met, func.count()).group_by(met)):
        for name in set(orjson.loads(names)):
            counter[str(name)] += int(count)
    return [(name, count) for name, count in sorted(counter.items(), key=lambda item: (-item[1], item[0]))]


def loss_totals(tx: Connection) -> dict[str, int]:
    """Return sums over the accounts of live documents, and how many of these have unexplained characters."""
    names = ("characters", "chunked", "dropped", "redacted", "unexplained")
    sums: list[ColumnElement[Any]] = [func.coalesce(func.sum(chunk_accounts.c[name]), 0).label(name) for name in names]
    affected = func.coalesce(func.sum(case((chunk_accounts.c.unexplained != 0, 1), else_=0)), 0)
    row = tx.execute(_of_live_accounts(*sums, affected.label("documents_with_unexplained"))).one()
    return {name: int(value) for name, value in row._mapping.items()}


def dropped_by_reason(tx: Connection) -> dict[str, int]:
    """Return dropped characters of live documents by reason."""
    sums = [func.coalesce(func.sum(chunk_accounts.c.by_reason[reason.value].as_integer()), 0).label(reason.value) for reason in DropReason]
    row = tx.execute(_of_live_accounts(*sums)).one()
    return {name: int(value) for name, value in row._mapping.items()}


def last_ended(tx: Connection, kind: str) -> Run | None:
    """Return the newest run of a kind that came to its end with a summary."""
    query = select(runs.c.run_id).where(runs.c.kind == kind, runs.c.state.in_(("success", "incomplete")))
    run_id = tx.execute(query.order_by(runs.c.started_at.desc(), runs.c.run_id).limit(1)).scalar_one_or_none()
    return None if run_id is None else get_run(tx, run_id)


def failure_groups(tx: Connection, run_id: UUID) -> list[tuple[str, str, int]]:
    """Return a run's failures as stage, category and count, most frequent first."""
    total = func.sum(run_outcomes.c.count)
    query = (
        select(run_outcomes.c.stage, run_outcomes.c.category, total)
        .where(run_outcomes.c.run_id == run_id, run_outcomes.c.severity == "failure")
        .group_by(run_outcomes.c.stage, run_outcomes.c.category)
    )
    found = [(stage, category, int(count)) for stage, category, count in tx.execute(query)]
    return sorted(found, key=lambda group: (-group[2], group[0], group[1]))


def failure_examples(tx: Connection, run_id: UUID, stage: str, category: str, limit: int) -> list[tuple[str | None, str | None]]:
    """Return source key and origin of a group's first failures, in the order they happened."""
    query = select(run_outcomes.c.source_key, run_outcomes.c.origin).where(
        run_outcomes.c.run_id == run_id,
        run_outcomes.c.severity == "failure",
        run_outcomes.c.stage == stage,
        run_outcomes.c.category == category,
    )
    return [(key, origin) for key, origin in tx.execute(query.order_by(run_outcomes.c.id).limit(limit))]


def run_notices(tx: Connection, run_ids: Sequence[UUID]) -> dict[str, int]:
    """Return how often each category of notice was recorded in these runs."""
    query = (
        select(run_outcomes.c.category, func.sum(run_outcomes.c.count))
        .where(run_outcomes.c.run_id.in_(run_ids), run_outcomes.c.severity == "notice")
        .group_by(run_outcomes.c.category)
    )
    return {category: int(count) for category, count in tx.execute(query)}


def source_states(tx: Connection, limit: int) -> list[dict[str, Any]]:
    """Return the listings that were complete last, newest first."""
    names = ("source", "scope", "data_timestamp", "api_version", "watermark", "last_complete_at")
    query = select(*[source_state.c[name] for name in names])
    ordered = query.order_by(source_state.c.last_complete_at.desc(), source_state.c.source, source_state.c.scope)
    return [dict(row._mapping) for row in tx.execute(ordered.limit(limit))]


def _of_live_accounts(*columns: ColumnElement[Any]) -> Select[Any]:
    live = and_(index_state.c.document_id == chunk_accounts.c.document_id, index_state.c.live_generation == chunk_accounts.c.generation)
    joined = chunk_accounts.join(documents, documents.c.document_id == chunk_accounts.c.document_id).join(index_state, live)
    return select(*columns).select_from(joined).where(_ALIVE, in_collection(None))


def _counts(tx: Connection, query: Select[Any], value: ColumnElement[Any]) -> Counts:
    found = [(name, int(count)) for name, count in tx.execute(query.group_by(value))]
    return sorted(found, key=lambda item: (-item[1], item[0] is None, item[0] or ""))
