from __future__ import annotations

import pytest

from pipeline.search.answer.conflicts import conflicts
from pipeline.search.answer.evidence import sentences_of
from tests.unit.search.answer.conftest import passage


def kinds(one: str, other: str, *, document: str = "", kind: str = "ems_protocol") -> list[str]:
    passages = [passage(1, one, document=document, kind=kind), passage(2, other, document=document, kind=kind)]
    return [kind.value for kind, _, _ in conflicts(sentences_of(passages))]


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        ("Give epinephrine 0.3 mg IM into the thigh.", "Give epinephrine 0.5 mg IM into the thigh.", ["number"]),
        ("Give epinephrine 0.3 mg IM into the thigh.", "Give epinephrine 0.30 mg IM into the thigh.", []),
        ("Give epinephrine 0.3 mg IM into the thigh.", "Give epinephrine 0.01 mg/kg IM into the thigh.", []),
        ("Give epinephrine 0.3 to 0.5 mg IM into the thigh.", "Give epinephrine 0.5 mg IM into the thigh.", []),
        ("Adults below 65 years may take part.", "Adults below 75 years may take part.", ["number"]),
        ("Nitroglycerin is given after sildenafil.", "Nitroglycerin is not given after sildenafil.", ["negation"]),
        ("Give epinephrine 0.3 mg IM into the thigh.", "Give naloxone 2 mg into each nostril.", []),
        ("Repeat epinephrine 2 times into the thigh.", "Repeat epinephrine 3 times into the thigh.", []),
    ],
)
def test_sentences_of_two_documents(one: str, other: str, found: list[str]):
    assert kinds(one, other) == found


def test_sentences_of_one_document_are_steps_of_one_text():
    assert kinds("Give epinephrine 0.3 mg IM into the thigh.", "Give epinephrine 0.5 mg IM into the thigh.", document="d") == []


@pytest.mark.parametrize("kind", ["trial", "progress_note", "protocol"])
def test_two_trials_or_two_patients_do_not_contradict_each_other(kind: str):
    assert kinds("Adults below 65 years may take part.", "Adults below 75 years may take part.", kind=kind) == []
