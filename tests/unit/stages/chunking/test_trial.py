"""Whole documents: sections, ordinals, prose, windows, versions."""

from __future__ import annotations

import pytest

from pipeline.domain.vocabulary import ParseOutcome, Section
from pipeline.stages.chunking import Chunker
from pipeline.testing.tokens import ApproximateTokens

LONG = "Persons who take the drug must keep their dose for the whole study including the visits of follow up. " * 14


def test_each_part_has_its_section(chunk_parts):
    result = chunk_parts(
        ("title_conditions", "Gout Study\nConditions: Gout"),
        ("brief_summary", "A study of gout."),
        ("detailed_description", "It lasts a year."),
        ("interventions[0]", "Drug: Colchicine\nOnce a day."),
        ("arm_groups[0]", "Arm 1 (Experimental): Colchicine"),
        ("primary_outcomes[0]", "Attacks\nTime frame: 1 year"),
        ("secondary_outcomes[0]", "Pain"),
        ("eligibility_criteria", "Inclusion Criteria:\n* Adults"),
        ("study_population", "Adults from two clinics."),
    )
    assert [(chunk.section, chunk.ordinal) for chunk in result.chunks] == [
        (Section.INCLUSION_CRITERION, 1),
        (Section.ELIGIBILITY_UNPARSED, 1),
        (Section.BRIEF_SUMMARY, 1),
        (Section.DETAILED_DESCRIPTION, 1),
        (Section.INTERVENTION, 1),
        (Section.INTERVENTION, 2),
        (Section.OUTCOME, 1),
        (Section.OUTCOME, 2),
        (Section.TITLE_CONDITIONS, 1),
    ]
    assert result.outcome is ParseOutcome.INCLUSION_ONLY
    assert result.loss.unexplained == 0


def test_ordinals_go_on_over_the_document(chunk_parts):
    result = chunk_parts(("eligibility_criteria", "Adults\n\nGout"), ("study_population", "From clinics."))
    assert [chunk.ordinal for chunk in result.chunks] == [1, 2, 3]


def test_last_sentence_of_long_prose_is_whole_in_a_chunk(chunk_parts):
    last = "Persons with active gout are excluded."
    result = chunk_parts(("brief_summary", LONG + last))
    assert len(result.chunks) > 1
    assert any(last in chunk.text for chunk in result.chunks)
    assert all(chunk.token_count <= 180 for chunk in result.chunks)


def test_prose_undoes_markdown_and_keeps_lists_as_lines(chunk_parts):
    text = (
        "## Aim\n**Main** aim: *PFS* per [the rules](https://example.org/r) \\*centrally\\* read, p\\<0.01, B\\*27:05.\n\n* safety\n* dose"
    )
    (chunk,) = chunk_parts(("brief_summary", text)).chunks
    assert chunk.text == "Aim\nMain aim: PFS per the rules *centrally* read, p<0.01, B*27:05.\nsafety\ndose"


def test_over_long_criterion_is_split_at_clauses_and_says_which_part_it_is(eligibility):
    clause = "no history of a disease of the heart or lung that needed care in hospital; "
    result = eligibility("Exclusion Criteria:\n\n* " + clause * 8, window=64)
    pieces = result.chunks
    assert len(pieces) > 1
    assert [(chunk.piece, chunk.pieces, chunk.ordinal) for chunk in pieces] == [(i + 1, len(pieces), 1) for i in range(len(pieces))]
    assert all(chunk.text.endswith("hospital;") for chunk in pieces)
    assert pieces[1].embed_text.endswith(f"(part 2 of {len(pieces)})")
    assert all(chunk.token_count <= 64 for chunk in pieces)
    assert result.loss.unexplained == 0


def test_later_pieces_of_a_long_intervention_carry_its_name(chunk_parts):
    result = chunk_parts(("interventions[0]", "Drug: Colchicine\n" + LONG), window=64)
    assert result.chunks[0].context == ()
    assert all(chunk.text.startswith("Drug: Colchicine: ") for chunk in result.chunks[1:])


def test_other_parts_do_not_change_the_outcome(chunk_parts):
    assert chunk_parts(("study_population", "Adults who are eligible.")).outcome is ParseOutcome.NO_CRITERIA


@pytest.mark.parametrize("window", [24, 48, 256])
def test_no_chunk_is_over_the_window(chunk_parts, window):
    text = "Inclusion Criteria:\n\n* " + "x" * 5000 + "\n* " + LONG + "\n\n  * " + LONG
    result = chunk_parts(("eligibility_criteria", text), ("brief_summary", LONG), window=window)
    assert result.chunks
    assert max(chunk.token_count for chunk in result.chunks) <= window
    assert result.loss.unexplained == 0


def test_version_names_every_parameter():
    def version(**change):
        settings = {"parent_context_characters": 160, "prose_target_tokens": 180} | change
        return Chunker(ApproximateTokens(window=settings.pop("window", 256)), **settings).version

    versions = {version(), version(window=128), version(parent_context_characters=80), version(prose_target_tokens=90)}
    assert len(versions) == 4
    assert version() == "trial-1;parent=160;prose=180;window=256"
