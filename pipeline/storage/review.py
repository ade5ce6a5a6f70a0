"""Decisions about findings, as they are kept; and what they say of documents that are about to be made or judged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, select, update

from pipeline.domain.review import About, Action, Decision, FindingKind, Fix, Reason
from pipeline.storage.review_tables import review_decisions
from pipeline.storage.tables import index_state
from pipeline.storage.upsert import insert_or_update

_IN_BATCH: Final = 500
_ACTIVE: Final = review_decisions.c.withdrawn_at.is_(None)


@dataclass(frozen=True, slots=True)
class Kept:
    """A decision with what became of it.

    Attributes:
        obeyed_at: ``None``: truth is still to be brought to it, or back from it.
        withdrawn_at: ``None``: it holds.
    """

    decision: Decision
    obeyed_at: datetime | None
    withdrawn_by: str | None
    withdrawn_at: datetime | None

    @property
    def active(self) -> bool:
        """Whether it holds."""
        return self.withdrawn_at is None


def put(tx: Connection, decision: Decision, *, obeyed_at: datetime | None) -> None:
    """Keep a decision; one that was withdrawn holds again."""
    about = decision.about
    row = {
        "decision_id": decision.decision_id,
        "finding_id": about.finding_id,
        "kind": about.kind.value,
        "subject": about.subject,
        "rule": about.rule,
        "locus": about.locus,
        "basis": about.basis,
        "action": decision.action.value,
        "fix": decision.fix.said() if decision.fix else None,
        "reason": decision.reason.value,
        "note": decision.note,
        "decided_by": decision.decided_by,
        "decided_at": decision.decided_at,
        "obeyed_at": obeyed_at,
        "withdrawn_by": None,
        "withdrawn_at": None,
    }
    changed = ("decided_by", "decided_at", "obeyed_at", "withdrawn_by", "withdrawn_at")
    insert_or_update(tx, review_decisions, [row], keys=["decision_id"], update=changed)


def get(tx: Connection, decision_id: str) -> Kept | None:
    """Return a decision, or ``None``."""
    row = tx.execute(select(review_decisions).where(review_decisions.c.decision_id == decision_id)).one_or_none()
    return None if row is None else _kept(row)


def of_finding(tx: Connection, finding_id: str) -> list[Kept]:
    """Return the decisions about a finding that hold, whatever content they were about."""
    return [_kept(row) for row in tx.execute(select(review_decisions).where(_ACTIVE, review_decisions.c.finding_id == finding_id))]


def listed(tx: Connection, *, active_only: bool = False) -> list[Kept]:
    """Return decisions, the newest first."""
    query = select(review_decisions).order_by(review_decisions.c.decided_at.desc(), review_decisions.c.decision_id)
    return [_kept(row) for row in tx.execute(query.where(_ACTIVE) if active_only else query)]


def decided(tx: Connection, kind: FindingKind) -> dict[str, list[Kept]]:
    """Return by finding the decisions of one kind that hold."""
    found: dict[str, list[Kept]] = {}
    for row in tx.execute(select(review_decisions).where(_ACTIVE, review_decisions.c.kind == kind.value)):
        found.setdefault(row.finding_id, []).append(_kept(row))
    return found


def withdraw(tx: Connection, decision_id: str, *, by: str, now: datetime, obeyed_at: datetime | None) -> bool:
    """Let a decision hold no longer. Returns whether it did until now."""
    mine = _ACTIVE, review_decisions.c.decision_id == decision_id
    return tx.execute(update(review_decisions).where(*mine).values(withdrawn_by=by, withdrawn_at=now, obeyed_at=obeyed_at)).rowcount == 1


def waiting(tx: Connection) -> list[Kept]:
    """Return decisions that truth has still to be brought to, or back from, the oldest first."""
    query = select(review_decisions).where(review_decisions.c.obeyed_at.is_(None))
    return [_kept(row) for row in tx.execute(query.order_by(review_decisions.c.decided_at, review_decisions.c.decision_id))]


def obeyed(tx: Connection, decision_id: str, now: datetime) -> None:
    """Record that truth is as a decision says, or as it was before one that was withdrawn."""
    tx.execute(update(review_decisions).where(review_decisions.c.decision_id == decision_id).values(obeyed_at=now))


def fixes(tx: Connection, ids: Iterable[UUID], *, in_truth: bool = False) -> dict[UUID, Fix]:
    """Return what people say of these documents in place of what is found; of two that contradict, the later one.

    Args:
        tx: A transaction.
        ids: The documents.
        in_truth: Only what truth was brought to: what its hashes cover. A decision that has to wait changes no document yet.
    """
    found: dict[UUID, Fix] = {}
    for row in _of_subjects(tx, [str(one) for one in ids], Action.FIX):
        key, fix = UUID(row.subject), Fix.of(row.fix)
        if fix.changes_document and (row.obeyed_at is not None or not in_truth):
            found[key] = fix.over(found[key]) if key in found else fix
    return found


def accepted_expectations(tx: Connection, ids: Iterable[UUID]) -> dict[UUID, dict[str, set[str | None]]]:
    """Return by document and expectation the hashes of the content with which it may be broken."""
    found: dict[UUID, dict[str, set[str | None]]] = {}
    for row in _of_subjects(tx, [str(one) for one in ids], Action.ACCEPT):
        if row.kind in (FindingKind.QUALITY, FindingKind.DUPLICATE):
            found.setdefault(UUID(row.subject), {}).setdefault(row.rule, set()).add(row.basis)
    return found


def is_let_pass(tx: Connection, document_id: UUID, fingerprint: str) -> bool:
    """Whether a person found nobody in what the gate suspects, in exactly this content by exactly this recipe."""
    rows = _of_subjects(tx, [str(document_id)], Action.ACCEPT)
    return any(row.kind == FindingKind.SUSPECTED_PHI and row.basis == fingerprint for row in rows)


def make_anew(tx: Connection, document_id: UUID) -> None:
    """Let the next ``index`` judge and write a document again, in every collection, although its content is the same."""
    tx.execute(update(index_state).where(index_state.c.document_id == document_id).values(live_fingerprint=None))


def _of_subjects(tx: Connection, subjects: Sequence[str], action: Action) -> list[Any]:
    rows: list[Any] = []
    for start in range(0, len(subjects), _IN_BATCH):
        mine = _ACTIVE, review_decisions.c.action == action.value, review_decisions.c.subject.in_(subjects[start : start + _IN_BATCH])
        rows += tx.execute(select(review_decisions).where(*mine))
    return sorted(rows, key=lambda row: (row.decided_at, row.decision_id))


def _kept(row: Any) -> Kept:
    about = About(FindingKind(row.kind), row.subject, row.rule, row.locus, row.basis)
    fix = None if row.fix is None else Fix.of(row.fix)
    decision = Decision(about, Action(row.action), fix, Reason(row.reason), row.note, row.decided_by, row.decided_at)
    return Kept(decision, row.obeyed_at, row.withdrawn_by, row.withdrawn_at)
