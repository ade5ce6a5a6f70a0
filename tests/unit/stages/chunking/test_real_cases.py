"""The collected cases and the real records, where they stand beside the repository."""

from __future__ import annotations

import gzip
import json

import pytest

from pipeline.domain.vocabulary import Section

PLAIN = {"A09", "A11", "A13", "A19", "A21", "A23"}


@pytest.fixture(scope="module")
def cases(shared_data):
    lines = (shared_data / "cases" / "cases.jsonl").read_text("utf-8").splitlines()
    return {case["id"]: case for case in map(json.loads, lines)}


@pytest.mark.parametrize("case_id", sorted(PLAIN))
def test_cases_with_expected_criteria(cases, eligibility, case_id):
    result = eligibility(cases[case_id]["input"])
    for name, texts in cases[case_id]["expected"].items():
        assert [chunk.text for chunk in result.chunks if chunk.section.value.startswith(name)] == texts


def test_case_of_legacy_blocks(cases, eligibility):
    result = eligibility(cases["A15"]["input"])
    assert {chunk.section for chunk in result.chunks} == {Section.ELIGIBILITY_UNPARSED}
    assert len(result.chunks) == 3


def test_case_of_another_language(cases, eligibility):
    result = eligibility(cases["A17"]["input"])
    assert result.language == "es"
    assert all(chunk.is_exclusion is None for chunk in result.chunks)


def test_case_of_lost_line_breaks(cases, eligibility):
    sections = [chunk.section for chunk in eligibility(cases["A25"]["input"]).chunks]
    assert (sections.count(Section.INCLUSION_CRITERION), sections.count(Section.EXCLUSION_CRITERION)) == (3, 2)


def test_case_of_a_negated_lead_in(cases, eligibility):
    texts = [chunk.text.lower() for chunk in eligibility(cases["F13"]["input"]).chunks]
    for text, expected in zip(texts, cases["F13"]["expected"], strict=True):
        assert text.endswith(expected.lower())


def test_case_of_repeats(cases, eligibility):
    (chunk,) = eligibility(cases["F15"]["input"]).chunks
    assert [chunk.ordinal, *chunk.repeats] == [4, 5, 6]


def test_case_of_markdown(cases, chunk_parts):
    (chunk,) = chunk_parts(("brief_summary", cases["F17"]["input"])).chunks
    assert cases["F17"]["expected"].startswith(chunk.text.partition("\n")[2])


@pytest.mark.slow
def test_real_records_lose_nothing(shared_data, eligibility):
    outcomes: dict[str, int] = {}
    with gzip.open(shared_data / "data" / "trials" / "studies.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            result = eligibility(json.loads(line)["protocolSection"]["eligibilityModule"]["eligibilityCriteria"])
            assert result.loss.unexplained == 0
            outcomes[result.outcome] = outcomes.get(result.outcome, 0) + 1
    assert outcomes["both"] >= 0.96 * sum(outcomes.values())  # the survey of the records counts 97.1 % with both headers
