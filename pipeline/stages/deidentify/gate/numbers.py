"""Numbers that belong to one person or thing: by the label before them, by their shape, by their length (paragraphs G to M, P to R)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.gate.lexicon import word_list
from pipeline.stages.deidentify.gate.words import MASK, Word, Words

_C = IdentifierClass

# Label words and how many digits the value after them needs: few where the label says it all, more where it is also an ordinary word.
_LABELS: Final[dict[str, tuple[IdentifierClass, int]]] = {
    **dict.fromkeys(("mrn", "medrec", "chart", "emrn", "mpi", "nhs", "urn"), (_C.MRN, 4)),
    **dict.fromkeys(("ssn", "ss"), (_C.SSN, 4)),
    **dict.fromkeys(("member", "subscriber", "policy", "beneficiary", "medicare", "medicaid", "mbi", "hicn", "payer", "plan", "insurance", "group"), (_C.HEALTH_PLAN, 5)),
    **dict.fromkeys(("account", "acct", "billing", "invoice", "guarantor", "iban", "csn", "fin", "card", "bank", "encounter", "visit"), (_C.ACCOUNT, 5)),
    **dict.fromkeys(("license", "licence", "dl", "dea", "npi", "passport", "certificate", "lic", "upin"), (_C.LICENSE, 5)),
    **dict.fromkeys(("vin", "plate", "plates", "tag", "registration"), (_C.VEHICLE, 3)),
    **dict.fromkeys(("serial", "s/n", "sn", "udi", "imei", "mac", "lot", "implant", "device", "model", "pacemaker", "generator"), (_C.DEVICE, 4)),
    **dict.fromkeys(("biometric", "fingerprint", "voiceprint", "faceprint", "retina", "retinal-scan", "iris", "palmprint"), (_C.BIOMETRIC, 3)),
    **dict.fromkeys(("photo", "photograph", "photographs", "mugshot", "headshot", "selfie", "picture"), (_C.PHOTO, 3)),
    **dict.fromkeys(("accession", "requisition", "specimen", "employee", "badge", "docket", "barcode", "tracking", "ticket", "case", "order", "confirmation", "subject", "participant", "reference", "ref", "username", "student"), (_C.OTHER_ID, 4)),
    "id": (_C.OTHER_ID, 3),
}  # fmt: skip
_PHRASES: Final[dict[tuple[str, str], tuple[IdentifierClass, int]]] = {
    ("social", "security"): (_C.SSN, 4),
    ("last", "four"): (_C.SSN, 4),
    ("last", "4"): (_C.SSN, 4),
    ("medical", "record"): (_C.MRN, 3),
    ("record", "number"): (_C.MRN, 4),
    ("hospital", "number"): (_C.MRN, 4),
    ("chart", "number"): (_C.MRN, 3),
    ("patient", "id"): (_C.MRN, 3),
    ("unit", "number"): (_C.MRN, 5),
    ("license", "plate"): (_C.VEHICLE, 1),
    ("licence", "plate"): (_C.VEHICLE, 1),
    ("number", "plate"): (_C.VEHICLE, 1),
    ("health", "plan"): (_C.HEALTH_PLAN, 4),
    ("serial", "number"): (_C.DEVICE, 2),
    ("iris", "scan"): (_C.BIOMETRIC, 3),
    ("retina", "scan"): (_C.BIOMETRIC, 3),
    ("retinal", "scan"): (_C.BIOMETRIC, 3),
    ("finger", "print"): (_C.BIOMETRIC, 3),
    ("voice", "print"): (_C.BIOMETRIC, 3),
    ("palm", "print"): (_C.BIOMETRIC, 3),
}
_FILLERS: Final = word_list("numbers", "fillers")
_REACH: Final = 6  # words between a label and its number, fillers included
_IMAGES: Final = (".jpg", ".jpeg", ".png", ".heic", ".gif", ".bmp", ".tif", ".tiff", ".webp")
_PUBLIC: Final = word_list("numbers", "public")
_REGISTRIES: Final = ("nct", "isrctn", "eudract", "ctri/", "chictr", "actrn", "drks", "umin", "jrct", "irct")  # a study's number is public
_PARTING: Final = f"\n,;{MASK}"  # nothing before one of these is a number's label
_LONG_RUN: Final = 7
_VIN: Final = 17
_LONG_HASH: Final = 24
_CODE_DIGITS: Final = 6


def find_numbers(read: Words) -> list[Found]:
    """Return numbers and codes that point to one person, document or thing."""
    found: list[Found] = []
    every = read.all
    for index, word in enumerate(every):
        if word.digits:
            category = _by_label(every, index) or _by_shape(every, index)
            if category is not None:
                found.append(read.found(word, word, category, "numbers"))
        elif word.low in ("full-face", "fullface") or (word.low == "face" and index and every[index - 1].low == "full"):
            following = [one.low for one in every[index + 1 : index + 3]]
            if any(one.startswith(("photo", "image", "picture")) for one in following):
                found.append(read.found(word, word, _C.PHOTO, "numbers"))
        if word.low.endswith(_IMAGES) and len(word.low) > 5:
            found.append(read.found(word, word, _C.PHOTO, "numbers"))
    return found


def _by_label(every: Sequence[Word], index: int) -> IdentifierClass | None:
    """The class of the label before a number, where nothing but fillers stands between them."""
    word = every[index]
    if _is_measure(word) or word.low.startswith(_REGISTRIES):
        return None
    label, saw_id = _label_before(every, index)
    if label is not None:
        return _judged(word, label, saw_id=saw_id)
    return _C.OTHER_ID if saw_id and word.digits >= _LABELS["id"][1] else None


def _label_before(every: Sequence[Word], index: int) -> tuple[tuple[IdentifierClass, int] | None, bool]:
    """Return the label that belongs to a number, and whether "ID" stands between them."""
    saw_id = False
    gap = every[index].gap
    for place in range(index - 1, max(-1, index - 1 - _REACH), -1):
        if any(sign in gap for sign in _PARTING) and gap.strip(" ") != ":\n":
            break
        one = every[place]
        pair = (every[place - 1].low if place else "", one.low)
        if pair in _PHRASES:
            return _PHRASES[pair], saw_id
        if one.low == "id":
            saw_id = True
        elif one.low in _LABELS:
            return _LABELS[one.low], saw_id
        elif one.low not in _FILLERS and not (place == index - 1 and one.text.isupper() and len(one.low) <= 3 and not one.digits):
            break
        gap = one.gap
    return None, saw_id


def _judged(word: Word, label: tuple[IdentifierClass, int], *, saw_id: bool) -> IdentifierClass | None:
    category, least = label
    mixed = not word.low.isdecimal() and any(char.isalpha() for char in word.low)
    needed = max(1, min(least, 3)) if saw_id else max(1, least - 2) if mixed and least > 3 else least
    if word.low.isdecimal() and len(word.low) == 4 and 1900 <= int(word.low) < 2100 and category not in (_C.MRN, _C.SSN):
        return None
    return category if word.digits >= needed else None


def _is_measure(word: Word) -> bool:
    """100mg, 12.5, 98%, 120/80: no identifier whatever stands before."""
    low = word.low
    if low.endswith(("mg", "ml", "mcg", "%", "cm", "mm", "kg", "hz", "gy", "cc", "units", "hours", "weeks", "days")):
        return True
    head, dot, tail = low.partition(".")
    if dot and head.isdecimal() and tail.isdecimal():
        return True
    head, slash, tail = low.partition("/")
    return bool(slash) and head.isdecimal() and tail.isdecimal() and len(low) <= 7


def _by_shape(every: Sequence[Word], index: int) -> IdentifierClass | None:
    word = every[index]
    groups = word.low.split("-")
    if all(group.isdecimal() for group in groups):
        if tuple(map(len, groups)) == (3, 2, 4):
            return _C.SSN
    elif len(groups) == 6 and all(len(group) == 2 and _is_hex(group) for group in groups):
        return _C.DEVICE
    if tuple(len(one.low) for one in every[index : index + 3]) == (3, 2, 4) and all(
        one.low.isdecimal() and (one is word or one.gap == " ") for one in every[index : index + 3]
    ):
        return _C.SSN
    if _is_card(every[index : index + 4]):
        return _C.ACCOUNT
    if word.low.startswith(("xxx-xx-", "***-**-")):
        return _C.SSN
    if _is_vin(word.low):
        return _C.VEHICLE
    return _C.OTHER_ID if _is_code(every, index) else None


def _is_card(group: Sequence[Word]) -> bool:
    """Three or four groups of four digits, as cards and national numbers are written."""
    run = [one for place, one in enumerate(group) if len(one.low) == 4 and one.low.isdecimal() and (place == 0 or one.gap == " ")]
    return len(run) >= 3 and run == list(group[: len(run)]) and not all(1900 <= int(one.low) < 2100 for one in run)


def _is_vin(low: str) -> bool:
    return (
        len(low) == _VIN
        and low.isalnum()
        and not set(low) & set("ioq")
        and not low.isdecimal()
        and sum(char.isdecimal() for char in low) > 4
    )


def _is_hex(low: str) -> bool:
    return all(char in "0123456789abcdef" for char in low)


def _is_code(every: Sequence[Word], index: int) -> bool:
    """A long run of digits, or letters and digits with at least six digits, that is no public number."""
    word = every[index]
    low = word.low
    plain = low.replace("-", "")
    if len(plain) >= _LONG_HASH and _is_hex(plain) and not plain.isdecimal():
        return False  # one of our own fingerprints or pseudonyms
    before = every[index - 1].low if index else ""
    if (
        low.startswith(tuple(_PUBLIC))
        or before in _PUBLIC
        or before.startswith(("grant", "pmid", "doi", "registration", "omim", "eudract"))
    ):
        return False
    if any(char in low for char in "./%^+~>*_") or word.gap.endswith((",", ".")):
        return False
    if word.digits < _CODE_DIGITS:
        return False
    if low.isdecimal():
        return len(low) >= _LONG_RUN and low.strip("0") != "" and len(low.rstrip("0")) > 3
    letters = sum(char.isalpha() for char in low)
    longest = max((len(run) for run in "".join(char if char.isdecimal() else " " for char in low).split()), default=0)
    return (letters > 0 and longest >= 4 and letters <= word.digits) or (letters == 0 and longest >= _LONG_RUN - 1)
