"""Sentence ends in clinical English."""

from __future__ import annotations

import pytest

from pipeline.stages.chunking.sentences import sentence_ends


def sentences(text):
    pieces, start = [], 0
    for end in sentence_ends(text):
        pieces.append(text[start:end].strip())
        start = end
    return pieces


@pytest.mark.parametrize(
    "parts",
    [
        ["Volunteers on s.c. insulin, e.g. for CFRD, approx. 10 IU q.i.d. are not eligible.", "Prof. Adeyemi decides."],
        ["Dose was 5.5 mg.", "It was halved."],
        ["See Fig. 2 and Ref. 4.", "Then stop."],
        ["Is it safe?", "Yes!", "Go on."],
        ["E. coli was found.", "S. aureus was not."],
        ["Aspirin etc.", "Others may stay."],
    ],
)
def test_ends_sentences_only_where_they_end(parts):
    assert sentences(" ".join(parts)) == parts


def test_blank_text_has_no_sentence():
    assert sentence_ends("  \n") == []
