from __future__ import annotations

from pipeline.domain.vocabulary import DocumentKind

RESULTS = {
    "Observation/hb": {
        "resourceType": "Observation",
        "status": "final",
        "code": {"text": "Hemoglobin", "coding": [{"system": "http://loinc.org", "code": "718-7"}]},
        "valueQuantity": {"value": "13.50", "unit": "g/dL"},
        "referenceRange": [{"low": {"value": "12.0", "unit": "g/dL"}, "high": {"value": "15.5", "unit": "g/dL"}}],
    },
    "Observation/plt": {
        "resourceType": "Observation",
        "status": "corrected",
        "code": {"text": "Platelets"},
        "valueQuantity": {"value": "210"},
    },
    "Specimen/s": {"resourceType": "Specimen", "type": {"text": "Venous blood"}},
}
REPORT = {
    "resourceType": "DiagnosticReport",
    "status": "final",
    "category": [{"coding": [{"code": "HM"}]}],
    "code": {"text": "Blood count"},
    "effectivePeriod": {"start": "2031-05-17"},
    "specimen": [{"reference": "Specimen/s"}],
    "result": [{"reference": "Observation/plt"}, {"reference": "Observation/hb"}, {"reference": "Observation/gone"}],
    "conclusion": "Mild anemia.\nRepeat in a month.",
    "conclusionCode": [{"text": "Anemia", "coding": [{"system": "http://hl7.org/fhir/sid/icd-10-cm", "code": "D649"}]}],
}


def test_results_stand_in_the_report_in_its_order_and_the_conclusion_by_itself(rendered):
    results, conclusion = rendered(REPORT, RESULTS).parts
    assert (results.name, conclusion.name) == ("fhir:laboratory_results", "fhir:impression")
    assert results.text.split("\n") == [
        "Blood count (final)",
        "Category: HM",
        "Specimen: Venous blood",
        "Date: since 2031-05-17",
        "Platelets 210; corrected",
        "Hemoglobin 13.50 g/dL (LOINC 718-7); Reference range: 12.0 to 15.5 g/dL",
    ]
    assert conclusion.text == "Conclusion: Mild anemia.\nRepeat in a month.\nConclusion, coded: Anemia (ICD-10-CM D649)"


def test_codes_date_and_kind_of_its_attachments_are_given(rendered):
    form = {"contentType": "text/plain", "data": "SGVsbG8=", "size": "5", "hash": "x", "title": "Count"}
    found = rendered({**REPORT, "presentedForm": [{"title": "empty"}, form, {"url": "Binary/7"}]}, RESULTS)
    assert (found.icd_codes, found.date, found.attached_kind) == (("D64.9",), "2031-05-17", DocumentKind.LAB_REPORT)
    first, second = found.attachments
    assert (first.path, first.data, first.size, first.sha1, first.title) == ("presentedForm[1]", "SGVsbG8=", "5", "x", "Count")
    assert (second.path, second.url, second.data) == ("presentedForm[2]", "Binary/7", None)
    assert "SGVsbG8=" not in repr(found)


def test_contained_results_are_found_and_those_of_other_types_are_not_shown(text):
    report = {
        "resourceType": "DiagnosticReport",
        "code": {"text": "Swab"},
        "contained": [
            {"resourceType": "Observation", "id": "o1", "code": {"text": "Growth"}, "valueString": "none"},
            {"resourceType": "Patient", "id": "p1", "name": [{"family": "Quillfeather"}]},
        ],
        "result": [{"reference": "#o1", "display": "Growth of Quillfeather"}, {"reference": "#p1"}],
    }
    assert text(report) == "Swab\nGrowth none"


def test_a_report_without_results_shows_its_narrative(text):
    report = {"resourceType": "DiagnosticReport", "code": {"text": "Echo"}, "text": {"div": "<div><p>EF 55 %</p></div>"}}
    assert text(report) == "Echo\nEF 55 %"
    assert text({**report, "conclusion": "Normal"}) == "Echo\nConclusion: Normal"
