from __future__ import annotations

import pytest

from pipeline.domain.identifiers import text_hash
from pipeline.search.answer.evidence import sentences_of, statement
from tests.unit.search.answer.conftest import passage


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("PEDIATRIC\n1. Give epinephrine 0.01 mg/kg IM, at most 0.3 mg. Repeat it once after five minutes.", 2),
        ("Adult: 0.3 mg IM", 1),  # short, but it says a quantity
        ("CHEST PAIN", 0),
        ("", 0),
        ("   \n\n", 0),
        ("word " * 200, 0),  # nothing that a reader could take in as one sentence
        ("The first one stands here.\n\nThe second one stands there.", 2),
    ],
)
def test_sentences_of_a_passage(text: str, sentences: int):
    assert len(sentences_of([passage(1, text)])) == sentences


def test_a_sentence_is_the_passages_own_characters():
    text = "  1. Give it now, and again.  Call  the base hospital.\n- Adult: 0.3 mg IM "
    shown = [statement(one, 0.5) for one in sentences_of([passage(1, text)])]
    assert [one.text for one in shown] == ["1. Give it now, and again.", "Call  the base hospital.", "- Adult: 0.3 mg IM"]
    assert all(text[one.start : one.end] == one.text and one.text_hash == text_hash(one.text) for one in shown)
    assert {cite.token for one in shown for cite in one.cites} == {"c1.1"}
