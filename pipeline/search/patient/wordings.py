"""Shorter wordings of a patient's description: a long one is mostly findings and history, and a trial is about one condition."""

from __future__ import annotations

import re
from typing import Final

from pipeline.search.patient.model import Patient
from pipeline.search.patient.questionnaire import is_nothing, said
from pipeline.search.understand.model import Variant, Why
from pipeline.search.understand.terms import Kind, terms

_STATED: Final = 1.0  # standing from which a named condition is taken for what the patient comes for
_NAMED_WITHOUT_SUSPICION: Final = 2  # conditions taken where nothing else is known
_NAMES_OF_A_SUSPICION: Final = 2  # a disease has several names in trials
_DIAGNOSIS: Final = re.compile(r"\b(?:diagnosis|stage|type|grade|subtype|status of disease)\b", re.IGNORECASE)


def wordings(patient: Patient) -> list[Variant]:
    """Return the wordings to search with beside the description itself: what it is about, by name."""
    return [Variant(about(patient), Why.FOCUS)]


def about(patient: Patient) -> str:
    """Return the conditions that the patient's trials would be about; where none is known, what brings the patient in its own words."""
    names = _of_answers(patient) if patient.answers else _of_prose(patient)
    written_out = [term.preferred for name in names for term in terms(name) if term.kind is Kind.ABBREVIATION]
    return "; ".join(dict.fromkeys((*names, *written_out))) or patient.problem


def _of_answers(patient: Patient) -> list[str]:
    stated = [said("", value).strip() for name, value in patient.answers if _DIAGNOSIS.search(name) and not is_nothing(value)]
    return [patient.problem, *filter(_says_something, stated)]


def _of_prose(patient: Patient) -> list[str]:
    names = [one.name for one in patient.conditions[:1] if one.standing >= _STATED]
    for suspicion in patient.suspected[:1]:
        names += suspicion[:_NAMES_OF_A_SUSPICION]
    return names or [one.name for one in patient.conditions[:_NAMED_WITHOUT_SUSPICION]]


def _says_something(value: str) -> bool:
    return bool(value) and not re.match(r"(?:yes|confirmed|positive)\b", value, re.IGNORECASE)
