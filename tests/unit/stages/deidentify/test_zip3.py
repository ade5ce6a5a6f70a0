"""The first three digits of ZIP codes that may stay."""

from __future__ import annotations

import pytest

from pipeline.stages.deidentify.zip3 import SMALL_AREAS, safe_zip3


@pytest.mark.parametrize(("zip_code", "area"), [("02139", "021"), ("60614-3391", "606"), (" 97411 ", "974"), ("606143391", "606")])
def test_keeps_the_area(zip_code: str, area: str) -> None:
    assert safe_zip3(zip_code) == area


@pytest.mark.parametrize("area", sorted(SMALL_AREAS))
def test_hides_areas_of_few_people(area: str) -> None:
    assert safe_zip3(f"{area}01") == "000"


def test_knows_the_seventeen_areas_of_the_guidance() -> None:
    assert len(SMALL_AREAS) == 17


@pytest.mark.parametrize("value", ["", "021", "LS2 9JT", "0213", "021394", "K1A 0B6", "zip 02139"])
def test_hides_what_is_no_zip_code(value: str) -> None:
    assert safe_zip3(value) == "000"
