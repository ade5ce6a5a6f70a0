"""Wordings of a patient's description: itself, and what it is about. It is mostly findings and history, and a trial is about one condition."""

from __future__ import annotations

import re
from typing import Final

from pipeline.search.patient.model import Patient
from pipeline.search.patient.narrative import by_weight
from pipeline.search.patient.questionnaire import is_nothing, said
from pipeline.search.understand.model import Variant, Why
from pipeline.search.understand.terms import Kind, terms

_STATED: Final = 1.0  # standing from which a named condition is taken for what the patient comes for
_NAMED_WITHOUT_SUSPICION: Final = 2  # conditions taken where nothing else is known
_NAMES_OF_A_SUSPICION: Final = 2  # a disease has several names in trials
#: Weight in BM25 of what else the patient has, and of other names of what it may be. Cross-validated within the fitted half 0.35 loses 0.005 and 0.75
#: 0.010 in nDCG@10; without it, 0.004, 0.029 of recall@100 and 0.028 of pair accuracy.
_OTHERS_WEIGH: Final = 0.5
_OTHERS_NAMED: Final = 3
_PRESENT: Final = 0.0  # standing from which a named condition is no mere history
_DIAGNOSIS: Final = re.compile(r"\b(?:diagnosis|stage|type|grade|subtype|status of disease)\b", re.IGNORECASE)


def wordings(query: str, patient: Patient) -> list[Variant]:
    """Return the wordings to search with: the description as it was asked, and what it is about, by name."""
    focus = about(patient)
    terms_of_focus = ((others(patient), _OTHERS_WEIGH), (focus, 1.0))
    return [Variant(query, Why.ORIGINAL, terms=by_weight(query)), Variant(focus, Why.FOCUS, terms=terms_of_focus)]


def others(patient: Patient) -> str:
    """Return conditions that the patient has, history left out, and all names of what is suspected; what it is about is mostly among them."""
    named = [one.name for one in patient.conditions[:_OTHERS_NAMED] if one.standing >= _PRESENT]
    suspected = [name for names in patient.suspected[:1] for name in names]
    return "; ".join((*named, *suspected))


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
