from __future__ import annotations

import pytest

from pipeline.domain.clinical_codes import code_spans, dotted, is_code


@pytest.mark.parametrize(
    ("vocabulary", "code"),
    [
        ("SNOMED", "59621000"),
        ("SNOMED", "254637007"),
        ("SNOMED", "428191000124101"),
        ("LOINC", "4548-4"),
        ("LOINC", "789-8"),
        ("LOINC", "72514-3"),
        ("LOINC", "LA6576-8"),
        ("RxNorm", "314076"),
        ("ICD-10-CM", "I10"),
        ("ICD-10-CM", "E11.9"),
        ("ICD-10-CM", "E119"),
        ("CPT", "99213"),
        ("CVX", "140"),
        ("NDC", "0069-2587-10"),
    ],
)
def test_codes_of_the_vocabularies_are_codes(vocabulary: str, code: str):
    assert is_code(vocabulary, code)


@pytest.mark.parametrize(
    ("vocabulary", "code"),
    [
        ("SNOMED", "59621001"),
        ("SNOMED", "5551234567"),
        ("SNOMED", "12345"),
        ("SNOMED", "59621000\n"),
        ("LOINC", "4548-5"),
        ("LOINC", "4548"),
        ("RxNorm", "0314076"),
        ("RxNorm", "314076123"),
        ("ICD-10-CM", "U07"),
        ("ICD-10-CM", "Quill"),
        ("CPT", "992130"),
        ("Local", "59621000"),
        ("", ""),
    ],
)
def test_other_numbers_are_none(vocabulary: str, code: str):
    assert not is_code(vocabulary, code)


def test_a_text_states_codes_behind_the_names_of_their_vocabularies():
    text = "Hypertension (SNOMED 59621000; ICD-10-CM I10). LOINC 4548-4. SNOMED 5551234567, snomed 59621000, MRN 59621000"
    assert [text[start:end] for start, end in code_spans(text)] == ["SNOMED 59621000", "ICD-10-CM I10", "LOINC 4548-4"]


def test_a_code_of_icd_10_gets_its_point():
    assert [dotted(one) for one in ("e119", "E11.9", "I10", "C50912")] == ["E11.9", "E11.9", "I10", "C50.912"]


def test_a_number_of_an_application_for_a_drug_is_one():
    text = "NDA020800 0.3 ML Epinephrine; NDA02080, XNDA020800, MRN020800"
    assert [text[start:end] for start, end in code_spans(text)] == ["NDA020800"]
