"""Reads a plan and checks that nobody has changed it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from pipeline.domain.errors import GuardRefusedError, UsageError
from pipeline.jobs.plans.model import RepairPlan

_NEW_PLAN: Final = "`clindex reconcile` writes one and prints its path."


def read_plan(path: str, *, secret: bytes) -> tuple[RepairPlan, Path]:
    """Return a plan and the path of its findings, after checking that both are as they were written.

    Raises:
        UsageError: There is no plan at ``path``, or it is none of ours.
        GuardRefusedError: It was changed since, or made for another home.
    """
    try:
        plan = RepairPlan.model_validate_json(Path(path).read_bytes())
        findings = Path(path).parent / Path(plan.findings_file).name
        with findings.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        raise UsageError(f"no repair plan at {path}, or its findings are not beside it", remedy=_NEW_PLAN) from None
    except ValidationError:
        raise UsageError(f"{path} is no repair plan, or a damaged one", remedy=_NEW_PLAN) from None
    if digest != plan.findings_sha256 or not plan.is_sealed_by(secret):
        raise GuardRefusedError(
            f"plan {plan.run_id} was changed since it was written, or is another home's", remedy="Run `clindex reconcile` for a new plan."
        )
    return plan, findings
