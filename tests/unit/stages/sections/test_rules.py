"""The data: every section has its entry, and no heading says two things in one kind of document."""

from __future__ import annotations

from collections import defaultdict

import pytest

from pipeline.domain.vocabulary import CRITERION_SECTIONS, Section
from pipeline.stages.sections import SectionFinder, section_rules
from pipeline.stages.sections.rules import GROUPS
from pipeline.stages.sections.wording import plain

OF_TRIALS_ONLY = {
    *(section for section in CRITERION_SECTIONS if section is Section.ELIGIBILITY_UNPARSED),
    Section.BRIEF_SUMMARY,
    Section.DETAILED_DESCRIPTION,
    Section.INTERVENTION,
    Section.OUTCOME,
    Section.TITLE_CONDITIONS,
}
RULES = section_rules().by_section.values()


def test_every_section_but_those_of_trials_has_an_entry():
    assert set(section_rules().by_section) == set(Section) - OF_TRIALS_ONLY


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("field", ["headings", "words"])
def test_no_heading_means_two_sections_in_one_group(group, field):
    sections = defaultdict(set)
    for rule in RULES:
        if group in rule.kinds:
            for text in getattr(rule, field):
                sections[text].add(rule.section)
    assert {text: found for text, found in sections.items() if len(found) > 1} == {}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.section.value)
def test_headings_are_written_as_they_are_looked_up(rule):
    texts = [*rule.headings, *rule.words, *rule.inner, *(text for only in rule.only.values() for text in only)]
    assert [text for text in texts if plain(text) != text] == []


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.loinc], ids=lambda rule: rule.section.value)
def test_loinc_codes_have_the_check_digit_of_their_number(rule):
    number, check = rule.loinc.split("-")
    doubled = "".join(str(int(digit) * (2 - place % 2)) for place, digit in enumerate(reversed(number)))
    assert (-sum(map(int, doubled))) % 10 == int(check)


def test_no_two_sections_share_a_loinc_code():
    codes = [rule.loinc for rule in RULES if rule.loinc]
    assert len(codes) == len(set(codes))


def test_the_version_names_rules_and_data():
    assert SectionFinder().version.startswith("sections-1-")
    assert len(SectionFinder().version) == len("sections-1-") + 8
