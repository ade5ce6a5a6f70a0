"""What identifies a person: the classes of HIPAA Safe Harbor, 45 CFR 164.514(b)(2)(i), and a place where one was found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class IdentifierClass(StrEnum):
    """Kinds of identifiers. Each belongs to one of the 18 paragraphs of Safe Harbor (``SAFE_HARBOR``)."""

    NAME = "NAME"  # of patients, relatives, clinicians and anyone else; initials that stand for a person
    ADDRESS = "ADDRESS"  # street, box, building; a city or county with or without its state
    ZIP = "ZIP"
    FACILITY = "FACILITY"  # hospital, clinic, nursing home, practice
    ORGANISATION = "ORGANISATION"  # an employer, a school, an insurer: only where it is one of a person
    DATE = "DATE"  # any element but the year, and a year that tells an age over 89
    AGE = "AGE"  # over 89
    PHONE = "PHONE"
    FAX = "FAX"
    EMAIL = "EMAIL"
    SSN = "SSN"
    MRN = "MRN"
    HEALTH_PLAN = "HEALTH_PLAN"
    ACCOUNT = "ACCOUNT"
    LICENSE = "LICENSE"  # driver's and professional licences, NPI, DEA, passport and certificate numbers
    VEHICLE = "VEHICLE"  # plates and VINs
    DEVICE = "DEVICE"  # serial numbers and unique device identifiers
    URL = "URL"
    IP = "IP"
    BIOMETRIC = "BIOMETRIC"
    PHOTO = "PHOTO"  # a reference to a full-face photograph or a file that holds one
    OTHER_ID = "OTHER_ID"  # any other unique number or code: accession, order, case, employee, study subject


SAFE_HARBOR: Final = MappingProxyType(
    {
        IdentifierClass.NAME: "A",
        IdentifierClass.ADDRESS: "B",
        IdentifierClass.ZIP: "B",
        IdentifierClass.FACILITY: "B",
        IdentifierClass.ORGANISATION: "B",
        IdentifierClass.DATE: "C",
        IdentifierClass.AGE: "C",
        IdentifierClass.PHONE: "D",
        IdentifierClass.FAX: "E",
        IdentifierClass.EMAIL: "F",
        IdentifierClass.SSN: "G",
        IdentifierClass.MRN: "H",
        IdentifierClass.HEALTH_PLAN: "I",
        IdentifierClass.ACCOUNT: "J",
        IdentifierClass.LICENSE: "K",
        IdentifierClass.VEHICLE: "L",
        IdentifierClass.DEVICE: "M",
        IdentifierClass.URL: "N",
        IdentifierClass.IP: "O",
        IdentifierClass.BIOMETRIC: "P",
        IdentifierClass.PHOTO: "Q",
        IdentifierClass.OTHER_ID: "R",
    }
)


@dataclass(frozen=True, slots=True)
class Found:
    """A stretch of text that identifies somebody. Offsets are half-open, in characters. Never the value."""

    start: int
    end: int
    category: IdentifierClass
    score: float  # 0..1: how sure the finder is
    by: str  # the finder's name

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ValueError("a stretch needs 0 <= start < end")

    def overlaps(self, other: Found) -> bool:
        """Whether both share a character."""
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True)
class Replacement:
    """A stretch that was replaced: where it stood, where its replacement stands, and what class it was. Never the value."""

    source_start: int
    source_end: int  # half-open, in the identified text
    start: int
    end: int  # half-open, in the de-identified text; empty where the replacement is empty
    category: IdentifierClass
    score: float
    by: str


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """De-identified text with what was replaced, in order."""

    text: str
    replacements: tuple[Replacement, ...]
