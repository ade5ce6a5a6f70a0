"""What protect drops, cuts and keeps. A place stands in [brackets]; what must be left of it is the second value."""

from __future__ import annotations

import pytest

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.protect import protect

NAME, ORG, FACILITY, ADDRESS, DATE = (
    IdentifierClass.NAME,
    IdentifierClass.ORGANISATION,
    IdentifierClass.FACILITY,
    IdentifierClass.ADDRESS,
    IdentifierClass.DATE,
)
DOUBTFUL = 0.6


def left(marked: str, category: IdentifierClass, score: float = DOUBTFUL) -> list[str]:
    start, end = marked.index("["), marked.index("]") - 1
    text = marked.replace("[", "").replace("]", "")
    return [text[each.start : each.end] for each in protect(text, [Found(start, end, category, score, "test")])]


DROPPED = [
    ("Skin intact. [Braden] 16, bed alarm on", NAME),
    ("[Jobe] 4/5 on the left", NAME),
    ("[Finkelstein neg], no snuffbox pain", NAME),
    ("suspected [Richter] transformation", NAME),
    ("He has [Parkinson]'s disease.", NAME),
    ("He has [Parkinson's] disease.", NAME),
    ("History of [Addisons disease] since childhood", ORG),
    ("[Kennedy] disease was excluded", NAME),
    ("treated for [West] syndrome", ADDRESS),
    ("[Klver-Bucy] syndrome", NAME),
    ("a [Creutzfeldt-Jakob] variant", NAME),
    ("[Wilson]'s disease", NAME),
    ("[Becker] or Duchenne muscular dystrophy", NAME),
    ("stage II [Hodgkin] lymphoma", NAME),
    ("[Murphy] sign negative", NAME),
    ("the [Foley] was removed", NAME),
    ("drained by a [Babcock] clamp", NAME),
    ("grasped with a [Exampler] and tied", NAME),
    ("over an 18-French [Robinson] into the bladder", NAME),
    ("repaired as by [Exampler] et al", NAME),
    ("[Aaab Bbbc Cccd] syndrome is rare", NAME),
    ("aneurysm of the circle of [Willis]", NAME),
    ("started [Keytruda] today", ORG),
    ("continue [Lasix]", NAME),
    ("[Lisinopril]", NAME),
    ("[K 4.1] and Na 138", ORG),
    ("[MRI] of the knee", ORG),
    ("left [Medial Malleolus] tender", ADDRESS),
    ("[New York Heart Association] class III", ORG),
    ("[New York] Heart Association class III", ADDRESS),
    ("[Eastern Cooperative Oncology Group] 1", ORG),
    ("[Child-Pugh] B", NAME),
    ("[Klebsiella] grew", NAME),
    ("a mutation of [ABCD12]", ADDRESS),
    ("grasped with the [Babcock] again", NAME),
    ("lifted with another [Cobb] elevator", NAME),
    ("[Doyle] splints were placed", NAME),
    ("[Prediabetes], on diet", NAME),
    ("[Allegra] 180 mg daily", NAME),
    ("held by a curved [Ochsner] and cut", NAME),
    ("opened with a #15 [Bard-Parker] blade", NAME),
    ("avascular plane of [Treves] was found", NAME),
    ("[Penile] skin is intact", NAME),
    ("[Assessment and Plan]: rest", ORG),
    ("for [two weeks]", DATE),
    ("[3 days] ago", DATE),
    ("the [past 5 years]", DATE),
    ("take it [twice daily]", DATE),
    ("every [6-8 hours]", DATE),
    ("blood pressure [120/80]", DATE),
    ("strength [5/5] throughout", DATE),
    ("[10/12] mg", DATE),
    ("[postoperative day 2]", DATE),
]


@pytest.mark.parametrize(("marked", "category"), DROPPED)
def test_drops_a_doubtful_place_that_is_clinical(marked, category):
    assert left(marked, category) == []


KEPT = [
    ("Dr. [Parkinson] came", NAME),
    ("Patient: [Addison Crohn]", NAME),
    ("seen by [Foley] today", NAME),
    ("[Hodgkin], MD", NAME),
    ("Wife: [Lasix]", NAME),
    ("[Wilson] went home", NAME),
    ("[Wilson] developed liver disease", NAME),
    ("[Parkinson John Smith]", NAME),
    ("[Emily Chen] has fever", NAME),
    ("[Grace Marshall] rests", NAME),
    ("[Young] walks", NAME),
    ("[West] called", NAME),
    ("a [Wilson] family", NAME),
    ("A [Jane Example] called", NAME),
    ("the [Harris] house", NAME),
    ("the [Cobb] twins", NAME),
    ("[Allegra] rests", NAME),
    ("[Strand] rests", NAME),
    ("[Eglitis] rests", NAME),
    ("[Emily Eglitis] rests", NAME),
    ("[John K] was seen", NAME),
    ("[Anna S.], a teacher", NAME),
    ("[Los Angeles] is home", ADDRESS),
    ("lives in Exampletown, [PA] now", ADDRESS),
    ("lives in Exampletown, [GA] now", ORG),
    ("[Temple] is where he lives", ADDRESS),
    ("[Exampletown General Hospital]", FACILITY),
    ("[Children's Hospital]", FACILITY),
    ("works at [Example Steel]", ORG),
    ("seen on [3/4]", DATE),
    ("on [March 3]", DATE),
    ("in [May]", DATE),
    ("on [03/04/2019]", DATE),
    ("last [Monday]", DATE),
    ("[12/5] to follow up", DATE),
]


@pytest.mark.parametrize(("marked", "category"), KEPT)
def test_keeps_a_place_that_may_be_an_identifier(marked, category):
    value = marked[marked.index("[") + 1 : marked.index("]")]
    assert left(marked, category) == [value]


@pytest.mark.parametrize(
    ("marked", "rest"),
    [
        ("[Hodgkin Lymphoma Emily Chen] seen", "Emily Chen"),
        ("[Emily Chen Lisinopril] 10 mg", "Emily Chen"),
        ("[Hypertension, Emily Chen] seen", "Emily Chen"),
    ],
)
def test_cuts_clinical_terms_from_the_ends_of_a_name(marked, rest):
    assert left(marked, NAME) == [rest]


@pytest.mark.parametrize(
    ("marked", "category"),
    [("[Parkinson]'s disease", NAME), ("started [Keytruda]", ORG), ("for [two weeks]", DATE), ("[Lasix]", NAME), ("[MRI]", FACILITY)],
)
def test_never_drops_a_place_that_a_recogniser_is_sure_of(marked, category):
    value = marked[marked.index("[") + 1 : marked.index("]")]
    assert left(marked, category, score=0.8) == [value]


@pytest.mark.parametrize("marked", ["[New York] Heart Association class II", "taking [St. John's] wort", "node of [Cloquet] was sent"])
def test_drops_even_a_sure_town_inside_a_longer_term(marked):
    assert left(marked, ADDRESS, score=0.88) == []


@pytest.mark.parametrize("marked", ["Dr. [Lou] Gehrig's disease clinic", "Patient: [Willis]"])
def test_keeps_a_sure_name_after_a_title(marked):
    value = marked[marked.index("[") + 1 : marked.index("]")]
    assert left(marked, NAME, score=0.95) == [value]


@pytest.mark.parametrize("category", [each for each in IdentifierClass if each not in (NAME, ORG, FACILITY, ADDRESS, DATE)])
def test_leaves_numbers_and_codes_alone(category):
    assert left("take [lisinopril] daily", category, score=0.3) == ["lisinopril"]


def test_reads_a_place_at_either_end_of_a_text():
    assert left("[Parkinson]", NAME) == []
    assert left("[Wilson]", NAME) == ["Wilson"]


def test_keeps_the_order_and_the_other_places():
    text = "Emily Chen takes Keytruda with Wilson"
    found = [Found(0, 10, NAME, 0.6, "a"), Found(17, 25, ORG, 0.6, "b"), Found(31, 37, NAME, 0.9, "c")]

    assert protect(text, found) == [found[0], found[2]]


def test_drops_a_sure_drug_before_its_dose_but_not_a_town():
    assert left("two of [Norco] 10/325 mg", ADDRESS, score=0.88) == []
    assert left("he came to [Norco] again", ADDRESS, score=0.88) == ["Norco"]


def test_drops_the_repeats_of_a_term_that_was_taken_for_a_name_but_not_those_of_a_name():
    text = "LEEP was done; Foley went home"
    found = [Found(0, 4, NAME, 0.85, "NamesAgain"), Found(15, 20, NAME, 0.85, "NamesAgain")]

    assert protect(text, found) == [found[1]]


def test_a_rare_word_is_a_name_where_the_words_around_it_spoke_of_a_person():
    assert left("[Palfrey] was bent", NAME, score=0.6) == []
    assert left("[Palfrey] examined her", NAME, score=0.75) == ["Palfrey"]


@pytest.mark.parametrize("category", [NAME, DATE])
def test_leaves_a_place_alone_that_is_longer_than_any_term(category):
    text = "Parkinson's disease " * 3_000
    found = [Found(0, len(text), category, DOUBTFUL, "test")]

    assert protect(text, found) == found
