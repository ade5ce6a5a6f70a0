"""A clinical study as ClinicalTrials.gov's API v2 describes it, normalised.

Names follow the registry's v2 data structure in snake case. Enumerated fields keep the registry's own code as text
(``RECRUITING``), also when it is unknown to us: an unknown one is listed in ``Study.notices`` and never dropped.
Contacts, officials and investigators' names have no field here: they are not stored.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from pipeline.domain.vocabulary import NoticeCategory


class DatePrecision(StrEnum):
    """How much of a date the registry gave."""

    DAY = "day"
    MONTH = "month"
    YEAR = "year"


@dataclass(frozen=True, slots=True)
class PartialDate:
    """A date as given, and the first day it can mean (for sorting and ranges only)."""

    text: str
    precision: DatePrecision
    sort_value: date
    type: str | None = None  # ACTUAL or ESTIMATED


@dataclass(frozen=True, slots=True)
class Age:
    """An age limit: the registry's words and its length in days (365.25 days a year, 30.4375 a month)."""

    text: str
    days: float | None  # None: the words could not be read (a notice says so)


@dataclass(frozen=True, slots=True)
class SecondaryId:
    """Another id of the study."""

    id: str
    type: str | None = None
    domain: str | None = None
    link: str | None = None


@dataclass(frozen=True, slots=True)
class Sponsor:
    """A lead sponsor or collaborator. ``name`` is an organisation's; a person's is not stored."""

    name: str
    sponsor_class: str | None = None


@dataclass(frozen=True, slots=True)
class ArmGroup:
    """One arm of the study."""

    label: str
    type: str | None = None
    description: str | None = field(default=None, repr=False)
    intervention_names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Intervention:
    """One intervention of the study."""

    name: str
    type: str | None = None
    description: str | None = field(default=None, repr=False)
    arm_group_labels: tuple[str, ...] = ()
    other_names: tuple[str, ...] = ()


class OutcomeRole(StrEnum):
    """Which list of the outcomes module an outcome stands in."""

    PRIMARY = "primary"
    SECONDARY = "secondary"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Outcome:
    """One outcome measure of the protocol section."""

    role: OutcomeRole
    measure: str
    description: str | None = field(default=None, repr=False)
    time_frame: str | None = None


@dataclass(frozen=True, slots=True)
class Location:
    """One site. Its contacts are not stored."""

    facility: str | None = None
    status: str | None = None
    city: str | None = None
    state: str | None = None
    zip: str | None = None
    country: str | None = None
    latitude: float | None = None
    longitude: float | None = None


@dataclass(frozen=True, slots=True)
class Eligibility:
    """Who can take part."""

    criteria: str | None = field(default=None, repr=False)  # Markdown as sent
    sex: str | None = None
    minimum_age: Age | None = None  # None: no lower limit
    maximum_age: Age | None = None  # None: no upper limit
    std_ages: tuple[str, ...] = ()
    healthy_volunteers: bool | None = None
    gender_based: bool | None = None
    gender_description: str | None = None
    study_population: str | None = field(default=None, repr=False)
    sampling_method: str | None = None


@dataclass(frozen=True, slots=True)
class Design:
    """What kind of study it is."""

    study_type: str | None = None
    phases: tuple[str, ...] = ()
    allocation: str | None = None
    intervention_model: str | None = None
    observational_model: str | None = None
    time_perspective: str | None = None
    primary_purpose: str | None = None
    masking: str | None = None
    who_masked: tuple[str, ...] = ()
    enrollment_count: int | None = None
    enrollment_type: str | None = None


@dataclass(frozen=True, slots=True)
class Status:
    """Where the study stands, and when it was so."""

    overall_status: str | None = None
    last_known_status: str | None = None
    why_stopped: str | None = None
    status_verified_date: PartialDate | None = None
    start_date: PartialDate | None = None
    primary_completion_date: PartialDate | None = None
    completion_date: PartialDate | None = None
    study_first_submit_date: PartialDate | None = None
    study_first_post_date: PartialDate | None = None
    last_update_submit_date: PartialDate | None = None
    last_update_post_date: PartialDate | None = None
    results_first_post_date: PartialDate | None = None


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the report shows although the record was taken. ``value`` only ever holds a registry code or a field's name."""

    category: NoticeCategory
    field: str
    value: str | None = None


@dataclass(frozen=True, slots=True)
class Study:
    """One registered study."""

    nct_id: str
    brief_title: str | None = None
    official_title: str | None = None
    acronym: str | None = None
    org_study_id: str | None = None
    organization: str | None = None
    nct_id_aliases: tuple[str, ...] = ()
    secondary_ids: tuple[SecondaryId, ...] = ()
    status: Status = Status()
    lead_sponsor: Sponsor | None = None
    collaborators: tuple[Sponsor, ...] = ()
    brief_summary: str | None = field(default=None, repr=False)
    detailed_description: str | None = field(default=None, repr=False)
    conditions: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    design: Design = Design()
    arm_groups: tuple[ArmGroup, ...] = ()
    interventions: tuple[Intervention, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    eligibility: Eligibility = Eligibility()
    locations: tuple[Location, ...] = ()
    has_results: bool | None = None
    notices: tuple[Notice, ...] = ()
