"""Names of people by cues, labels and lists; the negatives are the words that stand in such places in notes and trials."""

from __future__ import annotations

import pytest

from pipeline.domain.phi import IdentifierClass
from pipeline.stages.deidentify.recognisers.names import Names
from pipeline.stages.deidentify.resolve import resolve


def found(text: str, *, least: float = 0.0) -> list[str]:
    """The stretches found, overlapping ones united, in order."""
    return [text[each.start : each.end] for each in resolve(each for each in Names().find(text, None) if each.score >= least)]


SURE = 0.8  # below it, a clinical word takes a find back


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Seen by Dr. Wexford today", ["Wexford"]),
        ("Dr Parkinson examined her", ["Parkinson"]),
        ("DR. LINDQVIST AGREES", ["LINDQVIST"]),
        ("dr. okafor agrees", ["okafor"]),
        ("per Dr.\nOyelaran's plan", ["Oyelaran"]),
        ("Dr. A. Castellane will call", ["A. Castellane"]),
        ("Ms. Brown was told", ["Brown"]),
        ("Mr. O'Hanlon-D'Souza's knee", ["O'Hanlon-D'Souza"]),
        ("Drs. Amari and Pell concur", ["Amari", "Pell"]),
        ("Prof. Jan van den Heuvel", ["Jan van den Heuvel"]),
        ("Nurse Imelda Quayle charted", ["Imelda Quayle"]),
        ("Sister Benedicta visited", ["Benedicta"]),
        ("Rev. Tobias Crane prayed", ["Tobias Crane"]),
        ("charge nurse Priya Raman", ["Priya Raman"]),
        ("Seen by Dr. Osric Vane (final)", ["Osric Vane"]),
        ("Seen by Dr. Helen Radiology", ["Helen"]),
        ("Dr. Maria Attending physician", ["Maria"]),
        ("Mr. Ivan Presented with pain", ["Ivan"]),
    ],
)
def test_a_title_decides(text: str, names: list[str]) -> None:
    assert found(text, least=SURE) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Name:           Ranil Wijesinghe", ["Ranil Wijesinghe"]),
        ("Patient Name: MORETTI, ILARIA F.", ["MORETTI, ILARIA F."]),
        ("Patient: Grace Lovell\nDOB", ["Grace Lovell"]),
        ("Name: wanjiru kamau\n", ["wanjiru kamau"]),
        ("Mother's name: Thandeka Zulu", ["Thandeka Zulu"]),
        ("Emergency contact: Bao Tran", ["Bao Tran"]),
        ("Attending: Hsu, Mei-Lin MD", ["Hsu, Mei-Lin"]),
        ("PCP: April Day", ["April Day"]),
        ("cc: Soledad Ibarra", ["Soledad Ibarra"]),
        ("Dictated by: Osei Bonsu", ["Osei Bonsu"]),
        ("Name   Odalys Peña", ["Odalys Peña"]),
        ("| Patient name | Ewa Nowak |", ["Ewa Nowak"]),
        ("Electronically signed by: Fenwick Arbuthnot, MD", ["Fenwick Arbuthnot"]),
        ("Next of kin: Yusuf al-Karim (brother)", ["Yusuf al-Karim"]),
    ],
)
def test_a_label_promises_a_name(text: str, names: list[str]) -> None:
    assert found(text, least=SURE) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Her husband Kwadwo drove her", ["Kwadwo"]),
        ("her daughter, Ottilie, is here", ["Ottilie"]),
        ("lives w/ husband kwadwo", ["kwadwo"]),
        ("pt marisela duarte c/o cough", ["marisela duarte"]),
        ("Discussed with Hollis Varga about the plan", ["Hollis Varga"]),
        ("My name is Ngozi", ["Ngozi"]),
        ("this is um Dana uh Petrov in bay 4", ["Dana uh Petrov"]),
        ("Paciente José Núñez-Ibarra", ["José Núñez-Ibarra"]),
        ("Petra Hollis, RN, charted", ["Petra Hollis"]),
        ("Tomasz Zielinski PA-C", ["Tomasz Zielinski"]),
        ("reviewed by Yewande Adu, M.D.", ["Yewande Adu"]),
        ("Case manager Delphine Roux will call", ["Delphine Roux"]),
        ("CC: Sunniva Dahl, M.D.; Pavel Novak, D.O.", ["Sunniva Dahl", "Pavel Novak"]),
        ("Her son Dmitri will drive", ["Dmitri"]),
        ("her mother in law rosalba", ["rosalba"]),
        ("Baby Kowalczyk is feeding", ["Kowalczyk"]),
    ],
)
def test_a_person_is_announced(text: str, names: list[str]) -> None:
    assert found(text, least=SURE) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("INGRID SOLBERG WAS ADMITTED", ["INGRID SOLBERG"]),
        ("Ingrid Solberg has a cough", ["Ingrid Solberg"]),
        ("SOLBERG, INGRID K.", ["SOLBERG, INGRID K."]),
        ("for Lena R., seen in May", ["Lena R."]),
        ("Grace reports pain. Will denies pain.", ["Grace", "Will"]),
        ("May will see her. Rose is her sister.", ["May", "Rose"]),
        ("Roberts continues to walk", ["Roberts"]),
        ("Nadia, can you hear me", ["Nadia"]),
        ("Đỗ Thị Lan and María de la Cruz", ["Đỗ Thị Lan", "María de la Cruz"]),
        ("They are Hannah, Farouk and Ines.", ["Hannah, Farouk", "Ines"]),
        ("van der Meulen, Pieter", ["van der Meulen, Pieter"]),
        ("Tadeusz/Lena team", ["Tadeusz", "Lena"]),
        ("seen with nadia petrova, typed at night in lower case", ["nadia petrova"]),
        ("\nIngrid Solberg\n4 Elm", ["Ingrid Solberg"]),
        ("Children: Lena,\nOmar", ["Lena", "Omar"]),
    ],
)
def test_lists_know_names_in_name_position(text: str, names: list[str]) -> None:
    assert found(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "Parkinson's disease and Crohn disease",
        "Wilson's disease, Gilbert syndrome",
        "a Foley catheter and a Jackson-Pratt drain",
        "treated with carboplatin, Zofran and Taxol",
        "grace-period dosing in May 2024",
        "Patients may receive it. Will discuss.",
        "He will walk in the park in March.",
        "white blood cells and brown sputum",
        "young adults with long QT",
        "hope for the best; faith is a comfort",
        "mother HTN, father COPD, sister DM2",
        "mother with hypertension, father had leukemia",
        "Patient Education was given",
        "Patient Health Questionnaire",
        "patient denies pain",
        "pt denies sob, pt reports cough",
        "Attending: none",
        "Signed: yes",
        "cc: chest pain",
        "CC:\n\nRight knee pain",
        "Assistant: None",
        "From: 2020 To: 2021",
        "Anesthesia: General",
        "The nurse gave it. Nurse practitioner note",
        "Sister chromatids; brother alive",
        "Doctor: Can you walk?",
        "discussed with Cardiology and with the family",
        "signed by hand",
        "CHIEF COMPLAINT: COUGH",
        "HISTORY OF PRESENT ILLNESS",
        "PAST MEDICAL HISTORY, PT and OT, DO NOT RESUSCITATE",
        "IV, PO, CBC, MD, RN",
        "New York Heart Association class III",
        "Hong Kong and West Africa",
        "St. Vincent's clinic",
        "Ross et al., 2015",
        "levels of Ki-67, TBX5, Rab23",
        "SmartCore was released",
        "Overall, I think he is well",
        "a 54-year-old Hispanic woman",
        "Escherichia coli, S. aureus",
        "Hepatitis B. vaccine, vitamin D. deficiency",
        "Morse fall scale, Glasgow Coma Scale",
        "the mark on his art work",
        "ELEVATED WHITE COUNT, GREEN SPUTUM",
    ],
)
def test_words_of_medicine_and_english_are_no_names(text: str) -> None:
    assert found(text) == []


def test_a_doubtful_name_leaves_room_for_the_lists_of_drugs() -> None:
    scores = [each.score for each in Names().find("her sister Zyvotrex", None)]
    assert scores
    assert all(score < SURE for score in scores)


def test_finds_are_names_without_titles_and_possessives() -> None:
    text = "Mrs. Halloran's chart"
    assert {(text[each.start : each.end], each.category) for each in Names().find(text, None)} == {("Halloran", IdentifierClass.NAME)}


@pytest.mark.parametrize(
    "text", ["a" * 60_000, "A." * 30_000, "Mr." * 20_000, "Anna," * 12_000, "name:" * 12_000, "O'" * 30_000, "um" * 30_000]
)
def test_hostile_text_is_read_to_its_end(text: str) -> None:
    assert all(each.end <= len(text) for each in Names().find(text, None))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("RECIPIENT: QUAYLE AGATHA", ["QUAYLE AGATHA"]),
        ("Tech: M. Quayle RPSGT", ["M. Quayle"]),
        ("cath by doctor sandoval with a stent", ["sandoval"]),
        ("FOB Ibrahima involved", ["Ibrahima"]),
        ("PS: Carys (his wife) collects", ["Carys"]),
        ("seen (Winston Abercrombie III).", ["Winston Abercrombie III"]),
        ("Seen w/\tHyun-woo Bae, CWOCN", ["Hyun-woo Bae"]),
        ("Breast cancer (mother) and Diabetes (father)", []),
        ("Smt. Lakshmi Iyer here", ["Lakshmi Iyer"]),
        ("ANESTHESIA: General / MAC", []),
        ("PROCEDURES PERFORMED: Tailor bunionectomy", []),
        ("Lives in Puerto Rico with family", []),
        ("Cardiologist, was consulted by the Hospitalist", []),
        ("by doctor recommendation", []),
        ("Ref: none", []),
        ("doctor ordered labs", []),
    ],
)
def test_people_of_forms_and_dictation(text: str, names: list[str]) -> None:
    assert found(text) == names
