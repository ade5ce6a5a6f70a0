"""Runs of jobs, whether they still run, and what happened in them record by record. No text of a document is in them.

A run that is killed cannot say so. The process that began it is written down, and it gives signs of life (``beat``). While a run belongs to
one process of this machine, that process decides. A run of several processes (Airflow's tasks: ``hand_on``) or of another machine is
alive as long as its last sign of life is young enough.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Literal
from uuid import UUID, uuid4

from sqlalchemy import Connection, Select, insert, select, update

from pipeline.processes import host_name, is_alive, process_start
from pipeline.storage.tables import run_outcomes, runs

Severity = Literal["failure", "notice"]
RunState = Literal["running", "success", "incomplete", "failed", "killed"]

# A run gives a sign of life with each batch, file and page. Between two of them lie at most the OCR of one page, a batch's embedding (three
# minutes for 256 studies on 2 cores) or Airflow's three retries, two minutes apart; the rest is room for a task that waits its turn.
SILENT_FOR: Final = timedelta(minutes=30)

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
    """Record that a job began in this process, close the runs that died, and return the run's id."""
    close_dead(tx, now)
    run_id = uuid4()
    process = {"host": host_name(), "pid": os.getpid(), "pid_started": process_start(os.getpid())}
    tx.execute(insert(runs).values(run_id=run_id, kind=kind, state="running", started_at=now, beat_at=now, **process))
    return run_id


def hand_on(tx: Connection, run_id: UUID, now: datetime) -> None:
    """Record that other processes carry the run on: that this one ends says nothing any more, only signs of life count."""
    tx.execute(update(runs).where(runs.c.run_id == run_id).values(pid=None, pid_started=None, beat_at=now))


def beat(tx: Connection, run_id: UUID, now: datetime) -> None:
    """Give a sign of life."""
    tx.execute(update(runs).where(runs.c.run_id == run_id).values(beat_at=now))


def alive(tx: Connection, now: datetime) -> list[Run]:
    """Return the runs that go on now, oldest first."""
    return [_run(row) for row in _unfinished(tx) if _lives(row, now)]


def close_dead(tx: Connection, now: datetime) -> int:
    """Mark runs ``killed`` that can no longer end by themselves; returns how many.

    They ended at their last sign of life, as far as anybody knows. One that was only silent for too long and ends after all overwrites it.
    """
    dead = [row for row in _unfinished(tx) if not _lives(row, now)]
    for row in dead:
        mine = (runs.c.run_id == row.run_id, runs.c.state == "running")
        tx.execute(update(runs).where(*mine).values(state="killed", finished_at=row.beat_at or row.started_at))
    return len(dead)


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


def latest_ended(tx: Connection, kind: str) -> Run | None:
    """Return the run of this kind that began last of those that have ended, however."""
    ended = select(runs).where(runs.c.kind == kind, runs.c.state != "running")
    return _first(tx, ended.order_by(runs.c.started_at.desc(), runs.c.run_id).limit(1))


def begun_since(tx: Connection, kinds: Sequence[str], since: datetime) -> list[Run]:
    """Return the runs of these kinds that began at this moment or after it, oldest first."""
    query = select(runs).where(runs.c.kind.in_(kinds), runs.c.started_at >= since)
    return [_run(row) for row in tx.execute(query.order_by(runs.c.started_at, runs.c.run_id))]


def any_ended(tx: Connection, since: datetime) -> bool:
    """Whether a run has ended at this moment or after it."""
    return tx.execute(select(runs.c.run_id).where(runs.c.finished_at >= since).limit(1)).first() is not None


def latest_of_kind(tx: Connection, kind: str, *, limit: int) -> list[Run]:
    """Return the newest runs of this kind that have ended with a summary, newest first."""
    query = select(runs).where(runs.c.kind == kind, runs.c.state.in_(("success", "incomplete")))
    return [_run(row) for row in tx.execute(query.order_by(runs.c.started_at.desc(), runs.c.run_id).limit(limit))]


def latest_runs(tx: Connection, limit: int) -> list[Run]:
    """Return the newest runs of all kinds, newest first."""
    return [_run(row) for row in tx.execute(select(runs).order_by(runs.c.started_at.desc(), runs.c.run_id).limit(limit))]


def _unfinished(tx: Connection) -> Sequence[Any]:
    return tx.execute(select(runs).where(runs.c.state == "running").order_by(runs.c.started_at, runs.c.run_id)).all()


def _lives(row: Any, now: datetime) -> bool:
    if row.pid is not None and row.host == host_name():
        return is_alive(row.pid, row.pid_started)
    return bool(abs(now - (row.beat_at or row.started_at)) <= SILENT_FOR)  # a clock that is put back makes no run immortal


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
