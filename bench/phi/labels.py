"""Maps the labels of published sets to the classes of Safe Harbor. What no clinical policy scrubs is *ignored*: neither hit nor error."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from pipeline.domain.phi import IdentifierClass as C

_NAMES = ("NAME", "PERSON", "STAFF", "PATIENT", "patient_name", "person_name")
_PLACES = ("GEOGRAPHIC_LOCATION", "LOCATION", "LOC", "GPE", "ADDRESS", "STREET_ADDRESS", "address")
_IDS = (
    "UNIQUE_IDENTIFIER",
    "ID",
    "ID_NUM",
    "API_KEY",
    "GH_GHANA_CARD",
    "KE_NATIONAL_ID",
    "NG_NIN",
    "NG_BVN",
    "SA_ID_NUMBER",
)
LABELS: Final = MappingProxyType(
    {
        **dict.fromkeys(_NAMES, C.NAME),
        **dict.fromkeys(_PLACES, C.ADDRESS),
        **dict.fromkeys(_IDS, C.OTHER_ID),
        **dict.fromkeys(("ZIPCODE", "ZIP_CODE"), C.ZIP),
        **dict.fromkeys(("HOSP", "HOSPITAL"), C.FACILITY),
        **dict.fromkeys(("DATE", "date", "DATE_OF_BIRTH", "BIRTHDATE"), C.DATE),
        **dict.fromkeys(("PHONE_NUMBER", "PHONE", "phone", "NG_PHONE", "ZA_PHONE"), C.PHONE),
        "FAX_NUMBER": C.FAX,
        **dict.fromkeys(("EMAIL_ADDRESS", "EMAIL", "email"), C.EMAIL),
        **dict.fromkeys(("SOCIAL_SECURITY_NUMBER", "SSN", "US_SSN", "ssn"), C.SSN),
        **dict.fromkeys(("MEDICAL_RECORD_NUMBER", "MRN", "mrn"), C.MRN),
        "HEALTH_PLAN_BENEFICIARY_NUMBER": C.HEALTH_PLAN,
        **dict.fromkeys(("ACCOUNT_NUMBER", "account_number", "CREDIT_CARD", "credit_debit_card", "IBAN_CODE", "IBAN", "BIC"), C.ACCOUNT),
        **dict.fromkeys(("CERTIFICATE_LICENSE_NUMBER", "US_DRIVER_LICENSE"), C.LICENSE),
        "VIN": C.VEHICLE,
        "IMEI": C.DEVICE,
        **dict.fromkeys(("URL", "DOMAIN_NAME"), C.URL),
        "IP_ADDRESS": C.IP,
    }
)
# Ages below 90, times of day, durations, rooms, titles and the like identify nobody by themselves; an organisation does only as somebody's
# employer or insurer, which these labels do not tell. DATE_TIME of the general and the spoken sets mixes dates with durations and times.
IGNORED: Final = frozenset(
    {
        "AGE",
        "PEDIATRIC_AGE",
        "TIMESTAMPS",
        "DATE_TIME",
        "ROOM",
        "ORG",
        "ORGANIZATION",
        "TITLE",
        "PREFIX",
        "NRP",
        "GENDER",
        "CONDITION",
        "MEDICATION",
        "LAB_TEST",
        "BODY_SITE",
        "PROCEDURE",
        "AMOUNT",
        "CURRENCY",
        "CREDIT_CARD_ISSUER",
    }
)
# What points at one person by itself: for these the aim is a recall of 0.98.
DIRECT: Final = frozenset(
    {
        C.NAME,
        C.PHONE,
        C.FAX,
        C.EMAIL,
        C.SSN,
        C.MRN,
        C.HEALTH_PLAN,
        C.ACCOUNT,
        C.LICENSE,
        C.VEHICLE,
        C.DEVICE,
        C.URL,
        C.IP,
        C.BIOMETRIC,
        C.PHOTO,
        C.OTHER_ID,
    }
)
# Clinical sets; the others are everyday sentences in which a clinical policy has less to say.
CLINICAL: Final = ("asq_phi", "pediatric_handoffs", "edgecare", "openmed_golden_en", "small_clinical_sets", "aci_bench_patient_names")


def class_of(label: str) -> C | None:
    """Return the class of a label, ``None`` for one that is ignored.

    Raises:
        KeyError: The label is in neither list: decide what it is.
    """
    if label in IGNORED:
        return None
    return LABELS[label]
