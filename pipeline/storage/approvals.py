"""Who let a plan be carried out that a guard had refused, and why: only ever added to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, insert, select

from pipeline.storage.proof_tables import approvals


@dataclass(frozen=True, slots=True)
class Approval:
    """One approval.

    Attributes:
        plan: The plan's id: that of the reconciliation that wrote it.
        seal: The plan's seal as it was approved: no other content.
    """

    plan: str
    seal: str
    approved_by: str
    reason: str
    approved_at: datetime


def add(tx: Connection, approval: Approval) -> None:
    """Record an approval."""
    tx.execute(insert(approvals).values(**{name: getattr(approval, name) for name in Approval.__dataclass_fields__}))


def of_plan(tx: Connection, plan: str) -> list[Approval]:
    """Return a plan's approvals, the oldest first."""
    query = select(*(approvals.c[name] for name in Approval.__dataclass_fields__)).where(approvals.c.plan == plan)
    return [Approval(**row._mapping) for row in tx.execute(query.order_by(approvals.c.id))]
