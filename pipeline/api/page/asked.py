"""The page's form as a search, and back as the form's state."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from pipeline.api.page.choices import Choices
from pipeline.api.page.posted import Posted
from pipeline.domain.errors import UsageError
from pipeline.domain.vocabulary import DocumentKind, Section
from pipeline.search.request import SearchRequest, make_request

LIMITS: Final = (10, 25, 50)
LONGEST_QUERY: Final = 4000  # of a ``SearchRequest``

_SEVERAL: Final = ("kinds", "phases", "study_types")  # boxes
_ONE: Final = ("agencies", "states", "departments", "access", "resource_status")  # a list to pick from
_CODES: Final = {
    "icd": "icd_codes",
    "loinc": "loinc_codes",
    "snomed": "snomed_codes",
    "rxnorm": "rxnorm_codes",
}  # several may be typed in one


@dataclass(frozen=True, slots=True)
class Part:
    """A part of documents that a reader may search in."""

    label: str
    sections: tuple[Section, ...]
    of_trials: bool


#: In the order in which they are offered.
PARTS: Final[dict[str, Part]] = {
    "inclusion": Part("Inclusion criteria", (Section.INCLUSION_CRITERION,), True),
    "exclusion": Part("Exclusion criteria", (Section.EXCLUSION_CRITERION,), True),
    "eligibility": Part(
        "All eligibility criteria", (Section.INCLUSION_CRITERION, Section.EXCLUSION_CRITERION, Section.ELIGIBILITY_UNPARSED), True
    ),
    "interventions": Part("Interventions and outcomes", (Section.INTERVENTION, Section.OUTCOME), True),
    "dosing": Part(
        "Dosing and medications", (Section.DOSING, Section.MEDICATIONS, Section.DISCHARGE_MEDICATIONS, Section.DOSE_MODIFICATION), False
    ),
    "indications": Part(
        "Indications, contraindications, precautions",
        (Section.INDICATIONS, Section.CONTRAINDICATIONS, Section.PRECAUTIONS, Section.ADVERSE_EFFECTS, Section.ALLERGIES),
        False,
    ),
    "treatment": Part("Treatment by age", (Section.TREATMENT, Section.ADULT, Section.PEDIATRIC, Section.BASE_CONTACT), False),
    "assessment": Part(
        "Findings, assessment and plan",
        (
            Section.FINDINGS,
            Section.IMPRESSION,
            Section.DIAGNOSIS,
            Section.ASSESSMENT,
            Section.PLAN,
            Section.ASSESSMENT_AND_PLAN,
            Section.HOSPITAL_COURSE,
            Section.RECOMMENDATION,
        ),
        False,
    ),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """The form's state."""

    query: str = field(default="", repr=False)
    recruiting: bool = False
    answer: bool = False
    part: str = ""
    condition: str = field(default="", repr=False)
    codes: dict[str, str] = field(default_factory=dict, repr=False)  # as they were typed
    patient: str = field(default="", repr=False)
    encounter: str = field(default="", repr=False)
    scope: str = field(default="", repr=False)
    dated_from: str = ""  # as it was typed
    dated_to: str = ""
    limit: int = LIMITS[0]
    picked: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False)

    def has(self, name: str, value: str) -> bool:
        """Whether a filter has this value."""
        return value in self.picked.get(name, ())

    @property
    def filters(self) -> int:
        """How many filters are set; "recruiting only" stands outside them."""
        typed = (self.condition, self.patient, self.encounter, self.scope, self.dated_from, self.dated_to)
        return sum(bool(one) for one in (self.part, *typed, *self.codes.values(), *self.picked.values()))

    @property
    def of_resources(self) -> bool:
        """Whether a filter is set that FHIR resources alone have."""
        return bool(
            self.encounter or self.picked.get("resource_status") or any(self.codes.get(name) for name in ("loinc", "snomed", "rxnorm"))
        )

    def request(self, offered: Choices) -> SearchRequest:
        """Return the search.

        Raises:
            UsageError: The query is empty or too long, or a date is none. It quotes nothing.
        """
        return make_request(
            query=self.query,
            limit=self.limit,
            recruiting_only=self.recruiting,
            sections=PARTS[self.part].sections if self.part else (),
            conditions=(_as_offered(self.condition, offered.conditions),) if self.condition else (),
            patients=(self.patient,) if self.patient else (),
            encounters=(self.encounter,) if self.encounter else (),
            scopes=(self.scope,) if self.scope else (),
            **self._dates(),
            **{_CODES[name]: tuple(code.upper() for code in re.split(r"[\s,;]+", typed) if code) for name, typed in self.codes.items()},
            **{name: values for name, values in self.picked.items() if values},
        )

    def _dates(self) -> dict[str, date | None]:
        try:
            first, last = (date.fromisoformat(typed) if typed else None for typed in (self.dated_from, self.dated_to))
        except ValueError:
            raise UsageError("A date is written as year, month and day: 2031-05-17.") from None
        if first and last and first > last:
            raise UsageError("The first day is after the last one.")
        return {"dated_from": first, "dated_to": last}


def asked_of(posted: Posted) -> Asked:
    """Return what the form says; what is none of its values is left out."""
    limit, part = posted.one("limit"), posted.one("part")
    return Asked(
        query=posted.one("query"),
        recruiting=bool(posted.one("recruiting")),
        answer=bool(posted.one("answer")),
        part=part if part in PARTS else "",
        condition=posted.one("condition"),
        codes={name: posted.one(name) for name in _CODES},
        patient=posted.one("patient"),
        encounter=posted.one("encounter"),
        scope=posted.one("scope"),
        dated_from=posted.one("dated_from"),
        dated_to=posted.one("dated_to"),
        limit=next((one for one in LIMITS if str(one) == limit), LIMITS[0]),
        picked={name: posted.all(name) for name in _SEVERAL} | {name: posted.all(name)[:1] for name in _ONE},
    )


def parts_for(offered: Choices) -> dict[str, str]:
    """Return the parts that documents of these kinds have, with their labels."""
    has_trials = DocumentKind.TRIAL.value in offered.kinds
    has_others = any(kind != DocumentKind.TRIAL.value for kind in offered.kinds)
    return {name: part.label for name, part in PARTS.items() if (has_trials if part.of_trials else has_others)}


def _as_offered(typed: str, offered: tuple[str, ...]) -> str:
    """Return a value in the spelling of the documents: who types "asthma" means "Asthma"."""
    return next((value for value in offered if value.casefold() == typed.casefold()), typed)
