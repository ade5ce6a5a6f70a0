"""A name that is found once is found everywhere in the document, in every form, and ordinary and clinical words are left alone."""

from __future__ import annotations

import pytest

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.names_again import find_names_again


def again(first: str, *texts: str, name: str | None = None, score: float = 0.9) -> list[list[str]]:
    """What is found in further texts after ``name`` (or all of ``first``) was found in the first one."""
    start = first.index(name) if name else 0
    seen = Found(start, start + len(name or first), IdentifierClass.NAME, score, "test")
    found = find_names_again([first, *texts], [[seen], *([] for _ in texts)])
    return [[text[each.start : each.end] for each in places] for text, places in zip(texts, found[1:], strict=True)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Thornbury slept well", ["Thornbury"]),
        ("Saoirse slept well", ["Saoirse"]),
        ("THORNBURY, SAOIRSE was discharged", ["THORNBURY, SAOIRSE"]),
        ("saoirse slept, thornbury ate", ["saoirse", "thornbury"]),
        ("S. Thor. initialled", ["S. Thor."]),
        ("seen by S.T. again", ["S.T."]),
        ("mail sthornbury@example.org", ["sthornbury"]),
        ("login saoirse.thornbury now", ["saoirse.thornbury"]),
        ("asked Thornbury. Saoirse said", ["Thornbury", "Saoirse"]),
        ("file thornbury_ct.pdf", ["thornbury"]),
        ("Saoirse M. Thornbury's wound", ["Saoirse M. Thornbury"]),
        ("Thornbury-Vale visited", ["Thornbury-Vale"]),
        ("Anderson slept well", []),
        ("Thornbury syndrome", []),
    ],
)
def test_every_form_of_a_name(text: str, names: list[str]) -> None:
    assert again("Saoirse Thornbury was seen", text, name="Saoirse Thornbury") == [names]


@pytest.mark.parametrize(
    ("name", "text", "names"),
    [
        ("Will Brown", "he will see brown sputum", []),
        ("Will Brown", "Patients will come. BROWN SPUTUM", []),
        ("Will Brown", "It was told to Brown yesterday", ["Brown"]),
        ("Will Brown", "Will reports pain", ["Will"]),
        ("Will Brown", "BROWN, WILL signed", ["BROWN, WILL"]),
        ("Grace May", "dosing in May 2024, by grace", []),
        ("Rose Young", "young adults; Young adults", []),
        ("Rose Young", "Rose Young left", ["Rose Young"]),
        ("Paul Parkinson", "Parkinson disease", []),
        ("Paul Parkinson", "Parkinson walked", ["Parkinson"]),
        ("Ian Vance", "given I.V. fluids", []),
        ("Art Long", "a long art", []),
    ],
)
def test_names_that_are_words_are_repeated_in_name_position_only(name: str, text: str, names: list[str]) -> None:
    assert again(f"Seen: {name}", text, name=name) == [names]


def test_a_name_of_one_text_is_found_in_all() -> None:
    assert again("Title: Oona Bexley", "Oona ate.", "nothing", "Bexley left.", name="Oona Bexley") == [["Oona"], [], ["Bexley"]]


def test_a_guess_is_not_repeated() -> None:
    assert again("Oona Bexley", "Bexley left.", score=0.6) == [[]]


def test_a_repetition_is_no_surer_than_its_name() -> None:
    text = "Oona Bexley"
    found = find_names_again([text, "Bexley left."], [[Found(0, len(text), IdentifierClass.NAME, 0.72, "test")], []])
    assert [each.score for each in found[1]] == [0.72]


def test_other_classes_are_not_repeated() -> None:
    found = find_names_again(["Bexley Hospital", "Bexley left."], [[Found(0, 6, IdentifierClass.FACILITY, 0.9, "test")], []])
    assert found == [[], []]


def test_nothing_found_nothing_repeated() -> None:
    assert find_names_again(["one", "two"], [[], []]) == [[], []]
