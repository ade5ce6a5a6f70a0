"""What hides an identifier is undone, and offsets lead back to the source."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.stages.deidentify.plain import plain


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("plain text 123", "plain text 123"),
        ("4\u200b1\u200b2-55-80\u00ad93", "412-55-8093"),
        ("４１２－55", "412-55"),
        ("٤١٢", "412"),
        ("J\u043ehn Sm\u0456th", "John Smith"),
        ("Иван", "Иван"),
        ("José’s – naïve", "José's - naïve"),
        ("a\u00a0b", "a b"),
        ("John \ud83d Smith", "John \ufffd Smith"),
        ("10⁹/L ≥ 5 µg", "10⁹/L ≥ 5 µg"),
    ],
)
def test_folding(text: str, folded: str):
    assert plain(text).text == folded


def test_a_place_holds_the_unseen_signs_inside_it():
    text = "id 4\u200b1\u200b2."
    folded = plain(text)
    start = folded.text.index("412")
    assert text[slice(*folded.source(start, start + 3))] == "4\u200b1\u200b2"


@given(st.text(alphabet=st.one_of(st.characters(codec="utf-8"), st.sampled_from("\u200b\u00ad４а-"))))
def test_every_folded_character_stands_where_its_offset_says(text: str):
    folded = plain(text)
    for index in range(len(folded.text)):
        start, end = folded.source(index, index + 1)
        assert end == start + 1
        assert 0 <= start < len(text)
    places = [folded.source(index, index + 1)[0] for index in range(len(folded.text))]
    assert places == sorted(set(places))


def test_a_number_that_goes_on_in_the_next_line_is_whole_and_its_place_is_that_of_both_lines():
    text = "Call 406-555-\n\n0177, born 02/17/\n1952"
    folded = plain(text)
    assert folded.text == "Call 406-555-0177, born 02/17/1952"
    start = folded.text.index("406")
    assert text[slice(*folded.source(start, start + 12))] == "406-555-\n\n0177"


def test_other_line_breaks_stay():
    text = "Doses 5\n10 mg\n- 20 mg\n\n2/\n\n\n3 and x-\n7"
    assert plain(text).text == text
