"""The rows of the data set ``runs``: the last run of each kind, and the check itself with the figures of the whole home."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, select

from pipeline.domain.vocabulary import ParseOutcome, RunKind
from pipeline.jobs.quality.figures import shifts
from pipeline.jobs.quality.model import Figures
from pipeline.jobs.report import queries
from pipeline.storage.runs import Run, latest_run
from pipeline.storage.tables import runs

Row = dict[str, Any]


def run_rows(tx: Connection) -> list[Row]:
    """Return the last run of each kind that there is, also of a kind that this version does not know."""
    kinds = tx.execute(select(runs.c.kind).distinct().order_by(runs.c.kind)).scalars()
    return [_row(run) for kind in kinds if kind != RunKind.QUALITY and (run := latest_run(tx, kind)) is not None]


def _row(run: Run) -> Row:
    return {
        "row": str(run.run_id),
        "kind": run.kind,
        "state": run.state,
        "seconds": (run.finished_at - run.started_at).total_seconds() if run.finished_at else None,
        "failed_share": _failed_share(run.counts),
    }


def _failed_share(counts: Mapping[str, Any]) -> float | None:
    """Return which share of a run's records or documents failed, for runs that count them."""
    documents = counts.get("documents")
    if isinstance(documents, Mapping):
        failed = documents.get("failed", 0)
        whole = sum(value for name, value in documents.items() if isinstance(value, int) and name != "overtaken")
        return failed / whole if whole else None
    return counts["failed"] / counts["seen"] if counts.get("seen") and isinstance(counts.get("failed"), int) else None


def home_row(tx: Connection, run_id: UUID, now: Figures, earlier: Sequence[Figures], *, points: int, expected: int, held: int) -> Row:
    """Return the row of the check itself.

    Args:
        tx: A transaction on truth.
        run_id: Of the check.
        now: Its figures.
        earlier: Those of the checks that it is compared with.
        points: Points in the index.
        expected: Points that truth expects there.
        held: Documents held back by blocking expectations.
    """
    states = queries.documents_by_state(tx)
    outcomes = dict(queries.accounts_by(tx, "outcome"))
    read = sum(count for name, count in outcomes.items() if name not in (ParseOutcome.NOT_A_TRIAL, ParseOutcome.NO_CRITERIA))
    return {
        "row": str(run_id),
        "kind": RunKind.QUALITY.value,
        "state": "running",
        "documents": sum(count for state, count in states.items() if state not in ("deleting", "deleted")),
        "point_gap": points - expected,
        "held_back": held,
        "unparsed_share": outcomes.get(ParseOutcome.UNPARSED.value, 0) / read if read else None,
        **shifts(now, earlier),
    }
