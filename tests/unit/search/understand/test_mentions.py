import pytest

from pipeline.search.understand.mentions import mentions
from pipeline.search.understand.model import Scheme


def values(query, scheme=None, *, used=False):
    return [one.value for one in mentions(query) if (scheme is None or scheme in one.schemes) and (not used or one.said or one.alone)]


@pytest.mark.parametrize(
    "query", ["NCT01234567", "nct01234567", "NCT 01234567", "nct-01234567", "NCT: 01234567", "is NCT01234567 open?", "NCT#01234567"]
)
def test_an_nct_id_is_read_in_any_spelling(query):
    assert values(query, Scheme.NCT_ID) == ["NCT01234567"]
    assert values(query) == ["NCT01234567"]


@pytest.mark.parametrize("query", ["NCT0123456", "NCT012345678", "ANCT01234567", "NCT-0123-4567", "nct"])
def test_what_has_not_eight_digits_is_no_nct_id(query):
    assert values(query, Scheme.NCT_ID) == []


SAID = [
    ("policy 510", "510"),
    ("ref no 1333", "1333"),
    ("Ref. No. 1317.9", "1317.9"),
    ("reference number 814", "814"),
    ("TP 1242-P", "1242-P"),
    ("protocol 3000-02-005", "3000-02-005"),
    ("study #301", "301"),
    ("trial KEYNOTE-189", "KEYNOTE-189"),
    ("MCG 1305", "1305"),
]


@pytest.mark.parametrize(("query", "value"), SAID)
def test_a_number_that_is_called_one_is_marked(query, value):
    assert value in [one.value for one in mentions(query) if one.said]


NEVER = [
    "5 mg",
    "0.3 mg/kg IM",
    "18-65 years",
    "≥ 18 years",
    "aged 65",
    "ECOG 0-1",
    "grade 3",
    "stage 4",
    "phase 2",
    "exon 20 insertion",
    "day 28",
    "BP 90/60",
    "platelets > 100000",
    "GCS 8",
    "1:10,000",
    "vitamin 12",
    "24 hours",
    "10 %",
]


@pytest.mark.parametrize("query", NEVER)
def test_a_quantity_is_never_an_identifier(query):
    assert values(query) == []


@pytest.mark.parametrize("query", ["non-small-cell lung cancer", "intent-to-treat analysis", "first-in-human", "well-controlled"])
def test_words_with_hyphens_are_no_identifiers(query):
    assert values(query) == []


CODES = [
    ("E11.9", Scheme.ICD_10, ["E11.9"]),
    ("patients with e11.9", Scheme.ICD_10, ["E11.9"]),
    ("ICD-10 I10", Scheme.ICD_10, ["I10"]),
    ("icd code E119", Scheme.ICD_10, ["E11.9"]),
    ("M1A.0", Scheme.ICD_10, ["M1A.0"]),
    ("I10", Scheme.ICD_10, ["I10"]),
    ("vitamin B12 level", Scheme.ICD_10, []),
    ("fracture of L40 at home", Scheme.ICD_10, []),
    ("CD19 positive", Scheme.ICD_10, []),
    ("LOINC 4548-4", Scheme.LOINC, ["4548-4"]),
    ("4548-4", Scheme.LOINC, ["4548-4"]),
    ("ECOG 0-1 allowed", Scheme.LOINC, []),
    ("snomed 59621000", Scheme.SNOMED, ["59621000"]),
    ("SNOMED-CT concept 59621000 in adults", Scheme.SNOMED, ["59621000"]),
    ("59621000", Scheme.SNOMED, []),
    ("rxnorm 7242", Scheme.RXNORM, ["7242"]),
    ("RxCUI: 7242", Scheme.RXNORM, ["7242"]),
    ("7242 patients", Scheme.RXNORM, []),
    ("Observation/abc-1", Scheme.FHIR_ID, ["Observation/abc-1"]),
    ("and/or", Scheme.FHIR_ID, []),
    ("0f3a91c2-0000-5000-8000-1234567890ab", Scheme.FHIR_ID, ["0f3a91c2-0000-5000-8000-1234567890ab"]),
]


@pytest.mark.parametrize(("query", "scheme", "found"), CODES)
def test_codes_are_read_by_their_form_or_the_word_before_them(query, scheme, found):
    assert values(query, scheme) == found


def test_a_mention_says_where_it_stands():
    (one,) = mentions("see NCT01234567 now")
    assert (one.start, one.end) == (4, 15)


def test_a_mention_shows_no_value_in_its_representation():
    assert "01234567" not in repr(mentions("NCT01234567"))
