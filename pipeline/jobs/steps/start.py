"""The first task of every DAG: the cheap check of index against truth, before hours of work. Plain JSON out."""

from __future__ import annotations

import logging

from pipeline.domain.errors import TransientError
from pipeline.jobs.start_check import start_check as check
from pipeline.jobs.steps.task import Json, task_home
from pipeline.observability import log_event
from pipeline.storage import runs
from pipeline.wiring import utc_now


def start_check() -> Json:
    """Log the verdict and return it. Drift stops nothing: what follows mends a part of it, and ``reconcile`` proves the rest.

    An index that is held by another run or does not answer is ``unknown``: what needs it says so by itself, and truth is taken meanwhile.

    Raises:
        CollectionMissingError: There is no collection.
        ForeignModelError: It was made for something else than truth says.
    """
    with task_home() as services:
        with services.db.begin() as tx:
            killed = runs.close_dead(tx, utc_now())
        try:
            live = services.live()  # by its own model: a re-index for another one begins with this check too
            live.require_collection()
            found = check(live).model_dump(mode="json")
        except TransientError as error:
            found = {"verdict": "unknown", "collection": services.collection, "findings": [], "error": type(error).__name__}
    level = logging.INFO if found["verdict"] == "clean" else logging.WARNING
    counts = {name: found[name] for name in ("points", "expected_points", "documents_checked", "seconds") if name in found}
    log_event("start_check", level=level, verdict=found["verdict"], findings=",".join(found["findings"]), killed_runs=killed, **counts)
    return {**found, "killed_runs": killed}
