"""Neighbouring passages become one; editions of one document do not fill the page."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pipeline.domain.chunks import Span
from pipeline.domain.vocabulary import DocumentKind, Element, Section
from pipeline.search.grouping import LONGEST, arrange, diverse, joined

TEXT = "Warm the patient. Remove wet clothing. Handle gently. Give warm fluids by mouth."


@pytest.fixture
def piece(passage):
    """The passage of ``TEXT[start:end]``."""

    def make(start: int, end: int, section: Section = Section.TREATMENT, *, score: float = 0.8, **of_chunk):
        return replace(passage(TEXT[start:end], section, start=start, **of_chunk), score=score)

    return make


def test_an_overlap_is_shown_once_with_the_span_of_both(piece):
    (one,) = joined([piece(18, 53), piece(0, 38, score=0.01)])
    assert one.joined.text == TEXT[:53]
    assert one.joined.span == Span(0, 53)
    assert one.joined.passages == 2
    assert one.row.chunk.text == TEXT[18:53]  # what is cited stays


def test_a_neighbour_on_either_side_is_joined_where_it_is_worth_it(piece):
    (one,) = joined([piece(18, 38), piece(39, 53, score=0.5), piece(0, 17, score=0.5)])
    assert one.joined.span == Span(0, 53)
    assert one.joined.text == "Warm the patient.\nRemove wet clothing.\nHandle gently."


def test_a_weak_neighbour_stays_apart(piece):
    shown = joined([piece(18, 38, score=0.8), piece(39, 53, score=0.39)])
    assert [one.joined for one in shown] == [None, None]


def test_a_passage_that_stands_in_another_is_not_shown_twice(piece):
    (one,) = joined([piece(0, 53), piece(18, 38, score=0.1)])
    assert one.joined.text == TEXT[:53]


def test_pages_reach_from_the_first_to_the_last(piece):
    (one,) = joined([piece(18, 53, page=2), piece(0, 38, page=1, page_to=2)])
    assert (one.joined.page, one.joined.page_to) == (1, 2)


@pytest.mark.parametrize(
    "other",
    [
        {"section": Section.ASSESSMENT},
        {"part": "furniture"},
        {"headings": ("Elsewhere",)},
        {"element": Element.TABLE},
    ],
    ids=str,
)
def test_what_stands_elsewhere_is_not_joined(piece, other):
    assert len(joined([piece(0, 38), piece(18, 53, **other)])) == 2


def test_criteria_are_units_of_their_own(piece):
    shown = joined([piece(0, 38, Section.INCLUSION_CRITERION), piece(18, 53, Section.INCLUSION_CRITERION)])
    assert len(shown) == 2


def test_texts_that_do_not_fit_where_their_spans_meet_are_not_joined(passage):
    one, other = passage("Warm the patient.", Section.TREATMENT), passage("Quite another text.", Section.TREATMENT, start=10)
    assert len(joined([one, other])) == 2


def test_a_gap_is_not_bridged(piece):
    assert len(joined([piece(0, 17), piece(39, 53)])) == 2


def test_a_joined_passage_grows_no_longer_than_two_chunks(passage):
    text = "word " * (LONGEST // 12)
    pieces = [passage(text, Section.TREATMENT, start=number * len(text)) for number in range(3)]
    shown = joined(pieces)
    assert [one.joined.passages if one.joined else 1 for one in shown] == [2, 1]


def test_every_passage_is_shown_or_stands_in_one_that_is(piece):
    pieces = [piece(0, 38), piece(18, 53), piece(54, len(TEXT), Section.ASSESSMENT), piece(39, 53, score=0.2)]
    shown = joined(pieces)
    spans = [one.joined.span if one.joined else one.row.chunk.span for one in shown]
    assert all(any(span.start <= one.row.chunk.span.start and one.row.chunk.span.end <= span.end for span in spans) for one in pieces)


def test_the_same_text_again_comes_last(passage, group):
    text = passage("Handle gently.")
    first, copy, other = group("A", text, key="1"), group("B", text, key="2"), group("C", passage("Else."), key="3")
    assert [one.document.title for one in diverse([first, copy, other])] == ["A", "C", "B"]


def test_editions_of_a_protocol_come_last(passage, group):
    kind = DocumentKind.PROTOCOL
    new = group("Study", passage("new text"), kind=kind, key="1", protocol_number="X-1", amendment="2")
    old = group("Study", passage("old text"), kind=kind, key="2", protocol_number="X-1", amendment="1")
    other = group("Other", passage("other"), kind=kind, key="3", protocol_number="X-2")
    assert [one.document.facets.amendment for one in diverse([new, old, other])] == ["2", None, "1"]


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ({"reference_number": "77"}, {"reference_number": "77-P"}, DocumentKind.EMS_PROTOCOL),
        ({"patient": "p1"}, {"patient": "p2"}, DocumentKind.NOTE),
        ({"nct_id": "NCT90000001"}, {"nct_id": "NCT90000002"}, DocumentKind.TRIAL),
        ({"protocol_number": "X-1"}, {"protocol_number": "X-2"}, DocumentKind.PROTOCOL),
    ],
)
def test_documents_that_only_read_alike_keep_their_places(passage, group, one, other, kind):
    texts = (passage("Same."), passage("Same.")) if "protocol_number" not in one else (passage("Same."), passage("Not the same."))
    groups = [
        group("T", texts[0], kind=kind, key="1", **one),
        group("T", texts[1], kind=kind, key="2", **other),
        group("Z", passage("z"), key="3"),
    ]
    assert [group_.document_id for group_ in arrange(groups)] == [group_.document_id for group_ in groups]
