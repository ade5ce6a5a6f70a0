"""Which words of a passage agree with a query, and where."""

from __future__ import annotations

import pytest

from pipeline.search.cite.matched import MOST_TERMS, matched, wanted
from pipeline.search.understand.model import Variant, Why


def words(query: str, text: str, *more: Variant) -> list[tuple[str, bool, str]]:
    return [(one.text, one.exact, one.wording) for one in matched(wanted([Variant(query, Why.ORIGINAL), *more]), text)]


@pytest.mark.parametrize(
    ("query", "text", "found"),
    [
        ("prior taxane", "Prior taxanes within 4 weeks", [("Prior", True), ("taxanes", False)]),
        ("PDL1", "PD-L1 TPS of 50 %", [("PD-L1", False)]),
        ("5 mcg/kg", "5 µg/kg over an hour", [("5", True), ("µg/kg", True)]),
        ("≥ 18 years", "Age ≥18 years", [("≥18", True), ("years", True)]),
        ("the of", "the end of it", []),
        ("gout", "Gouty arthritis; gout, and GOUT.", [("gout", True)]),
        ("quillwort", "Nothing of the kind", []),
    ],
)
def test_words_agree_by_stem_number_and_unit(query: str, text: str, found: list[tuple[str, bool]]):
    assert [(word, exact) for word, exact, _ in words(query, text)] == found


def test_a_word_of_another_wording_says_which():
    found = words("adrenaline dose", "Epinephrine dose 0.3 mg", Variant("epinephrine dose", Why.SYNONYM))
    assert found == [("Epinephrine", True, "synonym"), ("dose", True, "original")]


def test_places_are_those_of_the_words():
    text = "Gout, or a history of gout; no GOUT now"
    (one,) = matched(wanted([Variant("gout", Why.ORIGINAL)]), text)
    assert [text[start:end].lower() for start, end in one.places] == ["gout"] * 3


def test_a_page_pasted_as_a_query_does_not_repeat_its_passage():
    page = " ".join(f"word{chr(97 + number // 26)}{chr(97 + number % 26)}" for number in range(200))
    assert len(words(page, page)) == MOST_TERMS
