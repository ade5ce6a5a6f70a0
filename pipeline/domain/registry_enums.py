"""The registry's enumerations that concern stored fields: code → words for people.

Keyed by the schema name in the registry's own OpenAPI file (API v2). A test compares both. A code that is not here is kept as
text, noted and counted. The words are the field's common terms.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

RECRUITING: Final = "RECRUITING"  # "recruiting" means exactly this status, not "not yet" and not "by invitation"

_STATUS: Final = {
    "ACTIVE_NOT_RECRUITING": "active, not recruiting",
    "COMPLETED": "completed",
    "ENROLLING_BY_INVITATION": "enrolling by invitation",
    "NOT_YET_RECRUITING": "not yet recruiting",
    "RECRUITING": "recruiting",
    "SUSPENDED": "suspended",
    "TERMINATED": "terminated",
    "WITHDRAWN": "withdrawn",
    "AVAILABLE": "available",
}
_EXPANDED_ACCESS_STATUS: Final = {
    "AVAILABLE": "available",
    "NO_LONGER_AVAILABLE": "no longer available",
    "TEMPORARILY_NOT_AVAILABLE": "temporarily not available",
    "APPROVED_FOR_MARKETING": "approved for marketing",
}
_ID_AGENCIES: Final = {
    "NIH": "U.S. NIH grant or contract",
    "FDA": "U.S. FDA grant or contract",
    "VA": "U.S. VA grant or contract",
    "CDC": "U.S. CDC grant or contract",
    "AHRQ": "U.S. AHRQ grant or contract",
    "SAMHSA": "U.S. SAMHSA grant or contract",
}
_ACTUAL_OR_ESTIMATED: Final = {"ACTUAL": "actual", "ESTIMATED": "estimated"}

ENUMERATIONS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "Status": {**_STATUS, **_EXPANDED_ACCESS_STATUS, "WITHHELD": "withheld", "UNKNOWN": "unknown status"},
        "RecruitmentStatus": _STATUS,
        "ExpandedAccessStatus": _EXPANDED_ACCESS_STATUS,
        "StudyType": {"EXPANDED_ACCESS": "expanded access", "INTERVENTIONAL": "interventional", "OBSERVATIONAL": "observational"},
        "Phase": {
            "NA": "not applicable",
            "EARLY_PHASE1": "early phase 1",
            "PHASE1": "phase 1",
            "PHASE2": "phase 2",
            "PHASE3": "phase 3",
            "PHASE4": "phase 4",
        },
        "Sex": {"FEMALE": "female", "MALE": "male", "ALL": "all"},
        "StandardAge": {"CHILD": "child (birth to 17)", "ADULT": "adult (18 to 64)", "OLDER_ADULT": "older adult (65 and over)"},
        "SamplingMethod": {"PROBABILITY_SAMPLE": "probability sample", "NON_PROBABILITY_SAMPLE": "non-probability sample"},
        "OrgStudyIdType": _ID_AGENCIES,
        "SecondaryIdType": {
            **_ID_AGENCIES,
            "OTHER_GRANT": "other grant or funding number",
            "EUDRACT_NUMBER": "EudraCT number",
            "REGISTRY": "other registry's id",
            "OTHER": "other id",
        },
        "AgencyClass": {
            "NIH": "NIH",
            "FED": "other U.S. federal agency",
            "OTHER_GOV": "other government",
            "INDIV": "individual",
            "INDUSTRY": "industry",
            "NETWORK": "network",
            "AMBIG": "ambiguous",
            "OTHER": "other",
            "UNKNOWN": "unknown",
        },
        "DateType": _ACTUAL_OR_ESTIMATED,
        "EnrollmentType": _ACTUAL_OR_ESTIMATED,
        "DesignAllocation": {"RANDOMIZED": "randomized", "NON_RANDOMIZED": "non-randomized", "NA": "not applicable"},
        "InterventionalAssignment": {
            "SINGLE_GROUP": "single group",
            "PARALLEL": "parallel",
            "CROSSOVER": "crossover",
            "FACTORIAL": "factorial",
            "SEQUENTIAL": "sequential",
        },
        "PrimaryPurpose": {
            "TREATMENT": "treatment",
            "PREVENTION": "prevention",
            "DIAGNOSTIC": "diagnostic",
            "ECT": "educational, counselling or training",
            "SUPPORTIVE_CARE": "supportive care",
            "SCREENING": "screening",
            "HEALTH_SERVICES_RESEARCH": "health services research",
            "BASIC_SCIENCE": "basic science",
            "DEVICE_FEASIBILITY": "device feasibility",
            "OTHER": "other",
        },
        "ObservationalModel": {
            "COHORT": "cohort",
            "CASE_CONTROL": "case-control",
            "CASE_ONLY": "case-only",
            "CASE_CROSSOVER": "case-crossover",
            "ECOLOGIC_OR_COMMUNITY": "ecologic or community",
            "FAMILY_BASED": "family-based",
            "DEFINED_POPULATION": "defined population",
            "NATURAL_HISTORY": "natural history",
            "OTHER": "other",
        },
        "DesignTimePerspective": {
            "RETROSPECTIVE": "retrospective",
            "PROSPECTIVE": "prospective",
            "CROSS_SECTIONAL": "cross-sectional",
            "OTHER": "other",
        },
        "DesignMasking": {
            "NONE": "none (open label)",
            "SINGLE": "single",
            "DOUBLE": "double",
            "TRIPLE": "triple",
            "QUADRUPLE": "quadruple",
        },
        "WhoMasked": {
            "PARTICIPANT": "participant",
            "CARE_PROVIDER": "care provider",
            "INVESTIGATOR": "investigator",
            "OUTCOMES_ASSESSOR": "outcomes assessor",
        },
        "ArmGroupType": {
            "EXPERIMENTAL": "Experimental",
            "ACTIVE_COMPARATOR": "Active comparator",
            "PLACEBO_COMPARATOR": "Placebo comparator",
            "SHAM_COMPARATOR": "Sham comparator",
            "NO_INTERVENTION": "No intervention",
            "OTHER": "Other",
        },
        "InterventionType": {
            "BEHAVIORAL": "Behavioral",
            "BIOLOGICAL": "Biological",
            "COMBINATION_PRODUCT": "Combination product",
            "DEVICE": "Device",
            "DIAGNOSTIC_TEST": "Diagnostic test",
            "DIETARY_SUPPLEMENT": "Dietary supplement",
            "DRUG": "Drug",
            "GENETIC": "Genetic",
            "PROCEDURE": "Procedure",
            "RADIATION": "Radiation",
            "OTHER": "Other",
        },
    }
)


def label(enumeration: str, code: str) -> str:
    """Return the words for a code, or the code itself where it is unknown.

    Raises:
        KeyError: There is no such enumeration.
    """
    return ENUMERATIONS[enumeration].get(code, code)
