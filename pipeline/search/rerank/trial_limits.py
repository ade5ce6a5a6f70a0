"""Whether a patient is of an age and a sex that a trial takes, by the registry's fields; in go limits, out go two signals a trial."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pipeline.search.patient.model import Patient
from pipeline.storage.study_limits import StudyLimits

_DAYS: Final = 365.25  # in a year
_ROUNDING: Final = 0.01  # years: limits are kept in days
_GRACE: Final = 1.0  # years: whoever "is 18" is up to a day below 19, and a maximum of 18 years takes them


def limit_signals(patient: Patient, limits: Sequence[StudyLimits | None]) -> dict[str, NDArray[np.float64]]:
    """Return ``age_outside`` and ``sex_other``, each of shape (trials,): 1 where a limit shuts the patient out, else 0 (not said counts 0)."""
    return {
        "age_outside": np.asarray([float(one is not None and _age_outside(patient.age_years, one)) for one in limits]),
        "sex_other": np.asarray([float(one is not None and _sex_other(patient.sex, one)) for one in limits]),
    }


def _age_outside(years: float | None, limits: StudyLimits) -> bool:
    if years is None:
        return False
    too_young = limits.minimum_age_days is not None and years < limits.minimum_age_days / _DAYS - _ROUNDING
    too_old = limits.maximum_age_days is not None and years >= limits.maximum_age_days / _DAYS + _GRACE
    return too_young or too_old


def _sex_other(sex: str | None, limits: StudyLimits) -> bool:
    return sex is not None and limits.sex is not None and limits.sex.lower() in ("female", "male") and limits.sex.lower() != sex
