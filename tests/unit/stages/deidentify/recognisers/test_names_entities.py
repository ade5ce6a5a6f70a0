"""Persons of the language model, with repaired boundaries. The entities are set here: what the model finds is not ours to test."""

from __future__ import annotations

import pytest
import spacy
from spacy.tokens import Doc

from pipeline.stages.deidentify.recognisers.names_entities import NER_SCORE, NameEntities

BLANK = spacy.blank("en")


def found(text: str, *persons: str) -> list[str]:
    """What is left of stretches that a model calls persons."""
    doc: Doc = BLANK(text)
    spans = [doc.char_span(text.index(each), text.index(each) + len(each), label="PERSON", alignment_mode="expand") for each in persons]
    doc.ents = [span for span in spans if span is not None]
    results = list(NameEntities().find(text, doc))
    assert all(each.score == NER_SCORE for each in results)
    return [text[each.start : each.end] for each in results]


@pytest.mark.parametrize(
    ("text", "person", "names"),
    [
        ("Ilse Brandt was here", "Ilse Brandt", ["Ilse Brandt"]),
        ("Paciente Ilse Brandt", "Paciente Ilse Brandt", ["Ilse Brandt"]),
        ("Ilse Brandt's leg", "Ilse Brandt's", ["Ilse Brandt"]),
        ("Ilse Brandt\nDOB", "Ilse Brandt\nDOB", ["Ilse Brandt"]),
        ("Ilse Brandt, MD", "Ilse Brandt, MD", ["Ilse Brandt"]),
        ("Patient Name Ilse Brandt", "Patient Name Ilse Brandt", ["Ilse Brandt"]),
        ("saw Ilse B. again", "Ilse B.", ["Ilse B."]),
        ("met Hleborin there", "Hleborin", ["Hleborin"]),
    ],
)
def test_boundaries_are_repaired(text: str, person: str, names: list[str]) -> None:
    assert found(text, person) == names


@pytest.mark.parametrize(
    ("text", "person"),
    [
        ("Gilbert syndrome", "Gilbert"),
        ("Crohn's disease", "Crohn's"),
        ("the Roth net", "Roth"),
        ("Percutaneous biopsy", "Percutaneous"),
        ("in Ross et al, 2019", "Ross"),
        ("Hypertensive disease", "Hypertensive"),
        ("dark tarry stools", "tarry"),
        ("HISTORY of cough", "HISTORY"),
        ("started on Zygomab", "Zygomab"),
        ("a Plastibell was used", "Plastibell"),
        ("Mexameter® was used", "Mexameter"),
    ],
)
def test_what_is_no_person_is_dropped(text: str, person: str) -> None:
    assert found(text, person) == []
