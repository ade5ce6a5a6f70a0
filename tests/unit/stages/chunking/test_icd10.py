"""ICD-10-CM codes, and the many things that look like one."""

from __future__ import annotations

import pytest

from pipeline.stages.chunking.icd10 import icd10_codes


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("Gout (M10.9) of the foot", ("M10.9",)),
        ("E11.65, I50.9 and N18.30", ("E11.65", "I50.9", "N18.30")),
        ("Diagnosis codes: I10, E11.9, Z3A.20", ("I10", "E11.9", "Z3A.20")),
        ("ICD-10: I10 Essential hypertension; J45 asthma", ("I10", "J45")),
        ("ICD-10-CM codes (S72.001A)", ("S72.001A",)),
        ("Dx code I10", ("I10",)),
        ("Pathologic fracture M84.58XA.", ("M84.58XA",)),
        ("Code S52.521A; again S52.521A", ("S52.521A",)),
        ("ICD-10 C7A.1", ("C7A.1",)),
        ("Driver hurt (V43.52XA)", ("V43.52XA",)),
    ],
)
def test_codes_are_found_once_in_order(text: str, codes: tuple[str, ...]):
    assert icd10_codes(text) == codes


@pytest.mark.parametrize(
    "text",
    [
        "vitamin B12 and B6",
        "vitamin B12.5 mcg",
        "fracture of L4 and T12",
        "disc at L4-L5",
        "level C5.6",
        "study A123.45",
        "HLA-B27 positive",
        "gene K76.0x",
        "cohort A10.2",
        "version V2.10",
        "hemoglobin A1c",
        "T4 was 1.2",
        "D51.5 mg",
        "D51.5 mL",
        "U07.1x",
        "e11.9",
        "Hepatitis B19",
        "D99.1",
        "P53.1.2",
        "Section A10.2",
        "Protocol J16.5 of the county",
        "B12.34.56",
        "ICD-9: 250.00",
        "room G12",
        "CA19.9",
        "V70.0",
    ],
)
def test_what_only_looks_like_a_code_is_none(text: str):
    assert icd10_codes(text) == ()


def test_a_label_reaches_to_the_end_of_its_line():
    assert icd10_codes("ICD-10: I10\nB12 was low, T12 is intact") == ("I10",)
