"""Keeps an evaluation: a file in ``reports/evaluations``, a row among the runs that the trend is drawn from. No text, no names of files."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from pipeline.domain.errors import UsageError
from pipeline.domain.vocabulary import RunKind
from pipeline.jobs.evaluate.model import EvaluationSummary
from pipeline.jobs.evaluate.names import is_harmless
from pipeline.jobs.report.write import write_whole
from pipeline.observability import log_event
from pipeline.settings import Settings
from pipeline.storage import runs
from pipeline.wiring import Services, utc_now

FOLDER: Final = "evaluations"


def keep(services: Services, summary: EvaluationSummary, started_at: datetime) -> EvaluationSummary:
    """Write the artifact and the run. Returns the summary with the artifact's path."""
    path = write_artifact(services.settings, summary)
    with services.db.begin() as tx:
        run_id = runs.start_run(tx, RunKind.EVALUATE, started_at)
        runs.finish_run(tx, run_id, "incomplete" if summary.failed else "success", counts_of(summary), utc_now())
    log_event("evaluated", queries=summary.queries, measured=summary.measured, missing=len(summary.missing), below=len(summary.below))
    return summary.model_copy(update={"artifact": str(path)})


def counts_of(summary: EvaluationSummary) -> Mapping[str, Any]:
    """Return what a run's row keeps: figures alone."""
    return {
        "queries": summary.queries,
        "measured": summary.measured,
        "missing": len(summary.missing),
        "mode": summary.mode,
        "queries_sha256": summary.basis.queries_sha256,
        "index_digest": summary.basis.index_digest,
        "metrics": {name: one.model_dump(exclude={"queries"}) for name, one in summary.metrics.items()},
        "below": [floor.metric for floor in summary.below],
    }


def write_artifact(settings: Settings, summary: EvaluationSummary) -> Path:
    """Write ``evaluation-<UTC time>-<mode>.json`` (0600) into a folder that is its owner's only, and return its path."""
    folder = settings.reports_folder / FOLDER
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    path = folder / f"evaluation-{summary.created_at.astimezone(UTC):%Y%m%dT%H%M%S%fZ}-{summary.mode}.json"
    missing = [one if one.name is not None and is_harmless(one.name) else one.model_copy(update={"name": None}) for one in summary.missing]
    kept = summary.model_copy(update={"missing": missing, "artifact": path.name})
    write_whole(path, kept.model_dump_json(indent=2) + "\n")
    return path


def read_artifact(path: Path) -> EvaluationSummary:
    """Return an evaluation that was kept, or printed with ``--json``.

    Raises:
        UsageError: The file is none.
    """
    try:
        return EvaluationSummary.model_validate_json(path.read_bytes())
    except OSError as error:
        raise UsageError(f"{path.name} cannot be read ({type(error).__name__})") from None
    except ValidationError:
        raise UsageError(f"{path.name} is no evaluation", remedy="`clindex evaluate` writes them into reports/evaluations.") from None
