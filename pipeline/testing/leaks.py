"""Invents identifiers of every class in sentences as clinicians write them: what a gate must catch. Nobody's data; reserved numbers."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pipeline.domain.phi import IdentifierClass

_GIVEN: Final = (
    "Marisol", "Terrence", "Wanda", "Ignatius", "Delphine", "Rashida", "Bertram", "Keisha", "Anneliese", "Ramiro", "Shirley", "Desmond",
    "Priya", "Yolanda", "Clifford", "Imogen", "Hector", "Nadine", "Roscoe", "Guadalupe", "Siobhan", "Tremaine", "Agnes", "Wilbur",
)  # fmt: skip
_FAMILY: Final = (
    "Castellanos", "Thornquist", "Okonkwo", "Brown", "Vandermeer", "Delacroix", "Hutchins", "Nakamura", "O'Rourke", "Pettigrew", "Green",
    "Villanueva", "Abernathy", "Szymanski", "Ramaswamy", "Holloway", "Birnbaum", "Kowalczyk", "Lindqvist", "Marchetti", "Banerjee", "Hill",
    "Fitzgerald", "MacTavish",
)  # fmt: skip
_STREETS: Final = ("Juniper", "Old Mill", "Cedar Ridge", "Franklin", "Sycamore", "Hawthorne", "West Elm", "Lakeview")
_KINDS: Final = ("Street", "St.", "Avenue", "Ave", "Road", "Lane", "Drive", "Blvd", "Court", "Terrace")
_TOWNS: Final = ("Millbrook", "Cedar Falls", "Fairhaven", "Ashby", "Kingsport", "Redfield", "Granville", "Lindenhurst")
_STATES: Final = ("OH", "TX", "MN", "NY", "WA", "KS", "NJ", "VT", "IL", "Ohio", "Texas", "Oregon")
_MONTHS: Final = ("January", "March", "May", "June", "August", "October", "Sept", "Dec", "Feb")
_FACILITIES: Final = (
    "Fairhaven Hospital", "Millbrook General Hospital", "Ashby Medical Center", "Lindenhurst Nursing Home", "St. Brendan Hospital",
    "Redfield Clinic", "Granville Memorial Hospital", "Kingsport Dialysis Center", "Cedar Falls Health System", "Holloway Hospice",
)  # fmt: skip
_COMPANIES: Final = ("Brightwell Logistics", "Norcastle Industries", "Tamarind Foods Inc", "Halvorsen LLC", "Pinecrest Elementary School")


@dataclass(frozen=True, slots=True)
class Leak:
    """One identifier in its sentence."""

    category: IdentifierClass
    text: str
    start: int
    end: int  # half-open

    @property
    def value(self) -> str:
        """The identifier itself."""
        return self.text[self.start : self.end]


def leaks(category: IdentifierClass, count: int, *, seed: int = 0) -> Iterator[Leak]:
    """Yield ``count`` sentences with one identifier each; the same arguments give the same sentences."""
    dice = random.Random(f"{category}-{seed}")  # noqa: S311 - invented data
    sentences = _SENTENCES[category]
    for number in range(count):
        before, after = sentences[number % len(sentences)].split("{}")
        value = _value(category, dice, number)
        yield Leak(category, before + value + after, len(before), len(before) + len(value))


def _value(category: IdentifierClass, dice: random.Random, number: int) -> str:
    forms = _FORMS[category]
    return forms[(number // len(_SENTENCES[category])) % len(forms)](dice)


def _digits(dice: random.Random, count: int) -> str:
    return str(dice.randint(1, 9)) + "".join(str(dice.randint(0, 9)) for _ in range(count - 1))


def _capitals(dice: random.Random, count: int) -> str:
    return "".join(dice.choice("ABCDEFGHJKLMNPRSTUVWXYZ") for _ in range(count))


def _full_name(dice: random.Random) -> str:
    return f"{dice.choice(_GIVEN)} {dice.choice(_FAMILY)}"


def _initial_name(dice: random.Random) -> str:
    return f"{dice.choice(_GIVEN)} {_capitals(dice, 1)}. {dice.choice(_FAMILY)}"


def _turned_name(dice: random.Random) -> str:
    return f"{dice.choice(_FAMILY)}, {dice.choice(_GIVEN)}".upper()


def _month_day(dice: random.Random) -> str:
    return f"{dice.choice(_MONTHS)} {dice.randint(1, 28)}"


_VIN_SIGNS: Final = "ABCDEFGHJKLMNPRSTUVWXYZ0123456789"

_C = IdentifierClass

_FORMS: Final = {
    _C.NAME: (_full_name, _initial_name, _turned_name),
    _C.ADDRESS: (
        lambda d: f"{d.randint(2, 9899)} {d.choice(_STREETS)} {d.choice(_KINDS)}",
        lambda d: f"P.O. Box {_digits(d, 4)}",
        lambda d: f"{d.choice(_TOWNS)}, {d.choice(_STATES[:9])}",
        lambda d: f"{d.randint(2, 989)} {d.choice(_STREETS)} {d.choice(_KINDS)} Apt {d.randint(1, 40)}B",
    ),
    _C.ZIP: (lambda d: _digits(d, 5), lambda d: f"{_digits(d, 5)}-{_digits(d, 4)}"),
    _C.FACILITY: (lambda d: d.choice(_FACILITIES),),
    _C.ORGANISATION: (lambda d: d.choice(_COMPANIES),),
    _C.DATE: (
        lambda d: f"{d.randint(1, 12)}/{d.randint(1, 28)}/{d.choice((2031, 2034, '29'))}",
        lambda d: f"2033-{d.randint(1, 12):02}-{d.randint(1, 28):02}",
        lambda d: f"{_month_day(d)}, 2032",
        _month_day,
        lambda d: f"{d.randint(1, 28)} {d.choice(_MONTHS)} 2030",
        lambda d: f"{d.randint(10, 28)}-{d.choice(('Mar', 'Jul', 'Oct'))}-2031",
        lambda d: f"{d.randint(1, 12):02}-{d.randint(1, 28):02}-2030",
        lambda d: f"the {d.randint(4, 19)}th of {d.choice(_MONTHS[:6])}",
    ),
    _C.AGE: (lambda d: str(d.randint(90, 104)),),
    _C.PHONE: (
        lambda d: f"({d.randint(201, 989)}) 555-01{d.randint(10, 99)}",
        lambda d: f"{d.randint(201, 989)}-555-01{d.randint(10, 99)}",
        lambda d: f"{d.randint(201, 989)}.555.01{d.randint(10, 99)}",
        lambda d: f"{d.randint(201, 989)} 555 01{d.randint(10, 99)}",
        lambda d: f"555-01{d.randint(10, 99)}",
        lambda d: f"+44 20 7946 0{d.randint(100, 999)}",
    ),
    _C.FAX: (lambda d: f"({d.randint(201, 989)}) 555-01{d.randint(10, 99)}", lambda d: f"{d.randint(201, 989)}-555-01{d.randint(10, 99)}"),
    _C.EMAIL: (
        lambda d: f"{d.choice(_GIVEN).lower()}.{_digits(d, 2)}@mailbox.example",
        lambda d: f"{d.choice(_FAMILY).lower().replace(chr(39), '')} (at) clinic.example",
    ),
    _C.SSN: (
        lambda d: f"9{_digits(d, 2)}-{_digits(d, 2)}-{_digits(d, 4)}",
        lambda d: f"9{_digits(d, 2)} {_digits(d, 2)} {_digits(d, 4)}",
        lambda d: f"9{_digits(d, 8)}",
    ),
    _C.MRN: (lambda d: _digits(d, 7), lambda d: _digits(d, 5), lambda d: f"{_capitals(d, 1)}{_digits(d, 6)}", lambda d: f"00-{_digits(d, 2)}-{_digits(d, 3)}"),
    _C.HEALTH_PLAN: (lambda d: f"{_capitals(d, 3)}{_digits(d, 9)}", lambda d: _digits(d, 8), lambda d: f"{_digits(d, 4)}-{_digits(d, 5)}"),
    _C.ACCOUNT: (lambda d: _digits(d, 8), lambda d: f"{_digits(d, 4)}-{_digits(d, 4)}", lambda d: f"V{_digits(d, 7)}"),
    _C.LICENSE: (lambda d: f"{_capitals(d, 2)}{_digits(d, 7)}", lambda d: _digits(d, 10), lambda d: f"{_capitals(d, 1)}{_digits(d, 3)}-{_digits(d, 4)}"),
    _C.VEHICLE: (
        lambda d: "".join(d.choice(_VIN_SIGNS) for _ in range(11)) + _digits(d, 6),
        lambda d: f"{_digits(d, 1)}{_capitals(d, 3)}{_digits(d, 3)}",
        lambda d: f"{_capitals(d, 3)}-{_digits(d, 4)}",
    ),
    _C.DEVICE: (lambda d: f"{_capitals(d, 3)}{_digits(d, 6)}", lambda d: _digits(d, 8), lambda d: f"{_capitals(d, 2)}-{_digits(d, 5)}"),
    _C.URL: (
        lambda d: f"https://portal.{d.choice(_TOWNS).split()[0].lower()}.example/u/{_digits(d, 4)}",
        lambda d: f"www.{d.choice(_FAMILY).lower().replace(chr(39), '')}family.example",
    ),
    _C.IP: (lambda d: f"203.0.113.{d.randint(2, 254)}", lambda d: f"2001:db8::{_digits(d, 4)}:1f"),
    _C.BIOMETRIC: (lambda d: f"FP-{_digits(d, 5)}", lambda d: _digits(d, 7)),
    _C.PHOTO: (lambda d: f"IMG_{_digits(d, 4)}.jpg", lambda d: f"face-{_digits(d, 3)}.png", lambda d: f"DSC{_digits(d, 5)}"),
    _C.OTHER_ID: (lambda d: f"S{_digits(d, 2)}-{_digits(d, 5)}", lambda d: _digits(d, 9), lambda d: f"{_capitals(d, 2)}-{_digits(d, 6)}"),
}  # fmt: skip

_SENTENCES: Final[dict[IdentifierClass, tuple[str, ...]]] = {
    _C.NAME: (
        "Discussed the plan with Dr. {} before discharge.", "Patient: {}\nChief complaint: cough for two weeks.",
        "Her daughter {} was at the bedside and agreed.", "Wound care was explained to {} and the home aide.",
        "Electronically signed by {}", "Seen together with {}, MD, who agrees with the assessment.",
        "Spoke with {} about the results of the biopsy.", "Mr. {} tolerated the procedure well.",
    ),
    _C.ADDRESS: (
        "Discharged home to {} with oxygen.", "Address: {}", "The patient lives at {} with two cats.", "Mail the results to {}.",
        "Home visit was made at {} yesterday.",
    ),
    _C.ZIP: (
        "Lives in Fairhaven, OH {} with her sister.", "Zip code: {}", "Mail goes to Ashby, Texas {}.", "ZIP {}; transport arranged.",
        "Moved to Redfield MN {} last year.",
    ),
    _C.FACILITY: (
        "Transferred from {} for higher level of care.", "She was seen at {} for the same complaint.",
        "Records were requested from {}.", "Cared for at {} until last week.", "Outside films ({}) were reviewed.",
    ),
    _C.ORGANISATION: (
        "He works for {} as a driver.", "Employer: {}", "She worked at {} until the stroke.", "Insured through {} since her marriage.",
        "Retired from {} with hearing loss.",
    ),
    _C.DATE: (
        "Admitted on {} with chest pain.", "Date of birth: {}", "Last dose was given {}.", "Follow-up colonoscopy {} as planned.",
        "CT of the head ({}) showed no bleed.", "Surgery was performed on {}.", "Symptoms began {} after a fall.",
    ),
    _C.AGE: (
        "This is a {}-year-old woman with heart failure.", "A {} year old man was brought in after a fall.", "Age: {}", "Pt is {} y/o with dementia.",
        "{}yo female with hip fracture.", "The patient, aged {}, lives alone.",
    ),
    _C.PHONE: (
        "Call the daughter at {} with results.", "Phone: {}", "She can be reached at {} after five.", "Cell {} is preferred.",
        "Pager {} for questions overnight.", "Contact number is {}.",
    ),
    _C.FAX: ("Fax: {}", "Please fax the report to {}.", "Results were faxed; fax number {}.", "Tel/Fax {}"),
    _C.EMAIL: ("Send the summary to {}.", "E-mail: {}", "He prefers {} for reminders.", "Portal login {} was reset."),
    _C.SSN: ("SSN: {}", "Social security number {} was verified.", "SSN {} on the face sheet.", "Soc. sec. confirmed, SSN# {}."),
    _C.MRN: ("MRN: {}", "Medical record number {} was merged.", "MRN {} seen in clinic.", "Hospital number {}.", "Chart # {} pulled."),
    _C.HEALTH_PLAN: (
        "Member ID: {}", "Policy number {} is active.", "Medicare {} on file.", "Health plan ID {}.", "Subscriber # {} verified.",
        "Insurance: group no. {}.",
    ),
    _C.ACCOUNT: ("Account number: {}", "Billed to acct {}.", "Acct # {} closed.", "Visit number {}.", "Encounter {} reopened."),
    _C.LICENSE: (
        "Driver's license {} was copied.", "DEA number {}", "NPI: {}", "License no. {} expired.", "Passport {} was shown as proof.",
    ),
    _C.VEHICLE: ("VIN {} was reported by police.", "License plate {}.", "Plate number {} at the scene.", "Vehicle VIN: {} towed."),
    _C.DEVICE: (
        "Pacemaker serial number {}.", "Pump s/n {} was replaced.", "Serial no. {} (left knee implant).", "Device ID {} interrogated.",
        "Implant: cochlear device, serial {}.",
    ),
    _C.URL: ("Images are at {} for review.", "See {} for the family's blog.", "Uploaded to {}", "Patient page: {}"),
    _C.IP: ("Portal login from {} was blocked.", "IP address {}", "Monitor streams to {} at night.", "Home device at {} went offline."),
    _C.BIOMETRIC: ("Fingerprint ID {} enrolled.", "Iris scan {} on file.", "Voiceprint {} was recorded.", "Biometric template {} stored."),
    _C.PHOTO: ("Photo {} is in the chart.", "Wound photograph {} uploaded.", "Face photo: {}", "Picture {} was taken for the badge."),
    _C.OTHER_ID: ("Accession {} was amended.", "Specimen {} received fresh.", "Order number {}", "Case no. {} was presented.", "Employee ID {} was exposed."),
}  # fmt: skip
