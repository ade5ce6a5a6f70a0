"""Notes are cut into citable chunks, and every character is accounted for."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.domain.chunks import ChunkedDocument
from pipeline.domain.vocabulary import DocumentKind, ParseOutcome, Section
from pipeline.stages.chunking import NoteChunker
from pipeline.testing.tokens import ApproximateTokens
from tests.unit.stages.chunking.conftest import document

BITS = st.sampled_from(
    [
        "HPI:",
        "- ",
        "* ",
        "1. ",
        "\n",
        "\n\n",
        "  ",
        "\t",
        "K 4.1",
        "No fever.",
        "[NAME]",
        "&lt;",
        "**",
        "____",
        "|",
        "5 mg",
        "≥",
        "\x0c",
        "Dr. X ",
        "•",
        "_",
        "# ",
    ]
)


def chunk(*texts: str, window: int = 64, target: int = 40) -> ChunkedDocument:
    parts = [(f"text[{number}]" if number else "text", text) for number, text in enumerate(texts)]
    made = replace(document(*parts), kind=DocumentKind.NOTE, source="documents")
    return NoteChunker(ApproximateTokens(window), prose_target_tokens=target).chunk(made)


@settings(max_examples=150, deadline=None)
@given(st.lists(BITS, max_size=60))
def test_no_character_is_unexplained_and_no_chunk_exceeds_the_window(bits: list[str]):
    text = "".join(bits)
    done = chunk(text)
    assert done.loss.unexplained == 0
    assert done.loss.characters == len(text)
    assert all(one.token_count <= 64 for one in done.chunks)
    assert chunk(text) == done


def test_ordinals_go_on_over_the_parts_of_a_document():
    done = chunk("One sentence. " * 30, "Another sentence. " * 30)
    assert [one.ordinal for one in done.chunks] == list(range(1, len(done.chunks) + 1))
    assert {one.part for one in done.chunks} == {"text", "text[1]"}
    assert {one.section for one in done.chunks} == {Section.NOTE_TEXT}
    assert (done.outcome, {one.is_exclusion for one in done.chunks}) == (ParseOutcome.NOT_A_TRIAL, {None})


def test_lines_of_a_list_stay_lines():
    (only,) = chunk("Medications:\n- metoprolol 25 mg\n- aspirin 81 mg\n").chunks
    assert only.text == "Medications:\nmetoprolol 25 mg\naspirin 81 mg"


@pytest.mark.parametrize("text", ["&#74;ohn", "jo\\.hn\\@example.org", "**no** rash", "[a](http://b.example)"])
def test_nothing_is_undone_that_de_identification_has_not_seen(text: str):
    (only,) = chunk(text).chunks
    assert only.text == text
