from __future__ import annotations

from datetime import date

import pytest

from pipeline.api.page.asked import PARTS, asked_of, parts_for
from pipeline.api.page.choices import Choices
from pipeline.api.page.posted import Posted
from pipeline.domain.errors import UsageError

OFFERED = Choices(kinds=("ems_protocol", "trial"), conditions=("Asthma", "Gout"))


def test_every_filter_reaches_the_search():
    asked = asked_of(
        Posted(
            {
                "query": [" metformin "],
                "recruiting": ["1"],
                "kinds": ["trial", "paper", "trial"],
                "phases": ["PHASE2"],
                "study_types": ["INTERVENTIONAL"],
                "part": ["exclusion"],
                "condition": ["asthma"],
                "icd": ["e11.9, I10"],
                "agencies": ["Pinewater County EMS", "Other"],
                "states": ["OR"],
                "departments": ["cardiology"],
                "access": ["internal"],
                "patient": ["p-1"],
                "encounter": ["e-1"],
                "loinc": ["4548-4; 2345-7"],
                "snomed": ["59621000"],
                "rxnorm": [" 314076 "],
                "resource_status": ["final"],
                "scope": ["Cohort A"],
                "dated_from": ["2031-05-17"],
                "dated_to": ["2031-06-30"],
                "limit": ["25"],
            }
        )
    )
    wanted = asked.request(OFFERED)
    assert wanted.query == "metformin"
    assert wanted.recruiting_only
    assert wanted.kinds == ("trial", "paper")
    assert wanted.phases == ("PHASE2",)
    assert wanted.study_types == ("INTERVENTIONAL",)
    assert wanted.sections == PARTS["exclusion"].sections
    assert wanted.conditions == ("Asthma",)  # as the documents write it
    assert wanted.icd_codes == ("E11.9", "I10")
    assert wanted.agencies == ("Pinewater County EMS",)
    assert wanted.states == ("OR",)
    assert wanted.departments == ("cardiology",)
    assert wanted.access == ("internal",)
    assert wanted.patients == ("p-1",)
    assert wanted.encounters == ("e-1",)
    assert wanted.loinc_codes == ("4548-4", "2345-7")
    assert wanted.snomed_codes == ("59621000",)
    assert wanted.rxnorm_codes == ("314076",)
    assert wanted.resource_status == ("final",)
    assert wanted.scopes == ("Cohort A",)
    assert (wanted.dated_from, wanted.dated_to) == (date(2031, 5, 17), date(2031, 6, 30))
    assert wanted.limit == 25
    assert asked.filters == 19
    assert asked.of_resources


def test_what_is_no_value_of_the_form_is_left_out():
    asked = asked_of(Posted({"query": ["gout"], "part": ["everything"], "limit": ["1000"], "kinds": [" "], "mode": ["dense"]}))
    assert asked.filters == 0
    assert not asked.of_resources
    assert asked.request(OFFERED).limit == 10


@pytest.mark.parametrize(("first", "last"), [("17.05.2031", ""), ("", "2031-02-30"), ("2031-06-01", "2031-05-31")])
def test_a_date_that_is_none_or_a_range_that_ends_before_it_begins_is_refused_without_being_quoted(first: str, last: str):
    asked = asked_of(Posted({"query": ["gout"], "dated_from": [first], "dated_to": [last]}))
    with pytest.raises(UsageError) as error:
        asked.request(OFFERED)
    assert not any(typed in str(error.value) for typed in (first, last) if typed)
    assert (asked.dated_from, asked.dated_to) == (first, last)


@pytest.mark.parametrize("query", ["", "x" * 4001])
def test_a_query_that_cannot_be_asked_is_refused_without_being_quoted(query: str):
    with pytest.raises(UsageError) as error:
        asked_of(Posted({"query": [query]})).request(OFFERED)
    assert "xxx" not in str(error.value)


def test_parts_are_those_of_the_kinds_that_are_there():
    assert "exclusion" not in parts_for(Choices(kinds=("paper",)))
    assert "dosing" not in parts_for(Choices(kinds=("trial",)))
    assert set(parts_for(OFFERED)) == set(PARTS)
    assert parts_for(Choices()) == {}
