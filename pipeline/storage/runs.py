"""Runs of jobs, and what happened in them record by record. The report reads these; no text of a document is in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final, Literal
from uuid import UUID, uuid4

from sqlalchemy import Connection, Select, insert, select, update

from pipeline.storage.tables import run_outcomes, runs

Severity = Literal["failure", "notice"]
RunState = Literal["running", "success", "incomplete", "failed"]

_LONGEST_NAME: Final = 255  # what the columns hold


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """One thing the report shows.

    Attributes:
        stage: ``fetch``, ``normalize``, ``index`` …
        severity: ``failure``: a record or document was not taken. ``notice``: it was.
        category: A value of ``FailureCategory`` or ``NoticeCategory``.
        value: A registry code, a count or the class of an error, never a document's text.
        origin: Where the record came from: page, or file and line.
        count: How many times it happened.
    """

    stage: str
    severity: Severity
    category: str
    source_key: str | None = None
    field: str | None = None
    value: str | None = None
    origin: str | None = None
    count: int = 1


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a job. ``counts`` is the job's summary, empty while it runs."""

    run_id: UUID
    kind: str
    state: str
    started_at: datetime
    finished_at: datetime | None
    counts: Mapping[str, Any]


def start_run(tx: Connection, kind: str, now: datetime) -> UUID:
    """Record that a job began, and return the run's id."""
    run_id = uuid4()
    tx.execute(insert(runs).values(run_id=run_id, kind=kind, state="running", started_at=now))
    return run_id


def finish_run(tx: Connection, run_id: UUID, state: RunState, counts: Mapping[str, Any], now: datetime) -> None:
    """Record how a job ended."""
    tx.execute(update(runs).where(runs.c.run_id == run_id).values(state=state, counts=dict(counts), finished_at=now))


def add_outcomes(tx: Connection, run_id: UUID, outcomes: Sequence[RunOutcome]) -> None:
    """Record what happened. Names from hostile input are cut to what a column holds, and what it cannot hold becomes U+FFFD."""
    if not outcomes:
        return
    rows = []
    for outcome in outcomes:
        row: dict[str, Any] = {"run_id": run_id, **asdict(outcome)}
        for name in ("source_key", "field", "value", "origin"):
            row[name] = _storable(row[name], limit=_LONGEST_NAME if name in ("source_key", "field") else None)
        rows.append(row)
    tx.execute(insert(run_outcomes), rows)


def outcomes_of(tx: Connection, run_id: UUID) -> list[RunOutcome]:
    """Return a run's outcomes in the order they were recorded."""
    columns = [run_outcomes.c[name] for name in RunOutcome.__dataclass_fields__]
    query = select(*columns).where(run_outcomes.c.run_id == run_id).order_by(run_outcomes.c.id)
    return [RunOutcome(**row._mapping) for row in tx.execute(query)]


def get_run(tx: Connection, run_id: UUID) -> Run | None:
    """Return a run, or ``None`` where there is none."""
    return _first(tx, select(runs).where(runs.c.run_id == run_id))


def latest_run(tx: Connection, kind: str) -> Run | None:
    """Return the run of this kind that began last, finished or not."""
    return _first(tx, select(runs).where(runs.c.kind == kind).order_by(runs.c.started_at.desc(), runs.c.run_id).limit(1))


def latest_runs(tx: Connection, limit: int) -> list[Run]:
    """Return the newest runs of all kinds, newest first."""
    return [_run(row) for row in tx.execute(select(runs).order_by(runs.c.started_at.desc(), runs.c.run_id).limit(limit))]


def _first(tx: Connection, query: Select[Any]) -> Run | None:
    row = tx.execute(query).one_or_none()
    return None if row is None else _run(row)


def _run(row: Any) -> Run:
    return Run(row.run_id, row.kind, row.state, row.started_at, row.finished_at, row.counts or {})


def _storable(text: str | None, *, limit: int | None) -> str | None:
    """PostgreSQL holds neither NUL nor lone surrogates (a file's name may carry both kinds of trouble)."""
    if text is None:
        return None
    clean = text.replace("\x00", "\ufffd").encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    return clean if limit is None or len(clean) <= limit else clean[: limit - 1] + "…"
