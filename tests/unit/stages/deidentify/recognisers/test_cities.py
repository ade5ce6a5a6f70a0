"""Towns and counties, against states, scores that are called after towns, and words that are towns too."""

from __future__ import annotations

import pytest
import spacy
from spacy.tokens import Doc, Span

from pipeline.stages.deidentify.recognisers.cities import Cities
from pipeline.stages.deidentify.resolve import resolve


def found(text: str) -> list[str]:
    return [text[each.start : each.end] for each in resolve(Cities().find(text, None))]


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("Wexley Falls, MA 02139-4307", ["Wexley Falls, MA 02139-4307"]),
        ("a woman from Springfield, IL", ["Springfield, IL"]),
        ("residing in Fairfield, CT, since May", ["Fairfield, CT"]),
        ("visited family in Toronto, Canada.", ["Toronto, Canada"]),
        ("born in Houston, Texas", ["Houston, Texas"]),
        ("flew in from Chicago yesterday", ["Chicago"]),
        ("He lives in Reading with his wife", ["Reading"]),
        ("moved here from Mobile, AL", ["Mobile, AL"]),
        ("from Nice, France", ["Nice, France"]),
        ("grew up in Qualmsey and never left", ["Qualmsey"]),
        ("pt lives in springfield", ["springfield"]),
        ("pt from jackson, ms with cough", ["jackson, ms"]),
        ("lives in Seattle has heart failure", ["Seattle"]),
        ("came to Denver for a sleep test", []),
        ("was in Denver for a sleep test", ["Denver"]),
        ("seen in Chicago Monday", ["Chicago"]),
        ("a native of Qualmsey, now retired", ["Qualmsey"]),
        ("lifelong resident of Orrinport.", ["Orrinport"]),
        ("Hometown: Wexley", ["Wexley"]),
        ("a sister in Boise. He denies pain", ["Boise"]),
        ("collapsed in Harrow State Park", ["Harrow State Park"]),
        ("works for City of Ann Arbor.", ["City of Ann Arbor"]),
        ("from Houston TX by car", ["Houston TX"]),
        ("living in the Bronx", ["the Bronx"]),
        ("a boy from Marlowe County", ["Marlowe County"]),
        ("WAS BORN IN BALTIMORE, MARYLAND", ["BALTIMORE, MARYLAND"]),
        ("seen in St. Louis last year", ["St. Louis"]),
        ("Family en route from Lake Orrinwood, due at noon", ["Lake Orrinwood"]),
        ("City: Trenton", ["Trenton"]),
        ("trip to Galle last month", ["Galle"]),
        ("in New York City", ["New York City"]),
        ("moved to Washington, D.C., in spring", ["Washington, D.C."]),
    ],
)
def test_finds_towns(text: str, places: list[str]) -> None:
    assert found(text) == places


@pytest.mark.parametrize(
    "text",
    [
        "lives in California",
        "emigrated from India; travelled to Kenya",
        "Mini-Cog and Boston Naming Test",
        "as in Boston Naming Test",
        "Glasgow Coma Scale 15; Chicago classification",
        "Los Angeles grade B esophagitis",
        "in Kawasaki disease and St. Louis encephalitis",
        "principles of the Declaration of Helsinki",
        "a cast of plaster of Paris",
        "New York Heart Association class III",
        "Normal limits. Reading glasses. Mobile phone. Nice recovery.",
        "in Normal saline",
        "Living Arrangement: alone; discussed with the resident from Surgery",
        "on Norco 5 mg; a trial of Norco",
        "fell in a park near the beach",
        "had a hot bath; lima beans",
        "diagnosed in March, seen again in May",
        "lives in a nursing home; lives with Mother",
        "CT head, MRI brain; Ca, MG and K normal",
        "Osgood, MD; Pelham, PA-C",
        "seen by Madison, PA and Taylor, MD",
        "history of Osgood, MS and gout",
        "breast ca, ma noted; from left, or right",
        "grasped with Foley forceps, then the Toronto valve",
        "ICA stenosis in ICA territory",
        "in Boston Scientific trials",
        "Hodgkin, Wilson and Addison disease",
        "moved to ICU, then to ED",
    ],
)
def test_leaves_states_scores_and_words(text: str) -> None:
    assert found(text) == []


def _read(text: str, label: str, start: int, end: int) -> Doc:
    doc = spacy.blank("en")(text)
    span = doc.char_span(start, end)
    assert span is not None
    doc.ents = [Span(doc, span.start, span.end, label)]
    return doc


def test_a_guess_of_the_language_model_that_the_list_has_is_sure() -> None:
    text = "Chicago remains home."
    assert [each.score for each in Cities().find(text, _read(text, "GPE", 0, 7))] == [0.85]


def test_a_guess_that_the_list_does_not_have_is_a_guess() -> None:
    text = "He fished near Qualmsey daily"
    assert [(text[each.start : each.end], each.score < 0.8) for each in Cities().find(text, _read(text, "GPE", 15, 23))] == [
        ("Qualmsey", True)
    ]


@pytest.mark.parametrize(("text", "start", "end"), [("Kenya is far", 0, 5), ("gave Qualmsey twice", 5, 13)])
def test_a_guess_without_word_of_place_or_of_a_country_is_none(text: str, start: int, end: int) -> None:
    assert list(Cities().find(text, _read(text, "GPE", start, end))) == []
