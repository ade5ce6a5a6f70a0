from __future__ import annotations

from datetime import date

import pytest

from pipeline.search.request import Mode, SearchRequest
from pipeline.search.search import search
from pipeline.wiring import Services

TODAY = date(2031, 5, 17)


def test_a_result_says_how_its_query_was_read(services: Services):
    reading = search(services, SearchRequest(query="HER2 positive breast cancr NCT99000001"), today=TODAY).reading
    assert reading.wordings[0].why == "original"
    assert reading.wordings[0].text == "HER2 positive breast cancr NCT99000001"
    assert [(one.written, one.read) for one in reading.corrections] == [("cancr", "cancer")]
    assert (reading.known, reading.absent) == (["NCT99000001"], [])


def test_an_identifier_that_is_not_there_is_named_as_absent(services: Services):
    reading = search(services, SearchRequest(query="NCT01234567"), today=TODAY).reading
    assert (reading.known, reading.absent) == ([], ["NCT01234567"])


@pytest.mark.parametrize("mode", [Mode.FUSED, Mode.DENSE, Mode.SPARSE])
def test_a_query_that_is_taken_as_it_is_has_one_wording(services: Services, mode: Mode):
    reading = search(services, SearchRequest(query="breast cancr", mode=mode), today=TODAY).reading
    assert [one.text for one in reading.wordings] == ["breast cancr"]
    assert reading.corrections == []
    assert "cancr" not in repr(reading)
