"""Windows cover a text in order, overlap, and end where a reader would pause."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from pipeline.stages.deidentify.windows import windows


def test_a_short_text_is_one_window():
    assert list(windows("short", size=100, overlap=10)) == [(0, 5)]
    assert list(windows("", size=100, overlap=10)) == [(0, 0)]


def test_a_window_ends_with_a_paragraph():
    text = "a" * 60 + "\n\n" + "b" * 60
    assert next(iter(windows(text, size=100, overlap=10))) == (0, 62)


@given(st.text(alphabet="ab .\n", max_size=400), st.integers(min_value=20, max_value=120), st.integers(min_value=1, max_value=9))
def test_every_stretch_as_long_as_the_overlap_is_whole_in_some_window(text: str, size: int, overlap: int):
    ranges = list(windows(text, size=size, overlap=overlap))
    assert ranges[0][0] == 0
    assert ranges[-1][1] == len(text)
    assert all(end - start <= size for start, end in ranges)
    assert all(later[0] <= earlier[1] for earlier, later in itertools.pairwise(ranges))
    assert all(later[0] > earlier[0] for earlier, later in itertools.pairwise(ranges))


def test_a_name_at_an_edge_is_whole_in_one_window():
    text = ("word " * 30 + "Ada Lovelock ") * 40
    ranges = list(windows(text, size=500, overlap=50))
    place = text.find("Ada Lovelock")
    while place >= 0:
        assert any(start <= place and place + 12 <= end for start, end in ranges)
        place = text.find("Ada Lovelock", place + 1)
