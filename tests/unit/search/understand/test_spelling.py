from collections.abc import Mapping

import pytest

from pipeline.search.understand import understand
from pipeline.search.understand.pools import Pool
from pipeline.search.understand.spelling import TitleWords, corrections


class Words:
    """A vocabulary of a few words."""

    def __init__(self, *held: str, titles: Mapping[str, int] | None = None) -> None:
        self.held = {*held, *(titles or {})}
        self.asked: list[str] = []
        self._titles = TitleWords.of(titles or {})

    def holds(self, word: str) -> bool:
        self.asked.append(word)
        return word in self.held

    def titles(self) -> TitleWords:
        return self._titles


def corrected(query, vocabulary=None):
    return {query[one.start : one.end]: one.to for one in corrections(query, vocabulary)}


MISSPELT = [
    ("siezure", "seizure"),
    ("anaphilaxis", "anaphylaxis"),
    ("amioderone", "amiodarone"),
    ("amiodaron", "amiodarone"),
    ("naloxon", "naloxone"),
    ("glucagone", "glucagon"),
    ("asprin", "aspirin"),
    ("epinefrine", "epinephrine"),
    ("diabetis", "diabetes"),
    ("hypertention", "hypertension"),
    ("pneumothroax", "pneumothorax"),
    ("tuberculossis", "tuberculosis"),
    ("migrane", "migraine"),
    ("acetominophen", "acetaminophen"),
    ("kidny", "kidney"),
    ("Viagara", "viagra"),
    ("defibrilation", "defibrillation"),
]


@pytest.mark.parametrize(("word", "right"), MISSPELT)
def test_a_misspelt_clinical_word_is_corrected(word, right):
    assert corrected(f"about {word} today") == {word: right}


UNTOUCHED = [
    "EGFR",
    "HER2",
    "BRCA1",
    "BRAC1",
    "ERBB",
    "NCT0123456",
    "CA116001",
    "5 mgg",
    "0.3 mg/kgg",
    "12 yearz",
    "STEMII",
    "KEYNOT-189",
    "mcq",
    "siezures-2",
    "patients",
    "randomised",
    "haemorrhage",
    "nebulizing",
    "intubated",
    "amlodipine",
    "the quick brown fox",
    "hydroxyzine",
    "hydralazine",
    "nifedipine nicardipine",
    "prednisolone prednisone",
    "dopamine dobutamine",
    "zzzzzzz",
    "exon 20",
    "nebulized",
    "chemo",
]


@pytest.mark.parametrize("query", UNTOUCHED)
def test_codes_genes_doses_units_and_words_that_are_known_stay(query):
    assert corrected(query) == {}


def test_a_word_that_the_index_holds_is_right_whatever_it_is_near_to():
    assert corrected("siezure", Words("siezure")) == {}


def test_a_slip_that_keeps_the_stem_is_put_right_although_the_index_seems_to_hold_it():
    assert corrected("defibrilation", Words("defibrilation")) == {"defibrilation": "defibrillation"}
    assert corrected("amiodaron", Words("amiodaron")) == {"amiodaron": "amiodarone"}


def test_a_word_of_the_index_alone_is_found_by_its_titles():
    vocabulary = Words(titles={"velaxotinib": 3})
    assert corrected("velaxotinb study", vocabulary) == {"velaxotinb": "velaxotinib"}
    assert corrected("velaxotinb study") == {}


def test_an_everyday_word_is_put_in_only_where_the_index_holds_it():
    assert corrected("the thigg", Words("thigh")) == {"thigg": "thigh"}
    assert corrected("volunteerz wanted", Words()) == {}


def test_of_equally_near_words_the_more_frequent_one_is_taken():
    assert corrected("zantorab", Words(titles={"zantoral": 1, "zantorax": 5})) == {"zantorab": "zantorax"}
    assert corrected("zantorab", Words(titles={"zantoral": 5, "zantorax": 1})) == {"zantorab": "zantoral"}


def test_of_equally_frequent_ones_the_first_in_the_alphabet_is_taken():
    assert corrected("zantorab", Words(titles={"zantorax": 1, "zantoral": 1})) == {"zantorab": "zantoral"}


def test_letters_that_changed_places_come_before_other_slips():
    assert corrected("needel", Words(titles={"needed": 9, "needle": 1})) == {"needel": "needle"}


def test_two_edits_need_a_long_word():
    vocabulary = Words(titles={"velaxib": 1, "velaxotinib": 1})
    assert corrected("vellaxxib", vocabulary) == {"vellaxxib": "velaxib"}
    assert corrected("veaaxxb", vocabulary) == {}


def test_known_words_cost_the_index_nothing():
    vocabulary = Words()
    corrected("epinephrine dose in anaphylaxis for adults", vocabulary)
    assert vocabulary.asked == []


def test_the_same_query_always_gives_the_same():
    assert len({tuple(corrections("siezure anaphilaxis amioderone", None)) for _ in range(5)}) == 1


def test_a_correction_is_searched_and_recorded_and_the_query_stays_first():
    found = understand("midazolam dose siezure")
    assert found.variants[0].text == "midazolam dose siezure"
    assert any("seizure" in one.text for one in found.variants[1:])
    assert [(one.start, one.end, one.to) for one in found.corrections] == [(15, 22, "seizure")]


def test_a_correction_is_understood_as_the_word_it_stands_for():
    assert understand("amioderone").drugs == ("amiodarone",)


@pytest.mark.parametrize(("word", "near"), [("bcd", set()), ("bcdef", {("abcdef", 1), ("bcdeg", 1)}), ("bacdef", {("abcdef", 1)})])
def test_a_pool_finds_words_with_another_first_letter_within_one_edit(word, near):
    assert set(Pool.of(["abcdef", "bcdeg", "xyzzy", "abc"]).near(word, most=1)) == near
