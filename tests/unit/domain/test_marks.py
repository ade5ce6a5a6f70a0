"""Marks keep their places through de-identification."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.domain.marks import Mark, MarkKind, inside, moved, of_kind
from pipeline.domain.phi import IdentifierClass, Replacement


def replacement(source: tuple[int, int], place: tuple[int, int]) -> Replacement:
    return Replacement(*source, *place, IdentifierClass.NAME, 1.0, "test")


# "Seen by Anna Holt today." -> "Seen by [NAME] today."
ONE = [replacement((8, 17), (8, 14))]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((0, 7), (0, 7)),
        ((8, 17), (8, 14)),
        ((18, 23), (15, 20)),
        ((0, 24), (0, 21)),
        ((10, 12), (8, 14)),  # inside: the whole replacement
        ((4, 12), (4, 14)),
        ((12, 20), (8, 17)),
        ((17, 17), (14, 14)),
    ],
)
def test_a_mark_moves_with_its_text(before: tuple[int, int], after: tuple[int, int]):
    (mark,) = moved([Mark(*before, MarkKind.HEADING, level=2)], ONE)
    assert (mark.start, mark.end, mark.level) == (*after, 2)


@given(st.data())
def test_text_that_nothing_replaced_stays_under_its_mark(data: st.DataObject):
    pieces = data.draw(st.lists(st.tuples(st.text("ab", min_size=1, max_size=5), st.booleans()), min_size=1, max_size=8))
    source, scrubbed, replacements, kept = "", "", [], []
    for text, gone in pieces:
        new = "[X]" if gone else text
        if gone:
            replacements.append(replacement((len(source), len(source) + len(text)), (len(scrubbed), len(scrubbed) + len(new))))
        else:
            kept.append((Mark(len(source), len(source) + len(text), MarkKind.WORD), text))
        source, scrubbed = source + text, scrubbed + new
    marks = moved([mark for mark, _ in kept], replacements)
    assert [scrubbed[mark.start : mark.end] for mark in marks] == [text for _, text in kept]


def test_marks_of_a_kind_come_in_order_of_place_the_outer_one_first():
    marks = [Mark(4, 6, MarkKind.TABLE_ROW), Mark(0, 3, MarkKind.TABLE_ROW), Mark(0, 6, MarkKind.TABLE)]
    assert of_kind(marks, MarkKind.TABLE, MarkKind.TABLE_ROW) == [marks[2], marks[1], marks[0]]
    assert inside(marks, 3, 4) == [marks[2]]
