"""Names at the head of a line, before an age and sex, a date or a record number; the negatives are headings and findings that look alike."""

from __future__ import annotations

import pytest

from pipeline.stages.deidentify.recognisers.names_header import find_headed
from pipeline.stages.deidentify.recognisers.names_words import split_words


def found(text: str) -> list[str]:
    """The stretches found, in order."""
    return [text[start:end] for start, end, _ in find_headed(text, split_words(text))]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("VELLACOTT, CHANCE | 06/30/1983 | M", ["VELLACOTT, CHANCE"]),
        ("DELACOUR, THEO R   57M   CSN 1", ["DELACOUR, THEO R"]),
        ("Castellon-Reyes, M. 49F with ARDS", ["Castellon-Reyes, M."]),
        ("note\nMariam Diallo G3P1 at term", ["Mariam Diallo"]),
        ("2) R. Stefanovic (MRN 7), stable", ["R. Stefanovic"]),
        ("Ines Okoro, 49 y/o, seen", ["Ines Okoro"]),
    ],
)
def test_names_at_the_head_of_a_line(text: str, names: list[str]) -> None:
    assert found(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "CHEST PAIN, 57M",
        "Chief Complaint 49F with cough",
        "Admission Date 06/30/2023",
        "Discharge Summary, 06/30/2023",
        "Blood Pressure 120/80",
        "Metoprolol Succinate 50 mg",
        "Ines Okoro walked 50 feet",
        "Patient MRN 77",
        "Follow Up 3/4/2024",
    ],
)
def test_headings_and_findings_stay(text: str) -> None:
    assert found(text) == []
