from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.search.cite.difference import difference, likeness

WORDS = st.lists(st.sampled_from(["no", "prior", "taxane", "within", "4", "weeks", "ECOG"]), max_size=12).map(" ".join)


@pytest.mark.parametrize(
    ("old", "new", "edits"),
    [
        ("ECOG 0 or 1", "ECOG 0 or 1", [("same", "ECOG 0 or 1")]),
        ("ECOG 0 or 1", "ECOG 0 to 2", [("same", "ECOG 0 "), ("removed", "or 1"), ("added", "to 2")]),
        ("no prior taxane", "prior taxane", [("removed", "no "), ("same", "prior taxane")]),
        ("prior taxane", "no prior\ntaxane", [("added", "no "), ("same", "prior\ntaxane")]),
        ("", "new", [("added", "new")]),
    ],
)
def test_runs_of_words(old: str, new: str, edits: list[tuple[str, str]]):
    assert [(one.kind, one.text) for one in difference(old, new)] == edits


@given(WORDS, WORDS)
def test_both_texts_can_be_read_from_the_difference(old: str, new: str):
    edits = difference(old, new)
    assert "".join(one.text + " " for one in edits if one.kind != "removed").split() == new.split()
    assert "".join(one.text + " " for one in edits if one.kind != "added").split() == old.split()


@given(WORDS, WORDS)
def test_likeness_is_a_share_and_whole_for_equal_words(old: str, new: str):
    assert 0 <= likeness(old, new) <= 1
    assert likeness(old, old) == 1
    assert likeness(old, new, at_least=0.6) in (0.0, likeness(old, new))
