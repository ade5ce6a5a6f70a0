"""The tasks of the DAG ``evaluate``: ask, judge. Plain JSON in and out; figures and counts only."""

from __future__ import annotations

from pipeline.domain.errors import IncompleteRunError
from pipeline.jobs.evaluate import job
from pipeline.jobs.evaluate.run import How
from pipeline.jobs.steps.task import Json, task_home


def ask(*, mode: str, limit: int) -> Json:
    """Ask the judged queries of the settings, or the shipped ones of a home that holds the samples; ``skipped``: there are none.

    Raises:
        ConfigurationError: The settings name files that cannot be used.
    """
    with task_home() as services:
        settings = services.settings
        if settings.evaluation_queries is None and not job.holds_samples(services):
            return {"skipped": True}
        how = How(mode=mode, limit=limit, url=False, floors=job.floors_of(settings), allow_missing=False)
        summary = job.evaluate_home(services, job.require_judgements(settings), how)
    return {
        "skipped": False,
        "queries": summary.queries,
        "metrics": {name: round(one.value, 4) for name, one in summary.metrics.items()},
        "below": [floor.model_dump() for floor in summary.below],
        "missing": len(summary.missing),
        "artifact": summary.artifact,
    }


def judge(found: Json) -> None:
    """Let the run end red where a floor is not met or a judgement names what is not there.

    Raises:
        IncompleteRunError: Says which measures, and how far.
    """
    if found["skipped"]:
        return
    wrong = [f"{one['metric']} is {_value(one['value'])}, asked for {one['least']:g}" for one in found["below"]]
    if found["missing"]:
        wrong.append(f"{found['missing']} judged documents are not in this home")
    if wrong:
        raise IncompleteRunError(
            "; ".join(wrong),
            remedy="`clindex evaluate --compare` with an earlier file of reports/evaluations says which queries got worse.",
        )


def _value(value: float | None) -> str:
    return "not measured" if value is None else f"{value:.4f}"
