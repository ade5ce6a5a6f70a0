"""Initials of people; the negatives are directions, routes, tests and degrees that are written alike."""

from __future__ import annotations

import pytest

from pipeline.stages.deidentify.recognisers.initials import Initials


def found(text: str) -> list[str]:
    """The stretches found, in order."""
    return [text[start:end] for start, end in sorted({(each.start, each.end) for each in Initials().find(text, None)})]


@pytest.mark.parametrize(
    ("text", "initials"),
    [
        ("Discussed with K.L.B. at noon", ["K.L.B."]),
        ("(pt initials VQH)", ["VQH"]),
        ("Initials: V.Q.H.", ["V.Q.H."]),
        ("initials of patient: VQ", ["VQ"]),
        ("patient K.L.B. was seen", ["K.L.B."]),
        ("K.L.B. reports pain", ["K.L.B."]),
        ("dictated by VQH", ["VQH"]),
        ("/s/ KVB", ["KVB"]),
        ("signed KVB 10:40", ["KVB"]),
        ("Wound dry. - KVB, RN", ["KVB"]),
        ("Transcribed by: kv/jm", ["kv/jm"]),
        ("KVB/jm", ["KVB/jm"]),
        ("D: 07/04/2024 T: 07/05/2024 kvb/jm Job", ["kvb/jm"]),
        ("KVB, PGY3. Attending", ["KVB"]),
        ("A.K., 61F, stage II", ["A.K."]),
    ],
)
def test_initials_of_people(text: str, initials: list[str]) -> None:
    assert found(text) == initials


@pytest.mark.parametrize(
    "text",
    [
        "q.i.d. doses, T.I.D. after meals",
        "The initials of the examiner",
        "initial TKI therapy, 61F",
        "FIGO stage IIB",
        "ICU, PGY3 notified",
        "with P.O. fluids, by I.V. route",
        "seen in the U.S.A. and U.K.",
        "IV, PO, CBC stay",
        "signed by MD",
        "dictated by PT",
        "signed DNR form",
        "initial CT scan of the chest",
        "the initials of the old names",
        "H.E.E.N.T. normal",
        "E.K.G. was read",
        "at 4 P.M. and 5 A.M.",
        "M.D. and Ph.D.",
    ],
)
def test_abbreviations_are_no_initials(text: str) -> None:
    assert found(text) == []
