"""Which words are clinical, and that the lists load as they should."""

from __future__ import annotations

import pytest

from pipeline.stages.deidentify.clinical_lexicon import key, lexicon, spellings
from pipeline.stages.deidentify.clinical_terms import abbreviations, clinical_spans, is_clinical_term
from pipeline.stages.deidentify.recognisers.names_lexicon import words_of

CLINICAL = [
    "lisinopril",
    "Keytruda",
    "KEYTRUDA",
    "miralax",
    "Hodgkin lymphoma",
    "non-Hodgkin lymphoma",
    "Parkinson's",
    "parkinson's disease",
    "Addisons disease",
    "Graves' disease",
    "Klüver-Bucy syndrome",
    "Kluver-Bucy syndrome",
    "Klver-Bucy syndrome",
    "Guillain-Barré",
    "Creutzfeldt-Jakob",
    "Lou Gehrig's disease",
    "West syndrome",
    "Kennedy disease",
    "Becker muscular dystrophy",
    "Allen test",
    "Foley catheter",
    "tetralogy of Fallot",
    "circle of Willis",
    "New York Heart Association class III",
    "Eastern Cooperative Oncology Group",
    "Child-Pugh",
    "Mini-Mental",
    "RECIST",
    "CTCAE",
    "NYHA class II",
    "CAM",
    "eGFR",
    "BRCA1",
    "C. diff",
    "hyponatremia",
    "cholecystectomy",
    "left lower lobe",
    "Escherichia coli",
    "Examplestein syndrome",  # no list knows it
    "Aaab-Bbbc syndrome",
    "St. John's wort",
]
NOT_CLINICAL = [
    "",
    "  ",
    "of the",
    "of class",
    "Wilson",
    "Kennedy",
    "West",
    "Becker",
    "Wilson's",
    "Cam",  # the scale is CAM
    "Grace",
    "GRACE PARKER",
    "Emily Chen",
    "John Smith",
    "Parkinson John",
    "Mary Jones disease Smith",
    "Boston",
    "Los Angeles",
    "Springfield Hospital",
    "Oklahoma",
    "Bohemia",
    "4471",
    "Wilson said the test",
]


@pytest.mark.parametrize("words", CLINICAL)
def test_a_clinical_term_is_one(words):
    assert is_clinical_term(words)


@pytest.mark.parametrize("words", NOT_CLINICAL)
def test_other_words_are_no_clinical_term(words):
    assert not is_clinical_term(words)


def test_the_longest_term_is_found():
    text = "class: New York Heart Association class III"

    spans = [text[each.start : each.end] for each in clinical_spans(text, 0, len(text), persons=True)]

    assert "New York Heart Association class" in spans


def test_words_that_are_names_count_only_where_no_person_can_be():
    text = "brain"

    assert clinical_spans(text, 0, len(text), persons=False)
    assert not clinical_spans(text, 0, len(text), persons=True)


def test_a_term_does_not_reach_over_the_end_of_a_sentence():
    text = "He saw the lymph. Node was seen."

    assert all("Node" not in text[each.start : each.end] for each in clinical_spans(text, 0, len(text), persons=True))


def test_abbreviations_are_found_as_they_are_written():
    text = "K, Cam, CAM, MRI."

    assert [text[start:end] for start, end in abbreviations(text, 0, len(text))] == ["K", "CAM", "MRI"]


def test_a_name_with_accents_is_known_without_them_and_with_them_lost():
    assert {key(each) for each in spellings("Ménière")} == {"meniere", "mnire"}
    assert {key(each) for each in spellings("Köhler")} == {"kohler", "koehler", "khler"}


@pytest.mark.parametrize("head", ["syndrome", "disease"])
def test_every_eponym_is_kept_beside_its_head(head):
    lists = lexicon()

    lost = [name for name in lists.eponyms | lists.doubtful_eponyms if not is_clinical_term(f"{name.title()} {head}")]

    assert lost == []


def test_no_surname_of_everyday_is_clinical_by_itself():
    for name in [
        "Smith",
        "Johnson",
        "Brown",
        "Young",
        "Bell",
        "White",
        "Cook",
        "Walker",
        "Turner",
        "Murphy",
        "Graham",
        "Allen",
        "Marshall",
        "Hunter",
        "Jackson",
        "Wright",
    ]:
        assert not is_clinical_term(name), name


def test_the_lists_are_as_large_as_promised():
    lists = lexicon()

    assert len(lists.eponyms | lists.doubtful_eponyms) >= 600
    assert len(lists.terms) > 20_000
    assert not lists.terms & lists.doubtful_terms
    assert not lists.eponyms & lists.doubtful_eponyms


@pytest.mark.parametrize("name", ["surnames", "given_names"])
def test_no_name_of_our_lists_is_clinical_for_its_ending(name):
    lists = lexicon()
    in_lists = lists.terms | lists.eponyms | {each.lower() for each in lists.cased}
    names = words_of(name)

    assert [each for each in names if each not in in_lists and is_clinical_term(each)] == []
