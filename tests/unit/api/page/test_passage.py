from __future__ import annotations

import pytest

from pipeline.api.page.passage import pieces
from pipeline.search.request import MatchedTerm


def _term(*places: tuple[int, int]) -> MatchedTerm:
    return MatchedTerm(text="x", exact=True, wording="original", places=list(places))


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        ([], [("abcdef", False)]),
        ([(0, 2)], [("ab", True), ("cdef", False)]),
        ([(4, 6), (0, 1)], [("a", True), ("bcd", False), ("ef", True)]),
        ([(0, 3), (3, 6)], [("abc", True), ("def", True)]),
        ([(0, 3), (2, 5)], [("abc", True), ("def", False)]),  # one over another
        ([(4, 9), (-1, 2), (3, 3), (5, 4)], [("abcdef", False)]),  # of no text like this one
    ],
)
def test_a_text_in_pieces_is_the_text(places: list[tuple[int, int]], expected: list[tuple[str, bool]]):
    found = pieces("abcdef", [_term(place) for place in places])
    assert found == expected
    assert "".join(text for text, _ in found) == "abcdef"


def test_a_text_of_nothing_has_no_pieces():
    assert pieces("", [_term((0, 1))]) == []
