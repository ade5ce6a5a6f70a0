"""One chunk a criterion: layouts, nesting, context, scope, repeats. All texts are invented."""

from __future__ import annotations

import pytest

from pipeline.domain.vocabulary import DropReason, ParseOutcome, Section


def inclusion(result):
    return [chunk.text for chunk in result.chunks if chunk.section is Section.INCLUSION_CRITERION]


def exclusion(result):
    return [chunk.text for chunk in result.chunks if chunk.section is Section.EXCLUSION_CRITERION]


def unparsed(result):
    return [chunk.text for chunk in result.chunks if chunk.section is Section.ELIGIBILITY_UNPARSED]


def assert_closed(result):
    loss = result.loss
    assert loss.characters == loss.chunked + loss.dropped + loss.redacted + loss.unexplained
    assert loss.unexplained == 0


def test_undoes_escaped_markdown(eligibility):
    result = eligibility(
        "\\*\\*Inclusion Criteria:\\*\\*\n\n1\\. Platelets \\>= 75 x 10\\^9/L\n2\\. HLA-A\\*02:01\n\n\\*\\*Exclusion Criteria:\\*\\*\n\n1\\. Gout \\[any\\]"
    )
    assert inclusion(result) == ["Platelets >= 75 x 10^9/L", "HLA-A*02:01"]
    assert exclusion(result) == ["Gout [any]"]
    assert result.outcome is ParseOutcome.BOTH
    assert_closed(result)


def test_undoes_html_entities_and_the_symbol_font(eligibility):
    result = eligibility("Inclusion Criteria:\n* Age &gt;= 40\n* Dose \\&lt; 5 mg\n* Weight \uf0b3 50 kg\n* BMI &#61619; 20")
    assert inclusion(result) == ["Age >= 40", "Dose < 5 mg", "Weight ≥ 50 kg", "BMI ≥ 20"]
    assert_closed(result)


def test_span_is_the_raw_own_text(eligibility):
    text = "Inclusion Criteria:\n\n* Score \\> 3 points"
    (chunk,) = eligibility(text).chunks
    assert text[chunk.span.start : chunk.span.end] == "Score \\> 3 points"
    assert chunk.text == "Score > 3 points"
    assert chunk.is_exclusion is False


def test_reads_inverted_headers(eligibility):
    result = eligibility("Principal Criteria for Inclusion:\n* Proven asthma\nMain Criteria for Exclusion:\n* FEV1 < 40 %")
    assert (inclusion(result), exclusion(result)) == (["Proven asthma"], ["FEV1 < 40 %"])


def test_words_about_criteria_do_not_flip_what_follows(eligibility):
    result = eligibility(
        "Inclusion Criteria:\n* Meets none of the exclusion criteria below\n* Exclusion of other causes by biopsy\n* Adult\n"
        "* Other protocol-defined Inclusion/Exclusion criteria may apply\nExclusion Criteria:\n* Does not meet inclusion criteria\n* Asthma"
    )
    assert len(inclusion(result)) == 4
    assert exclusion(result) == ["Does not meet inclusion criteria", "Asthma"]


def test_without_header_nothing_is_guessed(eligibility):
    result = eligibility("* Adults with gout\n* No prior surgery")
    assert unparsed(result) == ["Adults with gout", "No prior surgery"]
    assert result.outcome is ParseOutcome.UNPARSED
    assert all(chunk.is_exclusion is None for chunk in result.chunks)


def test_text_before_the_first_header_is_not_guessed(eligibility):
    result = eligibility("Volunteers come from two clinics.\n\nInclusion Criteria:\n\n* Adults")
    assert unparsed(result) == ["Volunteers come from two clinics."]
    assert inclusion(result) == ["Adults"]


def test_legacy_blocks_keep_their_labels_and_have_no_polarity(eligibility):
    result = eligibility(
        "DISEASE CHARACTERISTICS:\n\n* Proven lymphoma\n\nPATIENT CHARACTERISTICS:\n\nAge:\n\n* 16 and over\n\nRenal:\n\n* Creatinine normal"
    )
    assert unparsed(result) == [
        "DISEASE CHARACTERISTICS: Proven lymphoma",
        "PATIENT CHARACTERISTICS: Age: 16 and over",
        "PATIENT CHARACTERISTICS: Renal: Creatinine normal",
    ]
    assert result.outcome is ParseOutcome.UNPARSED
    assert "legacy_oncology" in result.formats
    assert_closed(result)


def test_combined_header_gives_no_polarity(eligibility):
    result = eligibility("Inclusion and Exclusion Criteria:\n* Adults\nExclusion Criteria:\n* Asthma")
    assert (unparsed(result), exclusion(result)) == (["Adults"], ["Asthma"])


def test_other_languages_are_kept_apart_with_their_language(eligibility):
    result = eligibility("Critères d'inclusion :\n* Adultes de plus de 40 ans\nCritères d'exclusion :\n* Grossesse")
    assert result.language == "fr"
    assert result.outcome is ParseOutcome.UNPARSED
    assert not inclusion(result)
    assert not exclusion(result)
    assert_closed(result)


def test_lead_in_that_excludes_turns_the_list_after_it(eligibility):
    result = eligibility("Inclusion Criteria:\n\n* Adults\n\nVolunteers will be excluded if any of the following apply:\n\n* Asthma")
    assert inclusion(result) == ["Adults"]
    assert exclusion(result) == ["Volunteers will be excluded if any of the following apply: Asthma"]


def test_line_that_starts_with_a_comparison_goes_on(eligibility):
    result = eligibility("Inclusion Criteria:\n* Neutrophils\n≥ 1.5 x 10⁹/L\n* Albumin\n> 30 g/L")
    assert inclusion(result) == ["Neutrophils ≥ 1.5 x 10⁹/L", "Albumin > 30 g/L"]


def test_bullets_without_blank_and_unusual_signs(eligibility):
    result = eligibility("Exclusion Criteria:\n1.Asthma\n2)Gout\n•Sepsis\n▪ Ileus\n–Grade 4 rash\n(d) Vertigo\n① Migraine")
    assert exclusion(result) == ["Asthma", "Gout", "Sepsis", "Ileus", "Grade 4 rash", "Vertigo", "Migraine"]
    assert_closed(result)


@pytest.mark.parametrize(
    "criterion",
    [
        "HER2-positive or PD-L1-negative disease",
        "-positive result of either test",
        "A 7.5 - 10.0 % change",
        "Bilirubin < 1.5 x ULN",
        "i.v. drug use",
    ],
)
def test_hyphens_and_numbers_inside_a_criterion_split_nothing(eligibility, criterion):
    assert inclusion(eligibility(f"Inclusion Criteria:\n\n* {criterion}\n* Adults")) == [criterion, "Adults"]


def test_single_hyphen_at_a_wrapped_line_is_no_bullet(eligibility):
    result = eligibility("Inclusion Criteria:\n* Haemoglobin between 9\n- 12 g/dL\n* Adults")
    assert inclusion(result) == ["Haemoglobin between 9 - 12 g/dL", "Adults"]


def test_hyphens_are_bullets_where_the_block_uses_them(eligibility):
    assert exclusion(eligibility("Exclusion Criteria:\n- Gout\n- Asthma\n- HIV")) == ["Gout", "Asthma", "HIV"]


def test_hard_wrapped_text_joins_its_lines(eligibility):
    result = eligibility(
        "\n        Inclusion Criteria:\n\n"
        "          -  Adults who have had at least two documented attacks of gout in the twelve months before\n"
        "             screening, confirmed by a physician\n\n"
        "               -  Attacks treated at home count only where a photograph of the joint was taken by a\n"
        "                  nurse\n\n"
        "          -  Written consent\n"
    )
    texts = inclusion(result)
    assert texts[0].endswith("before screening, confirmed by a physician")
    assert texts[1].endswith("taken by a nurse")
    assert texts[1].startswith("Adults who have had")
    assert texts[2] == "Written consent"
    assert "hard_wrapped" in result.formats
    assert_closed(result)


def test_paragraphs_without_bullets_are_criteria(eligibility):
    result = eligibility("Inclusion Criteria:\n\nAdults\n\n≥ 50 kg\n\nProven gout\n\nExclusion Criteria:\n\nAsthma")
    assert inclusion(result) == ["Adults", "≥ 50 kg", "Proven gout"]
    assert "paragraphs" in result.formats


def test_lost_line_breaks_are_found_again(eligibility):
    result = eligibility(
        "Inclusion Criteria: 1. Age 20-60 2. Ferritin 3.5 - 9.0 3. BMI < 35 Exclusion Criteria: 1. Dose > 3. 5 mg/kg 2. Ileus"
    )
    assert inclusion(result) == ["Age 20-60", "Ferritin 3.5 - 9.0", "BMI < 35"]
    assert exclusion(result) == ["Dose > 3. 5 mg/kg", "Ileus"]
    assert_closed(result)


def test_repeated_header_in_front_of_each_criterion_goes(eligibility):
    result = eligibility("Inclusion criteria:\n- Inclusion Criteria 1. Common Toxicity Criteria grade 0\n- Inclusion Criteria 2. Adults")
    assert inclusion(result) == ["Common Toxicity Criteria grade 0", "Adults"]


class TestContext:
    def test_lead_in_lives_in_its_children(self, eligibility):
        result = eligibility("Exclusion Criteria:\n\n* Patients with any of the following:\n\n  * Gout\n  * Ileus\n* Asthma")
        assert exclusion(result) == ["Patients with any of the following: Gout", "Patients with any of the following: Ileus", "Asthma"]
        assert result.chunks[0].context == ("Patients with any of the following",)
        assert [chunk.ordinal for chunk in result.chunks] == [1, 2, 3]
        assert_closed(result)

    def test_negated_lead_in_without_header_is_carried(self, eligibility):
        assert unparsed(eligibility("Persons with none of the following:\n* gout\n* ileus")) == [
            "Persons with none of the following: gout",
            "Persons with none of the following: ileus",
        ]

    def test_parent_that_is_a_sentence_is_a_criterion_too(self, eligibility):
        result = eligibility("Inclusion Criteria:\n\n* Adults with gout. Proof is needed.\n\n  * Crystal seen\n")
        assert inclusion(result) == ["Adults with gout. Proof is needed.", "Adults with gout: Crystal seen"]

    def test_long_parent_is_cut_at_a_clause_and_kept_whole_as_a_criterion(self, eligibility):
        parent = "Adults with gout that was proven by a joint aspiration, that was treated for a year at least, that came back, and that now needs:"
        result = eligibility(f"Inclusion Criteria:\n\n* {parent}\n\n  * Surgery", parent=60)
        assert inclusion(result) == [parent, "Adults with gout that was proven by a joint aspiration: Surgery"]
        assert_closed(result)

    def test_deeper_parents_stand_outermost_first(self, eligibility):
        result = eligibility("Inclusion Criteria:\n\n1. Organ function:\n\n   * Liver:\n\n     * ALT normal")
        assert inclusion(result) == ["Organ function: Liver: ALT normal"]

    def test_letters_under_numbers_at_one_indent_nest(self, eligibility):
        result = eligibility("Inclusion Criteria:\n1. One of these:\na. Gout\nb. Ileus\n2. Adults")
        assert inclusion(result) == ["One of these: Gout", "One of these: Ileus", "Adults"]

    def test_lead_in_without_usable_children_is_emitted(self, eligibility):
        result = eligibility("Exclusion Criteria:\n\n* Drugs listed in the following:\n\n  * None")
        assert exclusion(result) == ["Drugs listed in the following:"]
        assert_closed(result)

    def test_flattened_bullets_get_no_context_that_may_be_wrong(self, eligibility):
        result = eligibility("Inclusion Criteria:\n* Adequate organ function:\n* Platelets normal\n* Signed consent")
        assert inclusion(result) == ["Adequate organ function:", "Platelets normal", "Signed consent"]

    def test_grouping_label_is_neither_chunk_nor_prefix(self, eligibility):
        result = eligibility("Inclusion Criteria:\n\nAll 3 parts of Study:\n\n* Adults\n\nGeneral:\n\n* Consent")
        assert inclusion(result) == ["Adults", "Consent"]
        assert result.loss.by_reason[DropReason.GROUPING_LABEL] == len("All 3 parts of Study:") + len("General:")
        assert_closed(result)


class TestScope:
    def test_label_governs_until_the_next_and_stays_in_the_text(self, eligibility):
        result = eligibility("Inclusion Criteria:\n\nCOHORT A:\n\n* Gout\n\nCOHORT B:\n\n* Ileus\n* Asthma")
        assert [(chunk.scope, chunk.text) for chunk in result.chunks] == [
            (("COHORT A",), "COHORT A: Gout"),
            (("COHORT B",), "COHORT B: Ileus"),
            (("COHORT B",), "COHORT B: Asthma"),
        ]
        assert_closed(result)

    def test_header_ends_a_scope(self, eligibility):
        result = eligibility("Inclusion Criteria:\n\nPart 1:\n\n* Gout\n\nExclusion Criteria:\n\n* Ileus")
        assert [chunk.scope for chunk in result.chunks] == [("Part 1",), ()]

    def test_scoped_header(self, eligibility):
        result = eligibility("Inclusion Criteria for Healthy Volunteers:\n* Adults\nExclusion Criteria - Cohort 2\n* Gout")
        assert [(chunk.scope, chunk.text) for chunk in result.chunks] == [
            (("Healthy Volunteers",), "Healthy Volunteers: Adults"),
            (("Cohort 2",), "Cohort 2: Gout"),
        ]

    def test_scope_inside_a_criterion_governs_its_children(self, eligibility):
        result = eligibility("Inclusion Criteria:\n\n* Part 2 only: one of the following:\n\n  * Gout\n* Adults")
        assert [(chunk.scope, chunk.text) for chunk in result.chunks] == [
            (("Part 2 only",), "Part 2 only: one of the following: Gout"),
            ((), "Adults"),
        ]

    def test_bulleted_label_without_deeper_items_governs_its_siblings(self, eligibility):
        result = eligibility("Exclusion Criteria:\n* Arm A:\n* Gout\n* Arm B:\n* Ileus")
        assert [chunk.scope for chunk in result.chunks] == [("Arm A",), ("Arm B",)]


class TestPlaceholdersAndRepeats:
    def test_placeholders_give_no_chunk_and_repeats_are_stored_once(self, eligibility):
        result = eligibility("Exclusion Criteria:\n* None\n* N/A\n* -\n* Gout\n* gout.\n* Ileus\n* Gout")
        assert [(chunk.text, chunk.ordinal, chunk.repeats) for chunk in result.chunks] == [("Gout", 4, (5, 7)), ("Ileus", 6, ())]
        assert_closed(result)

    def test_none_after_the_header_counts_as_read(self, eligibility):
        result = eligibility("Inclusion Criteria:\n\n* Adults\n\nExclusion Criteria: none")
        assert result.outcome is ParseOutcome.BOTH
        assert exclusion(result) == []

    def test_the_same_line_in_another_scope_or_section_is_kept(self, eligibility):
        result = eligibility("Inclusion Criteria:\n\nArm A:\n\n* Gout\n\nArm B:\n\n* Gout\n\nExclusion Criteria:\n\n* Gout")
        assert len(result.chunks) == 3
        assert all(not chunk.repeats for chunk in result.chunks)


@pytest.mark.parametrize("text", ["", "  \n ", "\x00"])
def test_no_text_is_no_criteria(eligibility, text):
    result = eligibility(text)
    assert result.outcome is ParseOutcome.NO_CRITERIA
    assert result.chunks == ()


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("Inclusion Criteria:\n* Adults", ParseOutcome.INCLUSION_ONLY),
        ("Exclusion Criteria:\n* Adults", ParseOutcome.EXCLUSION_ONLY),
        ("Inclusion Criteria:\nExclusion Criteria:\n* Gout", ParseOutcome.BOTH),
    ],
)
def test_outcome_follows_the_headers(eligibility, text, outcome):
    assert eligibility(text).outcome is outcome
