"""A description of a patient, read: age, sex, what brings the patient, conditions named and conditions that the findings point to."""

from __future__ import annotations

import re
from typing import Final, Literal

from pipeline.search.patient.conditions import weigh
from pipeline.search.patient.model import Condition, Patient
from pipeline.search.patient.presentations import suspected
from pipeline.search.patient.questionnaire import is_nothing, read_questionnaire, said
from pipeline.search.patient.sentences import affirmed, of_relatives, sentences

#: Words from which a query is taken for a description: of 30 medics' questions and own queries the longest has 21.
FEWEST_WORDS: Final = 25

_AGE: Final = re.compile(
    r"\b(?P<number>\d{1,3}(?:\.\d)?)\s*[- ]?\s*(?P<unit>years?|yrs?|y/?o|yo|y\.o\.|months?|mos?|weeks?|days?)(?:[- ]?(?:old|of[- ]age))?\b|"
    r"\bage[d:]?\s*(?P<plain>\d{1,3})\b|\b(?P<letter>\d{1,3})(?P<sex>[MF])\b",
    re.IGNORECASE,
)
_IN_YEARS: Final = {"y": 1.0, "m": 1 / 12, "w": 1 / 52, "d": 1 / 365}
_FEMALE: Final = re.compile(r"\b(?:woman|female|girl|lady|she|her|pregnan\w+|mother of)\b|\b\d{1,3}\s?F\b", re.IGNORECASE)
_MALE: Final = re.compile(r"\b(?:man|male|boy|gentleman|he|his)\b|\b\d{1,3}\s?M\b", re.IGNORECASE)
_OLDEST: Final = 120
_LEADING: Final = 2  # sentences that tell what brings the patient


def read_patient(query: str) -> Patient | None:
    """Return the patient that a query describes, or ``None``: it is too short for a description, and no questionnaire."""
    if form := read_questionnaire(query):
        return _of_questionnaire(query, *form)
    if len(query.split()) < FEWEST_WORDS:
        return None
    return _of_prose(query)


def _of_questionnaire(query: str, disorder: str, answers: tuple[tuple[str, str], ...]) -> Patient:
    present = [said(name, value) for name, value in answers if not is_nothing(value)]
    return Patient(
        age_years=age_in(query),
        sex=sex_in(query),
        problem=disorder,
        conditions=(Condition(disorder, 1.0),),
        answers=answers,
        present="; ".join((disorder, *present)),
    )


def _of_prose(query: str) -> Patient:
    parts = sentences(query)
    age, sex = age_in(query), sex_in(query)
    own = [part for part in parts if not of_relatives(part)]
    return Patient(
        age_years=age,
        sex=sex,
        problem=" ".join(affirmed(part) for part in own[:_LEADING]),
        conditions=tuple(weigh(parts)),
        suspected=tuple(suspected(parts, age_years=age, sex=sex)),
        present=" ".join(filter(None, map(affirmed, own))),
    )


def age_in(text: str) -> float | None:
    """Return the age that comes first in a text, in years; a duration is none ("for 3 years")."""
    for match in _AGE.finditer(text):
        number = float(match["number"] or match["plain"] or match["letter"])
        old = match["number"] is None or re.search(r"old|age|y/?o|y\.o", match.group(), re.IGNORECASE) or _follows_person(text, match.end())
        if old and number <= _OLDEST:
            return number * _IN_YEARS[(match["unit"] or "y")[0].lower()]
    return None


def _follows_person(text: str, end: int) -> bool:
    return (
        re.match(r"\s*(?:\w+[- ]){0,2}(?:man|woman|male|female|boy|girl|patient|gentleman|lady|infant|child)\b", text[end:], re.IGNORECASE)
        is not None
    )


def sex_in(text: str) -> Literal["male", "female"] | None:
    """Return the sex that a text's first word of it says."""
    female, male = _FEMALE.search(text), _MALE.search(text)
    if female and (male is None or female.start() < male.start()):
        return "female"
    return "male" if male else None
