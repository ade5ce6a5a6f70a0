"""Care sites by name, against kinds of care, headings and learned bodies."""

from __future__ import annotations

import pytest

from pipeline.stages.deidentify.recognisers.facilities import Facilities
from pipeline.stages.deidentify.resolve import resolve


def found(text: str) -> list[str]:
    return [text[each.start : each.end] for each in resolve(Facilities().find(text, None))]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            "Sent from St. Odile's Hospital to Harrow County Medical Center, Ward 3 East.",
            ["St. Odile's Hospital", "Harrow County Medical Center"],
        ),
        ("seen at Mercy General last week", ["Mercy General"]),
        ("Tollgate Nursing Home resident", ["Tollgate Nursing Home"]),
        ("picked up at Fernway Pharmacy", ["Fernway Pharmacy"]),
        ("LAB RESULTS\tSt. Odile Hospital Laboratory\tPage 1", ["St. Odile Hospital Laboratory"]),
        ("Fernway Heart & Vascular Institute", ["Fernway Heart & Vascular Institute"]),
        ("to Children's Hospital of the Ozarks. Callback later", ["Children's Hospital of the Ozarks"]),
        ("Smart Healthcare referral", ["Smart Healthcare"]),
        ("Children's Hospital of Philadelphia", ["Children's Hospital of Philadelphia"]),
        ("admitted to Johns Hopkins, then home", ["Johns Hopkins"]),
        ("Johns Hopkins Hospital, Baltimore", ["Johns Hopkins Hospital, Baltimore"]),
        ("treated at UCLA med center", ["UCLA med center"]),
        ("follows at the VA for diabetes", ["VA"]),
        ("visited our Dallas clinic", ["Dallas clinic"]),
        ("at St. Odile's overnight", ["St. Odile's"]),
        ("the Denver Neurology Clinic", ["Denver Neurology Clinic"]),
        ("Hospital: Quarry Hill Medical Center Attending Physician: O. Pell", ["Quarry Hill Medical Center"]),
        ("Facility: Lowmoor House", ["Lowmoor House"]),
        ("TRANSFERRED FROM TOLLGATE HOSPITAL", ["TOLLGATE HOSPITAL"]),
        ("at Mercy hospital", ["Mercy hospital"]),
        ("Report  St. Odile Regional Hospital  Radiology", ["St. Odile Regional Hospital"]),
        ("goes to Tollgate VAMC", ["Tollgate VAMC"]),
        ("held at Fernley State Prison", ["Fernley State Prison"]),
        ("pcp at riverside clinic", ["riverside clinic"]),
        ("from st. odile's hospital", ["st. odile's hospital"]),
        ("bloods from BrightLabs yesterday", ["BrightLabs"]),
        ("referral to Woodrow Endocrinology", ["Woodrow Endocrinology"]),
    ],
)
def test_finds_names(text: str, names: list[str]) -> None:
    assert found(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "HOSPITAL COURSE: stable",
        "managed in primary healthcare",
        "Primary Healthcare and tertiary care",
        "Brief Hospital Course and Hospital Day 3",
        "seen in the Emergency Department, then ICU",
        "Primary Care Clinic follow-up; Pain Clinic",
        "returned to the clinic; local hospital; nursing home",
        "Ward 2 North, bed 12",
        "New York Heart Association class III",
        "Eastern Cooperative Oncology Group status 1",
        "National Cancer Institute criteria",
        "the American Society of Clinical Oncology",
        "the World Health Organization and the National Institutes of Health",
        "Internal Medicine consult; General Surgery; Interventional Radiology",
        "General: well appearing",
        "referred to Cardiology",
        "the VA was 20/40 OD",
        "Mental Health Services",
        "Facility: Skilled Nursing Facility",
        "clamped with straight Ochsner clamps",
        "Hospital Anxiety and Depression Scale",
        "Data Coordinating Center",
        "WAS SEEN IN CLINIC",
        "at L1-L2.,PAST MEDICAL HISTORY",
        "taken to Cath Lab",
        "suspended from Mayo stand",
        "Visit  Hospital  Clinic",
        "at outside hospital, from pain clinic",
        "takes St. John's wort",
        "Kaiser Fleischer rings",
    ],
)
def test_leaves_kinds_of_care_and_learned_bodies(text: str) -> None:
    assert found(text) == []
