import pytest

from pipeline.search.understand import understand
from pipeline.search.understand.abbreviations import abbreviations
from pipeline.search.understand.lexicon import toml
from pipeline.search.understand.wordings import contracted
from pipeline.search.understand.words import keys


def read(query):
    return dict(understand(query).expansions)


READINGS = [
    ("PE with right heart strain", "PE", "pulmonary embolism"),
    ("PE: lungs clear, findings normal", "PE", "physical exam"),
    ("MS 4 mg iv for pain", "MS", "morphine sulfate"),
    ("ms relapse", "ms", "multiple sclerosis"),
    ("MS murmur valve area", "MS", "mitral stenosis"),
    ("RA on methotrexate", "RA", "rheumatoid arthritis"),
    ("sats 88 on RA", "RA", "room air"),
    ("dilated RA on echo", "RA", "right atrium"),
    ("ALS transport", "ALS", "advanced life support"),
    ("ALS riluzole trial", "ALS", "amyotrophic lateral sclerosis"),
    ("CP radiating to the arm", "CP", "chest pain"),
    ("child with CP, spastic", "CP", "cerebral palsy"),
    ("mi with st elevation", "mi", "myocardial infarction"),
    ("MCI triage tags", "MCI", "mass casualty incident"),
    ("MCI amyloid memory", "MCI", "mild cognitive impairment"),
    ("ICD fired twice", "ICD", "implantable cardioverter defibrillator"),
    ("eGFR below 30, renal function", "eGFR", "estimated glomerular filtration rate"),
    ("HR breast cancer HER2", "HR", "hormone receptor"),
    ("HR 130 and sweating", "HR", "heart rate"),
    ("ED overcrowding", "ED", "emergency department"),
    ("BPD preterm oxygen", "BPD", "bronchopulmonary dysplasia"),
    ("PT INR before surgery", "PT", "prothrombin time"),
]


@pytest.mark.parametrize(("query", "short", "means"), READINGS)
def test_an_abbreviation_is_read_by_the_words_beside_it(query, short, means):
    assert read(query)[short] == means


NOT_READ = [
    ("one or two doses", "or"),
    ("all adults in the cohort", "all"),
    ("as soon as able", "as"),
    ("give it in the thigh", "in"),
    ("what aids recovery", "aids"),
    ("once per hr", "hr"),
    ("EGFR T790M", "EGFR"),  # the gene, nothing of the kidney beside it
    ("met the criteria", "met"),
    ("naloxone kit", "kit"),
    ("ICD codes", "ICD"),
    ("AR", "AR"),
]


@pytest.mark.parametrize(("query", "word"), NOT_READ)
def test_an_everyday_word_or_a_gene_is_no_abbreviation(query, word):
    assert word not in read(query)


def test_there_are_as_many_abbreviations_as_a_clinical_index_needs():
    assert len(abbreviations()) >= 220


def test_no_abbreviation_stands_twice():
    data = toml("clinical_abbreviations")
    written = [short for group in ("plain", "capitals") for short in data[group]]
    assert len({keys(short) for short in written}) == len(written)


@pytest.mark.parametrize("entry", list(abbreviations().values()), ids=lambda entry: entry.short)
def test_every_abbreviation_is_one_word_with_a_reading_that_is_another(entry):
    assert len(keys(entry.short)) == 1
    assert all(reading.means.casefold() != entry.short.casefold() for reading in entry.readings)
    assert [reading.context == () for reading in entry.readings[:-1]] == [False] * (len(entry.readings) - 1)


@pytest.mark.parametrize("entry", list(abbreviations().values()), ids=lambda entry: entry.short)
def test_every_reading_can_be_reached(entry):
    for reading in entry.readings:
        beside = [word.rstrip("*") for word in reading.context[:1]]
        assert reading.means in {entry.read({*beside}), *(entry.read({word.rstrip("*")}) for word in reading.context)}


def test_a_meaning_that_is_written_out_already_is_not_written_out_again():
    assert read("myocardial infarction (MI)") == {}


def test_a_phrase_is_searched_shortened_too():
    assert contracted("aspirin in myocardial infarction") == "aspirin in MI"
    assert "MI after stenting" in [one.text for one in understand("myocardial infarction after stenting").variants]


@pytest.mark.parametrize("query", ["aspirin for chest pain", "", "infarction"])
def test_a_text_without_such_a_phrase_is_not_shortened(query):
    assert contracted(query) is None
