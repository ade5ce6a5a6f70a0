"""Clinical text: whole sentences within a section; doses, negations, items and lead-ins hold together."""

from __future__ import annotations

from itertools import pairwise

import pytest

from pipeline.domain.chunks import Chunk
from pipeline.domain.vocabulary import Section
from pipeline.stages.chunking.protected import doses
from tests.unit.stages.chunking.conftest import document_chunker, site_document


def chunks(text: str, *, window: int = 64, target: int = 40, overlap: int = 1) -> tuple[Chunk, ...]:
    done = document_chunker(window=window, target=target, overlap=overlap).chunk(site_document(text, title=""))
    assert done.loss.unexplained == 0
    assert all(one.token_count <= window for one in done.chunks)
    return done.chunks


SENTENCES = [f"Sentence number {number} says a little more than nothing." for number in range(20)]


def test_chunks_end_where_sentences_end_and_repeat_one():
    done = chunks(" ".join(SENTENCES), window=128, target=80)
    parts = [one.text.split(". ") for one in done]
    assert len(done) > 3
    assert all(one.text.startswith("Sentence") and one.text.endswith("nothing.") for one in done)
    assert all(before[-1].rstrip(".") == after[0].rstrip(".") for before, after in pairwise(parts))


def test_without_overlap_each_sentence_stands_once():
    done = chunks(" ".join(SENTENCES), overlap=0)
    assert " ".join(one.text for one in done) == " ".join(SENTENCES)


def test_nothing_is_repeated_of_another_section():
    text = f"# Assessment\n{' '.join(SENTENCES[:2])}\n# Plan\n{' '.join(SENTENCES[2:4])}"
    assert all("number 1 " not in one.text for one in chunks(text) if one.section is Section.PLAN)


def test_abbreviations_do_not_end_a_sentence():
    first = "People on s.c. tinzaparin, i.e. for a clot, approx. 8 mg q.i.d. are left out."
    done = chunks(f"{first} Dr. Abara will confirm it.", window=36, target=30, overlap=0)
    assert [one.text for one in done] == [first, "Dr. Abara will confirm it."]


def test_the_last_sentence_is_never_beyond_the_window():
    text = (
        "Nobody changes a medicine while the study goes on, as far as that is safe. " * 14
        + "People with active hepatitis may not take part."
    )
    assert any("People with active hepatitis may not take part." in one.embed_text for one in chunks(text, window=256, target=180))


def test_items_of_a_list_say_its_lead_in_again():
    items = [f"* a condition of kind {number} that is serious" for number in range(12)]
    done = chunks("Patients with none of the following:\n" + "\n".join(items), window=96)
    assert len(done) > 2
    assert done[0].text.startswith("Patients with none of the following:\n* a condition of kind 0")
    assert all(one.context == ("Patients with none of the following",) for one in done[1:])
    assert [line for one in done for line in one.text.split(": ")[-1].splitlines() if line.startswith("*")] == items


def test_a_negation_that_is_said_again_does_not_reach_the_next_paragraph():
    items = "\n".join(f"- symptom of kind {number} in the chest" for number in range(9))
    done = chunks(f"He denies any of the following:\n{items}\n\nHe has a fever.")
    assert [one.context for one in done if "He has a fever." in one.text] == [()]


def test_an_item_like_the_lead_in_ends_its_sublist():
    inner = "\n".join(f"{letter}. A condition of kind {letter} in the chest" for letter in "abcdefgh")
    outer = "\n".join(f"{number}. Write a report for every patient" for number in range(2, 12))
    done = chunks(f"1. Use caution in any of the following:\n{inner}\n{outer}", window=128)
    assert {one.context for one in done if "A condition" in one.text and "Use caution in any of the following:\n" not in one.text} == {
        ("1. Use caution in any of the following",)
    }
    assert {one.context for one in done if "A condition" not in one.text} == {()}


def test_a_list_inside_a_list_says_both_lead_ins():
    inner = "\n".join(f"{letter}. A condition of kind {letter} in the chest" for letter in "abcdefgh")
    done = chunks(f"He has none of the following:\n1. One of these:\n{inner}\n2. Gout", window=96)
    assert done[1].context == ("He has none of the following", "1. One of these")
    assert done[-1].context == ("He has none of the following",)


def test_lines_without_marks_after_a_lead_in_belong_to_its_list():
    lines = "\n".join(f"Symptom of kind {number} in the chest" for number in range(20))
    done = chunks(f"He denies the following:\n{lines}", window=96)
    assert len(done) > 1
    assert all(one.context == ("He denies the following",) for one in done[1:])


@pytest.mark.parametrize("overlap", [0, 1, 2])
def test_no_list_item_is_cut(overlap: int):
    items = [f"- metoprolol {number} mg PO b.i.d. Hold it below 60 bpm. Call us." for number in range(10, 30)]
    done = chunks("\n".join(items), overlap=overlap)
    assert [line for one in done for line in one.text.splitlines()] == items


def test_an_over_long_sentence_is_cut_at_a_clause_outside_doses():
    text = "He takes " + ", ".join(f"drug{number} {number}.5 mg/kg IV q6h" for number in range(1, 30)) + " at home."
    done = chunks(text)
    assert len(done) > 3
    edges = {edge for one in done for edge in (one.span.start, one.span.end)}
    assert not [span for span in doses(text, 0, len(text)) if any(span[0] < edge < span[1] for edge in edges)]
    assert all(one.text.endswith(",") for one in done[:-1])


def test_a_negation_longer_than_the_window_is_said_again():
    text = "She denies " + ", ".join(f"complaint{number} of the chest" for number in range(60)) + "."
    done = chunks(text)
    assert len(done) > 3
    assert all(one.context == ("denies",) for one in done[1:])
    assert all(one.text.endswith((",", ".")) for one in done)


def test_a_cut_before_a_negation_is_taken_rather_than_one_inside():
    filler = "the wound is clean and the cast is dry and " * 3
    text = f"He says {filler}there is no evidence of infection or bleeding or redness or swelling or pain in either of the two legs"
    done = chunks(text, window=50, target=40)
    assert len(done) > 1
    assert next(one.text for one in done if "no evidence" in one.text).endswith("either of the two legs")


def test_short_neighbours_of_one_category_share_a_chunk():
    text = "# Physical Exam\n## Findings\nClear.\n# Plan\nRest.\n# Plan\nWalk."
    assert [(one.section, one.text) for one in chunks(text)] == [
        (Section.FINDINGS, "# Physical Exam\n## Findings\nClear."),
        (Section.PLAN, "# Plan\nRest.\n# Plan\nWalk."),
    ]


def test_wrapped_lines_are_one_paragraph():
    wrapped = "The patient was seen in the clinic for a routine visit after his\noperation and was doing well. He had no complaint of the wound at\nall and went home."
    (only,) = chunks(wrapped, window=256, target=180)
    assert only.text == wrapped
    first = chunks(wrapped, window=40, target=20, overlap=0)[0]
    assert first.text.endswith("doing well.")
