import pytest

from pipeline.index.terms import terms
from pipeline.search.understand import understand
from pipeline.search.understand.numbers import amounts, with_short_units
from pipeline.search.understand.person import age_years, negated, sex

AMOUNTS = [
    ("give 0.3 mg/kg IM", ["0.3 mg/kg"]),
    ("5 mcg", ["5 mcg"]),
    ("≥ 18 years", ["≥ 18 years"]),
    ("1:10,000 epi", ["1:10,000"]),
    ("5 µg/kg/min", ["5 µg/kg/min"]),
    ("10-20 mL bolus", ["10-20 mL"]),
    ("100mg", ["100mg"]),
    ("glucose below 60 mg/dL", ["60 mg/dL"]),
    ("ANC 1,500/mm3", []),
    ("COVID-19", []),
    ("IL-6", []),
    ("policy 510", []),
    ("ECOG 0-1", []),
    ("5 men", []),
    ("grade 3 mucositis", []),
]


@pytest.mark.parametrize(("query", "found"), AMOUNTS)
def test_amounts_are_found_with_their_units(query, found):
    assert [query[one.start : one.end] for one in amounts(query)] == found


@pytest.mark.parametrize("spelling", ["5 microgram/kg", "5 micrograms per kg", "5 micrograms/kilogram"])
def test_long_units_become_short_ones(spelling):
    assert with_short_units(f"give {spelling} now") == "give 5 mcg/kg now"


@pytest.mark.parametrize("text", ["5 mg/kg", "5 µg/kg", "no unit at all", "two grams of truth"])
def test_other_units_stay(text):
    assert with_short_units(text) == text


def test_all_spellings_of_a_unit_are_one_search_class_and_another_unit_is_not_in_it():
    spellings = ["5 µg/kg", "5 μg/kg", "5 mcg/kg", "5 ug/kg", "5 microgram/kg", "5 micrograms per kg"]
    found = {tuple(terms(with_short_units(one))) for one in spellings}
    assert len(found) == 1
    assert tuple(terms(with_short_units("5 mg/kg"))) not in found


def test_one_unit_is_never_taken_for_another():
    assert "mcg" not in with_short_units("5 milligrams/kg")


AGES = [
    ("6 yo with croup", 6),
    ("25-year-old woman", 25),
    ("65M chest pain", 65),
    ("45/F", 45),
    ("18 month old", 1.5),
    ("3 week old infant", 0.058),
    ("aged 70", 70),
    ("age 8", 8),
    ("4 y/o", 4),
    ("pain for 3 days", None),
    ("≥ 18 years", None),
    ("followed for 5 years", None),
    ("6 mo follow-up", None),
    ("180 year old house", None),
    ("5 mg", None),
]


@pytest.mark.parametrize(("query", "years"), AGES)
def test_the_age_of_a_patient_is_read_and_no_duration(query, years):
    assert age_years(query) == (None if years is None else pytest.approx(years, abs=0.01))


SEXES = [
    ("25-year-old woman", "female"),
    ("65M chest pain", "male"),
    ("45/F", "female"),
    ("pregnant", "female"),
    ("6 yo boy", "male"),
    ("men and women over 60", None),
    ("5 m from the door", None),
    ("F-18 PET", None),
    ("chest pain", None),
    ("the mandible", None),
]


@pytest.mark.parametrize(("query", "which"), SEXES)
def test_the_sex_of_a_patient_is_read_where_it_is_one(query, which):
    assert sex(query) == which


DENIED = [
    ("no prior taxane", ["prior taxane"]),
    ("HER2+ without brain metastases, ECOG 1", ["brain metastases"]),
    ("denies chest pain but has dyspnea", ["chest pain"]),
    ("not pregnant. No allergies", ["pregnant", "allergies"]),
    ("negative for influenza", ["influenza"]),
    ("no more than 3 lines", []),
    ("HER2-negative", []),
    ("ref no. 510", []),
    ("nodule", []),
    ("notable findings", []),
]


@pytest.mark.parametrize(("query", "stretches"), DENIED)
def test_what_is_denied_is_marked(query, stretches):
    assert [query[start:end] for start, end in negated(query)] == stretches


EXACT = [
    ("epi 0.3 mg/kg", {"0.3 mg/kg", "epi"}),
    ("PD-L1 TPS", {"PD-L1", "TPS"}),
    ("policy 510", {"510"}),
    ("EGFR T790M", {"EGFR", "T790M"}),
    ("Keytruda", {"Keytruda"}),
    ("heart failure in adults", set()),
    ("pain for 3 days", set()),
]


@pytest.mark.parametrize(("query", "exact"), EXACT)
def test_terms_whose_letters_matter_are_named(query, exact):
    assert set(understand(query).exact_terms) == exact
