"""Towns, states and ZIP codes by name."""

from __future__ import annotations

from importlib import resources

import pytest

from pipeline.stages.deidentify.recognisers.gazetteer import is_zip_of, key, regions, town_at, towns

OURS = (
    "places",
    "places_more",
    "us_states",
    "regions",
    "street_words",
    "facilities",
    "facility_kinds",
    "generic_sites",
    "insurers",
)
LARGEST_BYTES = 400_000


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("St. Louis, MO", "St. Louis"),
        ("Saint Louis", "Saint Louis"),
        ("Winston-Salem, NC", "Winston-Salem"),
        ("New York City on Monday", "New York City"),
        ("Boise. He", "Boise"),
        ("Washington D.C. and", "Washington D.C."),
        ("TOLEDO, OH", "TOLEDO"),
    ],
)
def test_reads_the_longest_name(text: str, name: str) -> None:
    found = town_at(text, 0)
    assert found is not None
    assert text[: found[0]] == name


@pytest.mark.parametrize("text", ["Qualmsey", "Kenya", "Texas", "March 2009", "", ". Boise", "Hypertension"])
def test_knows_no_other_names(text: str) -> None:
    assert town_at(text, 0) is None


def test_words_that_are_towns_too_are_doubtful() -> None:
    assert all(towns()[name].doubtful for name in ("reading", "mobile", "normal", "nice", "bath", "lima", "jackson", "columbia", "norco"))
    assert not any(towns()[name].doubtful for name in ("chicago", "springfield", "pocatello"))


def test_no_country_or_state_is_a_town() -> None:
    assert not (regions() & set(towns())) - {"new york", "washington"}
    assert key("Saint Vincent and the Grenadines") in regions()


@pytest.mark.parametrize(
    ("state", "zip_code", "expected"), [("MA", "02139", True), ("TX", "75001", True), ("TX", "10025", False), ("XX", "02139", False)]
)
def test_zip_codes_have_their_states(state: str, zip_code: str, expected: bool) -> None:
    assert is_zip_of(state, zip_code) is expected


@pytest.mark.parametrize("name", OURS)
def test_every_list_states_its_source_and_is_compact(name: str) -> None:
    text = resources.files("pipeline.lexicons").joinpath(f"{name}.txt").read_text("utf-8")
    assert "Source:" in text.split("\n\n")[0][:900]
    assert len(text.encode()) <= LARGEST_BYTES
