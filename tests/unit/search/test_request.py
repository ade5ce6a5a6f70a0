"""What a search may ask."""

from __future__ import annotations

import pytest

from pipeline.domain.errors import UsageError
from pipeline.search.request import SearchRequest, make_request

LISTED = [name for name, field in SearchRequest.model_fields.items() if field.annotation == tuple[str, ...]]


@pytest.mark.parametrize("name", LISTED)
def test_half_of_a_character_is_refused_in_every_filter_without_being_quoted(name: str):
    with pytest.raises(UsageError) as error:
        make_request(query="gout", **{name: ("asthma \ud800",)})
    assert "asthma" not in str(error.value)
    assert getattr(make_request(query="gout", **{name: ("asthma 😀",)}), name) == ("asthma 😀",)


def test_a_range_of_days_that_ends_before_it_begins_is_refused():
    with pytest.raises(UsageError, match="dated_from is after dated_to"):
        make_request(query="gout", dated_from="2031-06-01", dated_to="2031-05-31")
    assert make_request(query="gout", dated_from="2031-06-01", dated_to="2031-06-01").dated_from is not None
