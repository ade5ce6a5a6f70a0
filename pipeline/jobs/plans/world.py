"""The state of the world that a plan is made for. A plan is refused once it differs: somebody approved something else."""

from __future__ import annotations

from sqlalchemy import Connection

from pipeline.domain.errors import GuardRefusedError
from pipeline.jobs.plans.model import RepairPlan
from pipeline.storage import chunks as chunk_store
from pipeline.storage import collections, documents, index_state
from pipeline.wiring import Services


def world_of(tx: Connection, *, collection: str) -> dict[str, object]:
    """Return what a plan for a collection was made for: names, counts and times."""
    newest, document = index_state.newest_change(tx, collection=collection), documents.newest_change(tx)
    live = collections.live(tx)
    return {
        "collection": collection,
        "live_collection": live.name if live else None,
        "newest_change": newest.isoformat() if newest else None,
        "newest_document": document.isoformat() if document else None,
        "documents": documents.live_count(tx),
        "expected": chunk_store.expected_count(tx, collection=collection),
    }


def refuse_moved_world(services: Services, plan: RepairPlan) -> None:
    """Refuse a plan when truth or index changed after it was made.

    Raises:
        GuardRefusedError: They did, or the plan was carried out already.
    """
    with services.index.session() as index, services.db.read() as tx:
        now, points = world_of(tx, collection=services.collection), index.count()
    if now != plan.world or points != plan.points:
        raise GuardRefusedError(
            f"plan {plan.run_id} was made for {plan.points} points; the index or the database has changed since, or it was carried out",
            remedy="Run `clindex reconcile` for a new plan.",
        )
