"""What a sentence affirms, and whom it is about."""

from __future__ import annotations

import pytest

from pipeline.search.patient.sentences import affirmed, of_relatives, sentences


@pytest.mark.parametrize(
    ("sentence", "kept", "gone"),
    [
        ("He has a fever, denies cough.", "fever", "cough"),
        ("No rash, but his joints ache.", "joints", "rash"),
        ("Her past is not significant other than confirmed sarcoidosis.", "sarcoidosis", "significant"),
        ("She never smoked; she has asthma.", "asthma", "smoked"),
        ("Lungs are clear without wheezes.", "Lungs", "wheezes"),
    ],
)
def test_what_is_denied_is_left_out(sentence: str, kept: str, gone: str) -> None:
    text = affirmed(sentence)
    assert kept in text
    assert gone not in text


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("His father had gout.", True),
        ("Family history of colon cancer.", True),
        ("Her mother's sister died young.", True),
        ("His mother brought him in.", False),
        ("He had gout.", False),
    ],
)
def test_tells_relatives_from_the_patient(sentence: str, expected: bool) -> None:
    assert of_relatives(sentence) is expected


def test_a_line_is_a_sentence_and_a_decimal_is_no_end() -> None:
    assert sentences("Hb 9.8 g/dl today. Pale\n- asthma\n- gout") == ["Hb 9.8 g/dl today.", "Pale", "- asthma", "- gout"]
