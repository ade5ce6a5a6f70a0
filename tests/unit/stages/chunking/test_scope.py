"""What a line is limited to. Negative rows are diseases, stages and trials that look like parts of a study."""

from __future__ import annotations

import pytest

from pipeline.stages.chunking.scope import read_inline, read_label


@pytest.mark.parametrize(
    ("text", "colon", "scope"),
    [
        ("COHORT B", True, "COHORT B"),
        ("Arm A (dose expansion)", False, "Arm A (dose expansion)"),
        ("Phase 1b only", False, "Phase 1b only"),
        ("Parts 2A and 2B", True, "Parts 2A and 2B"),
        ("For Part 1", True, "Part 1"),
        ("Dose expansion phase", True, "Dose expansion phase"),
        ("For healthy volunteers", True, "healthy volunteers"),
        ("(Group 2)", True, "Group 2"),
    ],
)
def test_reads_labels(text, colon, scope):
    label = read_label(text, colon=colon)
    assert label is not None
    assert label.scope == scope


@pytest.mark.parametrize(
    ("text", "colon"),
    [
        ("Stage IV", True),
        ("All 3 parts of study", True),
        ("For all participants", True),
        ("Part 2 of the questionnaire was completed", False),
        ("Group therapy", True),
        ("Armed forces", True),
        ("Adequate organ function", True),
        ("Diabetes", True),
        ("", True),
    ],
)
def test_other_labels_are_no_scope(text, colon):
    assert read_label(text, colon=colon) is None


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("Part 2 only: measurable disease", "Part 2 only"),
        ("For Cohort A, at least one prior line", "Cohort A"),
        ("Cohort 1: HER2 mutation", "Cohort 1"),
        ("Arms B and C: prior taxane", "Arms B and C"),
        ("Biopsy is mandatory (Phase 1b only)", "Phase 1b only"),
    ],
)
def test_reads_scope_in_a_criterion(text, scope):
    assert read_inline(text) == scope


@pytest.mark.parametrize(
    "text",
    [
        "Group B streptococcus infection",
        "Phase 3 trial participation within a year",
        "Stage 2: hypertension",
        "Part of a twin pair",
        "HER2-positive disease",
    ],
)
def test_takes_no_scope_from_other_words(text):
    assert read_inline(text) is None
