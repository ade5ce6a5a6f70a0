"""Counts what the report and the status say of deletions and holds."""

from __future__ import annotations

from sqlalchemy import Connection

from pipeline.domain.vocabulary import DeletionState
from pipeline.jobs.summaries import DeletionFacts, HoldFacts
from pipeline.storage import certificates, deletions, holds


def deletion_facts(tx: Connection) -> DeletionFacts:
    """Return where deletions stand."""
    states = {state: len(deletions.of_state(tx, state)) for state in DeletionState}
    last = certificates.last_verification(tx)
    return DeletionFacts(
        open=states[DeletionState.OPEN],
        erased=states[DeletionState.ERASED],
        certified=states[DeletionState.CERTIFIED],
        certificates=certificates.count(tx),
        last_verified_at=last.at if last else None,
        last_verification_passed=last.passed if last else None,
    )


def hold_facts(tx: Connection) -> HoldFacts:
    """Return how many holds are active."""
    return HoldFacts(active=holds.active_count(tx))
