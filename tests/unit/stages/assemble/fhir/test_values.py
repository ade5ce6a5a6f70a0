from __future__ import annotations

from typing import Any

import pytest

from pipeline.domain.fhir import Printed
from pipeline.stages.assemble.fhir.narrative import narrative
from pipeline.stages.assemble.fhir.timing import dosage, timing
from pipeline.stages.assemble.fhir.values import code_line, concept_text, moment, name_of, period, quantity, ratio, sampled, value_range

UCUM = "http://unitsofmeasure.org"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"value": Printed("1.00"), "unit": "mmol/L"}, "1.00 mmol/L"),
        ({"value": Printed("1e3"), "unit": "copies"}, "1e3 copies"),
        ({"value": "0.050", "comparator": "<", "unit": "ng/mL", "system": UCUM, "code": "ng/mL"}, "<0.050 ng/mL"),
        ({"value": "72", "unit": "beats/minute", "system": UCUM, "code": "/min"}, "72 beats/minute [/min]"),
        ({"value": "3", "unit": "score", "system": UCUM, "code": "{score}"}, "3 score"),
        ({"value": "5", "code": "mg", "system": UCUM}, "5 mg"),
        ({"value": "7.40"}, "7.40"),
        ({"value": "7.40", "unit": "pH", "system": UCUM, "code": "[pH]"}, "7.40 pH"),
        ({"value": "52", "unit": "a", "system": UCUM, "code": "a"}, "52 years"),
        ({"value": "18", "code": "mo", "system": UCUM}, "18 months"),
        ({"value": "89", "unit": "years", "code": "a", "system": UCUM}, "89 years [a]"),
        ({"value": "90", "unit": "years", "code": "a", "system": UCUM}, "90+ years"),
        ({"value": "1100", "code": "mo", "system": UCUM}, "90+ years"),
        ({"value": "103.5", "unit": "yr"}, "90+ years"),
        ({"value": "120", "unit": "mmHg"}, "120 mmHg"),
        ({"unit": "mmol/L"}, ""),
        (None, ""),
        ("5 mg", ""),
        ({"value": {"nested": "1"}}, ""),
    ],
)
def test_a_quantity_is_shown_as_printed_and_an_age_over_89_is_not(value: Any, words: str):
    assert quantity(value) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"low": {"value": "3.50", "unit": "mmol/L"}, "high": {"value": "5.10", "unit": "mmol/L"}}, "3.50 to 5.10 mmol/L"),
        ({"low": {"value": "1", "unit": "g"}, "high": {"value": "900", "unit": "mg"}}, "1 g to 900 mg"),
        ({"low": {"value": "3.5", "unit": "mmol/L"}}, "at least 3.5 mmol/L"),
        ({"high": {"value": "0.04", "unit": "ug/L"}}, "at most 0.04 ug/L"),
        ({}, ""),
        (None, ""),
    ],
)
def test_a_range_may_be_open_at_either_end(value: Any, words: str):
    assert value_range(value) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"numerator": {"value": "1"}, "denominator": {"value": "128"}}, "1 : 128"),
        ({"numerator": {"value": "250.0", "unit": "mg"}, "denominator": {"value": "5", "unit": "mL"}}, "250.0 mg / 5 mL"),
        ({"lowNumerator": {"value": "1"}, "highNumerator": {"value": "2"}, "denominator": {"value": "3"}}, "1 to 2 : 3"),
        ({"denominator": {"value": "5"}}, ""),
    ],
)
def test_a_ratio_keeps_both_sides(value: Any, words: str):
    assert ratio(value) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("2031", "2031"),
        ("2031-05", "May 2031"),
        ("2031-13", "2031-13"),
        ("2031-05-17", "2031-05-17"),
        ("2031-05-17T08:00:00.123456789+05:30", "2031-05-17T08:00:00.123456789+05:30"),
        (None, ""),
    ],
)
def test_a_partial_date_stays_partial(value: Any, words: str):
    assert moment(value) == words


def test_periods_may_be_open():
    assert period({"start": "2031-05", "end": "2032"}) == "May 2031 to 2032"
    assert period({"start": "2031-05-17"}) == "since 2031-05-17"
    assert period({"end": "2031"}) == "until 2031"
    assert period({"start": "2031", "end": "2031"}) == "2031"
    assert period({}) == ""


def test_samples_are_counted_and_not_shown():
    assert sampled({"data": "1 2 E 3.5", "dimensions": "1"}) == "sampled data of 4 points"
    assert sampled({}) == ""


CONCEPT = {
    "text": "High blood pressure",
    "coding": [
        {"system": "http://snomed.info/sct", "code": "59621000", "display": "Essential hypertension"},
        {"system": "http://hl7.org/fhir/sid/icd-10-cm", "code": "I10"},
        {"system": "urn:local", "code": "LOC-77", "display": "HTN"},
    ],
}


def test_a_concept_shows_what_people_call_it_and_every_code_of_a_vocabulary():
    assert name_of(CONCEPT) == "High blood pressure"
    assert concept_text(CONCEPT) == "High blood pressure (Essential hypertension (SNOMED 59621000); ICD-10-CM I10; HTN)"
    assert code_line(CONCEPT) == "Essential hypertension (SNOMED 59621000); ICD-10-CM I10; HTN"
    assert concept_text({"concept": CONCEPT}) == concept_text(CONCEPT)


def test_a_concept_without_words_is_called_by_its_code():
    assert name_of({"coding": [{"system": "http://loinc.org", "code": "4548-4"}]}) == "LOINC 4548-4"
    assert code_line({"coding": [{"system": "http://loinc.org", "code": "4548-4"}]}) == ""
    assert name_of({"coding": [{"code": "AMB"}]}) == "AMB"
    assert name_of({}) == name_of(None) == name_of("text") == ""


def test_a_code_of_a_vocabulary_that_is_not_known_is_not_shown_beside_words():
    assert concept_text({"coding": [{"system": "urn:local", "code": "encounter-diagnosis", "display": "Encounter Diagnosis"}]}) == (
        "Encounter Diagnosis"
    )


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"repeat": {"frequency": "2", "period": "1", "periodUnit": "d"}}, "2 times per 1 days"),
        ({"repeat": {"frequency": "1", "period": "8", "periodUnit": "h"}}, "every 8 hours"),
        ({"repeat": {"frequency": "1", "frequencyMax": "3", "period": "1", "periodUnit": "wk"}}, "1 to 3 times per 1 weeks"),
        ({"repeat": {"when": ["HS"], "boundsDuration": {"value": "10", "unit": "days"}}}, "before sleep, for 10 days"),
        ({"repeat": {"dayOfWeek": ["mon", "thu"], "timeOfDay": ["08:00:00"]}}, "mon, thu, at 08:00:00"),
        ({"code": {"text": "BID"}}, "BID"),
        ({"event": ["2031-05"]}, "May 2031"),
        (None, ""),
    ],
)
def test_how_often_is_said_in_words(value: Any, words: str):
    assert timing(value) == words


def test_a_dosage_says_its_words_then_dose_route_frequency_and_the_most():
    said = dosage(
        {
            "text": "Take as told",
            "doseAndRate": [{"doseQuantity": {"value": "2.50", "unit": "mg"}}],
            "route": {"text": "oral"},
            "timing": {"repeat": {"frequency": "2", "period": "1", "periodUnit": "d"}},
            "asNeededCodeableConcept": {"text": "pain"},
            "maxDosePerPeriod": {"numerator": {"value": "10", "unit": "mg"}, "denominator": {"value": "24", "unit": "h"}},
            "maxDosePerAdministration": {"value": "5", "unit": "mg"},
        }
    )
    assert said == (
        "Take as told; dose 2.50 mg; oral; 2 times per 1 days; as needed for pain; at most 10 mg / 24 h; at most 5 mg at a time"
    )


def test_dosages_of_stu3_and_of_r5_say_the_same():
    stu3 = {"doseQuantity": {"value": "1.0", "unit": "tablet"}, "asNeededBoolean": True}
    r5 = {"doseAndRate": [{"doseQuantity": {"value": "1.0", "unit": "tablet"}}], "asNeeded": True}
    assert dosage(stu3) == dosage(r5) == "dose 1.0 tablet; as needed"
    assert dosage({"asNeededBoolean": False}) == ""


def test_a_narrative_is_words_by_lines_without_marks_scripts_and_ids_of_people():
    div = (
        "<div xmlns='http://www.w3.org/1999/xhtml'><style>p {}</style><p>Gait: <b>steady</b></p><table><tr><td>Hb</td><td>13.50&#160;g/dL"
        "</td></tr></table>Seen: Patient/ab-17<br/>&lt;3 falls<script>alert(1)</script></div>"
    )
    assert narrative({"div": div}) == "Gait: steady\nHb | 13.50 g/dL\nSeen: Patient\n<3 falls"


@pytest.mark.parametrize("text", [None, {}, {"div": None}, {"div": 4}, {"div": "<div/>"}, {"div": "<script>x"}, "text"])
def test_a_narrative_without_words_is_empty(text: Any):
    assert narrative(text) == ""


def test_a_narrative_that_breaks_off_keeps_its_words():
    assert narrative({"div": "<p>Steady gait &nosuch; <b>no falls<p"}).startswith("Steady gait &nosuch; no falls")
