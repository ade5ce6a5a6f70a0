"""Invented studies in the registry's v2 JSON, for tests. No record of the registry is copied; ids start at NCT90000001."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any, Final

FIRST_NUMBER: Final = 90_000_001
_FIRST_UPDATE: Final = date(2024, 1, 15)

CRITERIA: Final = """Inclusion Criteria:

* Adults with gout confirmed by crystal analysis
* Serum urate \\>= 6.0 mg/dL at screening

Exclusion Criteria:

* eGFR \\< 30 mL/min/1.73m\\^2
* Known allergy to the study drug"""


def invented_nct_id(index: int) -> str:
    """Return the ``index``-th invented id, counted from 0."""
    return f"NCT{FIRST_NUMBER + index}"


def study_record(index: int = 0, **modules: Any) -> dict[str, Any]:
    """Return a complete invented study.

    Args:
        index: Gives the NCT id, the titles and the last update (one day later an index).
        modules: Replaces whole modules by their v2 name; ``None`` leaves one out.
    """
    protocol = {**_about(index), **_how(index), **modules}
    return {
        "protocolSection": {name: module for name, module in protocol.items() if module is not None},
        "derivedSection": {"miscInfoModule": {"versionHolder": "2024-06-01"}},
        "hasResults": False,
    }


def study_records(count: int) -> list[dict[str, Any]]:
    """Return ``count`` invented studies, ids and last updates ascending."""
    return [study_record(index) for index in range(count)]


def _about(index: int) -> dict[str, Any]:
    updated = (_FIRST_UPDATE + timedelta(days=index)).isoformat()
    return {
        "identificationModule": {
            "nctId": invented_nct_id(index),
            "orgStudyIdInfo": {"id": f"CLX-{index:04d}"},
            "secondaryIdInfos": [{"id": f"2099-{index:06d}-11", "type": "EUDRACT_NUMBER"}],
            "organization": {"fullName": "Example Institute of Rheumatology", "class": "OTHER"},
            "briefTitle": f"Uritrol for Gout, Study {index + 1}",
            "officialTitle": f"A Randomized Trial of Uritrol Against Placebo in Adults With Gout, Study {index + 1}",
            "acronym": "URI-GO",
        },
        "statusModule": {
            "statusVerifiedDate": "2024-01",
            "overallStatus": "RECRUITING",
            "expandedAccessInfo": {"hasExpandedAccess": False},
            "startDateStruct": {"date": "2023-11", "type": "ACTUAL"},
            "primaryCompletionDateStruct": {"date": "2026-01-31", "type": "ESTIMATED"},
            "completionDateStruct": {"date": "2026-06", "type": "ESTIMATED"},
            "studyFirstSubmitDate": "2023-10-02",
            "studyFirstPostDateStruct": {"date": "2023-10-05", "type": "ACTUAL"},
            "lastUpdateSubmitDate": updated,
            "lastUpdatePostDateStruct": {"date": updated, "type": "ACTUAL"},
        },
        "sponsorCollaboratorsModule": {
            "responsibleParty": {"type": "SPONSOR"},
            "leadSponsor": {"name": "Example Institute of Rheumatology", "class": "OTHER"},
            "collaborators": [{"name": "Invented Pharma Ltd", "class": "INDUSTRY"}],
        },
        "descriptionModule": {
            "briefSummary": "This study asks whether uritrol lowers serum urate in adults with gout.",
            "detailedDescription": "Participants take one tablet a day for 24 weeks.\n\nUrate is measured every four weeks.",
        },
        "conditionsModule": {"conditions": ["Gout", "Hyperuricemia"], "keywords": ["urate", "flare"]},
        "eligibilityModule": {
            "eligibilityCriteria": CRITERIA,
            "healthyVolunteers": False,
            "sex": "ALL",
            "minimumAge": "18 Years",
            "maximumAge": "75 Years",
            "stdAges": ["ADULT", "OLDER_ADULT"],
        },
    }


def _how(index: int) -> dict[str, Any]:
    return {
        "designModule": {
            "studyType": "INTERVENTIONAL",
            "phases": ["PHASE2", "PHASE3"],
            "designInfo": {
                "allocation": "RANDOMIZED",
                "interventionModel": "PARALLEL",
                "primaryPurpose": "TREATMENT",
                "maskingInfo": {"masking": "DOUBLE", "whoMasked": ["PARTICIPANT", "INVESTIGATOR"]},
            },
            "enrollmentInfo": {"count": 100 + index, "type": "ESTIMATED"},
        },
        "armsInterventionsModule": {
            "armGroups": [
                {
                    "label": "Uritrol",
                    "type": "EXPERIMENTAL",
                    "description": "Uritrol 80 mg daily",
                    "interventionNames": ["Drug: Uritrol"],
                },
                {"label": "Placebo", "type": "PLACEBO_COMPARATOR", "interventionNames": ["Drug: Placebo"]},
            ],
            "interventions": [
                {
                    "type": "DRUG",
                    "name": "Uritrol",
                    "description": "Film-coated tablet, 80 mg",
                    "armGroupLabels": ["Uritrol"],
                    "otherNames": ["CLX-001"],
                },
                {"type": "DRUG", "name": "Placebo", "armGroupLabels": ["Placebo"]},
            ],
        },
        "outcomesModule": {
            "primaryOutcomes": [
                {"measure": "Serum urate", "description": "Share of participants below 6.0 mg/dL", "timeFrame": "24 weeks"}
            ],
            "secondaryOutcomes": [{"measure": "Gout flares", "timeFrame": "24 weeks"}],
        },
        "contactsLocationsModule": {
            "centralContacts": [{"name": "Invented Contact", "role": "CONTACT", "email": "contact@example.org"}],
            "overallOfficials": [{"name": "Invented Official", "affiliation": "Example Institute", "role": "STUDY_CHAIR"}],
            "locations": [
                {
                    "facility": "Example Hospital",
                    "status": "RECRUITING",
                    "city": "Springfield",
                    "state": "Ohio",
                    "zip": "45501",
                    "country": "United States",
                    "contacts": [{"name": "Invented Nurse", "role": "CONTACT", "phone": "555-0100"}],
                    "geoPoint": {"lat": 39.92423, "lon": -83.80882},
                }
            ],
        },
    }
