from __future__ import annotations

from pipeline.domain.vocabulary import Section

LOINC = "http://loinc.org"


def coded(code: str, text: str) -> dict:
    return {"text": text, "coding": [{"system": LOINC, "code": code, "display": f"{text} in Blood"}]}


A1C = {
    "resourceType": "Observation",
    "status": "final",
    "category": [{"coding": [{"code": "laboratory"}]}],
    "code": coded("4548-4", "Hemoglobin A1c"),
    "encounter": {"reference": "Encounter/e-4"},
    "effectiveDateTime": "2031-05",
    "valueQuantity": {"value": "6.30", "unit": "%"},
    "interpretation": [{"coding": [{"code": "H", "display": "High"}]}],
    "referenceRange": [
        {"low": {"value": "4.0", "unit": "%"}, "high": {"value": "5.6", "unit": "%"}, "appliesTo": [{"text": "adults"}]},
        {"text": "below 6.5 is no diabetes"},
    ],
    "method": {"text": "HPLC"},
    "note": [{"text": "Second sample.\nNot hemolyzed.", "authorString": "Osric Vane"}],
}


def test_value_codes_range_interpretation_method_and_note_are_shown(rendered):
    found = rendered(A1C)
    assert found.title == "Observation: Hemoglobin A1c"
    (part,) = found.parts
    assert part.name == "fhir:laboratory_results"
    assert part.text.split("\n") == [
        "Hemoglobin A1c 6.30 % (final)",
        "Code: Hemoglobin A1c in Blood (LOINC 4548-4)",
        "Interpretation: High",
        "Reference range: 4.0 to 5.6 %, for adults",
        "Reference range: below 6.5 is no diabetes",
        "Method: HPLC",
        "Date: May 2031",
        "Note: Second sample.",
        "Not hemolyzed.",
    ]
    assert (found.loinc_codes, found.date, found.status, found.encounter) == (("4548-4",), "2031-05", "final", "e-4")


def test_components_are_lines_and_their_codes_find_the_observation(rendered):
    pressure = {
        "resourceType": "Observation",
        "status": "final",
        "category": [{"coding": [{"code": "vital-signs"}]}],
        "code": coded("85354-9", "Blood pressure"),
        "component": [
            {"code": coded("8480-6", "Systolic"), "valueQuantity": {"value": "107", "unit": "mm[Hg]"}},
            {"code": coded("8462-4", "Diastolic"), "dataAbsentReason": {"text": "not performed"}},
        ],
    }
    found = rendered(pressure)
    assert found.parts[0].text.split("\n")[2:] == [
        "Systolic 107 mm[Hg] (Systolic in Blood (LOINC 8480-6))",
        "Diastolic not available: not performed (Diastolic in Blood (LOINC 8462-4))",
    ]
    assert found.loinc_codes == ("8462-4", "8480-6", "85354-9")
    assert found.parts[0].name.endswith(Section.VITAL_SIGNS.value.lower())


def test_why_a_value_is_absent_is_said(text):
    said = text(
        {"resourceType": "Observation", "status": "cancelled", "code": {"text": "Lactate"}, "dataAbsentReason": {"text": "clotted"}}
    )
    assert said == "Lactate not available: clotted (cancelled)"


def test_false_and_zero_are_values(text):
    assert text({"resourceType": "Observation", "code": {"text": "Smoker"}, "valueBoolean": False}) == "Smoker no"
    assert text({"resourceType": "Observation", "code": {"text": "Falls"}, "valueInteger": "0"}) == "Falls 0"


def test_members_are_shown_in_order_and_a_circle_ends(text):
    panel = {
        "resourceType": "Observation",
        "code": {"text": "Panel"},
        "hasMember": [{"reference": "Observation/b"}, {"reference": "Observation/a"}],
    }
    related = {
        "Observation/a": {"resourceType": "Observation", "status": "preliminary", "code": {"text": "Iron"}, "valueString": "trace"},
        "Observation/b": {
            "resourceType": "Observation",
            "status": "final",
            "code": {"text": "Inner"},
            "hasMember": [{"reference": "https://example.org/fhir/Observation/a/_history/3"}, {"reference": "Observation/b"}],
        },
    }
    assert text(panel, related).split("\n") == ["Panel", "Inner", "Iron trace; preliminary"]


def test_members_of_stu3_are_shown(text):
    panel = {
        "resourceType": "Observation",
        "code": {"text": "Panel"},
        "related": [
            {"type": "has-member", "target": {"reference": "Observation/a"}},
            {"type": "replaces", "target": {"reference": "Observation/b"}},
        ],
        "comment": "in a hurry",
    }
    related = {
        f"Observation/{one}": {"resourceType": "Observation", "code": {"text": one.upper()}, "valueInteger": "1"} for one in ("a", "b")
    }
    assert text(panel, related) == "Panel\nA 1\nNote: in a hurry"


def test_narrative_is_shown_where_there_is_no_value_and_only_there(text):
    narrative = {"div": "<div>Gram stain: cocci</div>"}
    bare = {"resourceType": "Observation", "code": {"text": "Culture"}, "text": narrative}
    assert text(bare) == "Culture\nGram stain: cocci"
    assert "cocci" not in text({**bare, "valueString": "growth"})


def test_nothing_is_called_none(text):
    absent = {
        "resourceType": "Observation",
        "status": None,
        "_status": {"extension": [{"url": "urn:x", "valueCode": "unknown"}]},
        "code": {"text": "Urea", "coding": [None, {"display": None, "code": None}]},
        "valueQuantity": {"value": None, "unit": None},
        "referenceRange": [{"low": None, "text": None}],
        "note": [{"text": None}, None],
        "component": [{"code": None, "valueString": None}],
    }
    assert text(absent) == "Urea"
