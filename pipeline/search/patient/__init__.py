"""A patient described in a query, for finding trials: in go a case, a referral or a questionnaire, out go facts and shorter wordings."""

from __future__ import annotations

from pipeline.search.patient.model import Condition, Patient
from pipeline.search.patient.read import read_patient

__all__ = ["Condition", "Patient", "read_patient"]
