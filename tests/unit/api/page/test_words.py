from __future__ import annotations

import pytest

from pipeline.api.page import words
from pipeline.domain.vocabulary import DocumentKind, Section
from pipeline.search.answer.model import Reason
from pipeline.search.request import Withheld


@pytest.mark.parametrize(
    ("days", "said"),
    [
        (-1, "dated in the future"),
        (0, "today"),
        (1, "yesterday"),
        (2, "2 days ago"),
        (59, "59 days ago"),
        (60, "2 months ago"),
        (364, "12 months ago"),
        (365, "1 year ago"),
        (800, "2 years ago"),
    ],
)
def test_days_are_said_as_people_say_them(days: int, said: str):
    assert words.days_ago(days) == said


@pytest.mark.parametrize(
    ("hours", "said"), [(0.2, "less than an hour ago"), (1.9, "1 hour ago"), (47.9, "47 hours ago"), (48, "2 days ago")]
)
def test_hours_are_said_as_people_say_them(hours: float, said: str):
    assert words.hours_ago(hours) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("2026-03-12", "12 Mar 2026"),
        ("2026-03", "Mar 2026"),
        ("2026", "2026"),
        ("2026-03-12T10:00:00Z", "12 Mar 2026"),
        ("spring", "spring"),
        ("2026-13-40", "2026-13-40"),
        ("", ""),
    ],
)
def test_dates_are_as_exact_as_their_source(value: str, said: str):
    assert words.day(value) == said


def test_every_kind_and_section_has_a_name():
    assert all(words.kind(kind) for kind in DocumentKind)
    assert {section for section in Section if not words.section(section)} == {Section.NOTE_TEXT}


def test_every_reason_for_no_picture_is_said():
    assert all(words.withheld(why).endswith(".") for why in Withheld)


def test_every_refusal_is_said():
    assert all(words.refusal(why).endswith(".") for why in (None, *Reason))


def test_a_code_that_the_registry_has_not_published_is_still_readable():
    assert words.code("PHASE5_LATE") == "Phase5 late"


def test_signals_that_say_nothing_are_left_out():
    assert words.signals({"passage_dose": 1.0, "passage_short": -0.4, "passage_drug": 0.0, "passage_cosine": 0.9}) == [
        ("states a dose", 1.0),
        ("very short passage (ranks lower)", -0.4),
    ]


def test_a_long_caption_is_cut_at_a_word():
    said = words.picture("flow \n chart " * 60)
    assert len(said) <= 303
    assert said.endswith(("flow …", "chart …"))
