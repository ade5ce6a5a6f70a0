from __future__ import annotations

import base64
import hashlib
from typing import Any

import pytest

from pipeline.domain.fhir import Printed, RawResource
from pipeline.domain.vocabulary import FhirVersion, ResourceOutcome
from pipeline.stages.normalize.fhir import Checked, Reference, check

CODE = {"text": "Ferritin"}


def checked(resource: dict[str, Any], **of: Any) -> Checked:
    return check(RawResource(resource, "file 1", **of))


def observation(**fields: Any) -> dict[str, Any]:
    return {"resourceType": "Observation", "id": "o7", "status": "final", "code": CODE, **fields}


def document(**attachment: Any) -> dict[str, Any]:
    content = [{"attachment": {"contentType": "text/plain", **attachment}}]
    return {"resourceType": "DocumentReference", "id": "d7", "status": "current", "content": content}


def test_a_good_result_is_a_document_and_a_patient_supports() -> None:
    assert checked(observation()).outcome is ResourceOutcome.DOCUMENT
    patient = checked({"resourceType": "Patient", "id": "p7"})
    assert (patient.outcome, patient.patient) == (ResourceOutcome.SUPPORTING, "p7")


def test_a_type_that_is_not_rendered_is_counted_and_raises_nothing() -> None:
    for kind in ("Claim", "EffectEvidenceSynthesis"):
        assert checked({"resourceType": kind, "id": "x"}).outcome is ResourceOutcome.NOT_RENDERED


@pytest.mark.parametrize("kind", [None, 3, "Wanda Example", ""])
def test_what_is_no_type_is_quarantined_and_never_shown(kind: object) -> None:
    found = checked({"resourceType": kind})
    assert (found.outcome, found.resource_type, found.rule) == (ResourceOutcome.QUARANTINED, "unknown", "unknown_type")


def test_a_missing_element_is_quarantined_with_path_and_rule() -> None:
    found = checked({"resourceType": "Observation", "id": "o7", "status": "final"})
    assert (found.outcome, found.path, found.rule) == (ResourceOutcome.QUARANTINED, "code", "missing")


def test_neither_an_unknown_name_nor_a_value_is_told() -> None:
    found = checked(observation(WandaExample="17 Mill Lane"))
    assert (found.outcome, found.path, found.rule) == (ResourceOutcome.QUARANTINED, "?", "extra_forbidden")
    assert "Wanda" not in repr(found)
    assert "Mill Lane" not in repr(checked(observation(status={"x": "Mill Lane"})))


@pytest.mark.parametrize("moment", ["2024", "2024-05", "2024-05-06T10:11:12Z", "2024-05-06T10:11:12.123456789+05:30"])
def test_dates_that_fhir_has_are_good(moment: str) -> None:
    assert checked(observation(effectiveDateTime=moment)).outcome is ResourceOutcome.DOCUMENT


@pytest.mark.parametrize("moment", ["2024-05-06T10:11", "2024-05-06T10:11:12", "2024-05-06T24:00:00Z", "6 May 2024"])
def test_dates_that_fhir_does_not_have_are_quarantined(moment: str) -> None:
    found = checked(observation(effectiveDateTime=moment))
    assert (found.outcome, found.path) == (ResourceOutcome.QUARANTINED, "effectiveDateTime")


def test_what_the_models_let_pass_is_refused() -> None:
    assert checked(observation(id="a" * 65)).rule is not None
    assert checked(observation(id="a b")).outcome is ResourceOutcome.QUARANTINED
    assert checked(observation(category=[])).rule == "empty_array"


def test_a_primitive_without_a_value_is_good() -> None:
    absent = {"extension": [{"url": "http://hl7.org/fhir/StructureDefinition/data-absent-reason", "valueCode": "unknown"}]}
    assert checked({"resourceType": "Patient", "id": "p7", "_birthDate": absent}).outcome is ResourceOutcome.SUPPORTING


@pytest.mark.parametrize(
    "resource",
    [
        observation(status="entered-in-error"),
        {"resourceType": "Condition", "id": "c", "verificationStatus": {"coding": [{"code": "entered-in-error"}]}},
        {**document(title="z"), "docStatus": "entered-in-error"},
    ],
)
def test_what_was_entered_in_error_is_known_as_such(resource: dict[str, Any]) -> None:
    assert checked(resource).outcome is ResourceOutcome.ENTERED_IN_ERROR


def test_a_cancelled_result_is_no_document() -> None:
    assert checked(observation(status="cancelled")).outcome is ResourceOutcome.NOT_RENDERED


@pytest.mark.parametrize("place", ["top", "component", "contained"])
def test_a_modifier_extension_anywhere_skips_the_resource(place: str) -> None:
    modifier = {"modifierExtension": [{"url": "http://example.org/not", "valueBoolean": True}]}
    places: dict[str, dict[str, Any]] = {
        "top": modifier,
        "component": {"component": [{"code": CODE, **modifier}]},
        "contained": {"contained": [{"resourceType": "Patient", "id": "p", **modifier}]},
    }
    found = checked(observation(**places[place]))
    assert (found.outcome, found.rule) == (ResourceOutcome.SKIPPED, "modifier_extension")


def test_implicit_rules_skip_the_resource() -> None:
    assert checked(observation(implicitRules="http://example.org/rules")).outcome is ResourceOutcome.SKIPPED


def test_base64_with_line_breaks_size_and_hash_is_good() -> None:
    content = b"seen at noon"
    data = base64.b64encode(content).decode()
    sha1 = base64.b64encode(hashlib.sha1(content, usedforsecurity=False).digest()).decode()
    found = checked(document(data=f"{data[:4]}\n{data[4:]}", size=Printed(len(content)), hash=sha1))
    assert (found.outcome, found.bad_attachments) == (ResourceOutcome.DOCUMENT, ())


@pytest.mark.parametrize(
    "attachment",
    [
        {"data": "c2Vlbg"},
        {"data": "%%no base64%%"},
        {"data": "c2Vlbg==", "size": Printed("5")},
        {"data": "c2Vlbg==", "hash": "c2Vlbg=="},
        {"data": "%%no base64%%", "contentType": None},
    ],
)
def test_a_bad_attachment_does_not_refuse_the_rest(attachment: dict[str, Any]) -> None:
    resource = document(**attachment)
    written = resource["content"][0]["attachment"]
    resource["content"][0]["attachment"] = {name: value for name, value in written.items() if value is not None}
    found = checked(resource)
    assert (found.outcome, found.bad_attachments) == (ResourceOutcome.DOCUMENT, ("content[0].attachment",))


@pytest.mark.parametrize("written", ["https://fhir.example.org/r4/Patient/9", "Patient/9", "Patient/9/_history/3", "urn:uuid:0-1"])
def test_every_form_of_a_reference_is_the_same_patient(written: str) -> None:
    found = checked(observation(subject={"reference": written}), urls={"urn:uuid:0-1": "Patient/9"})
    assert (found.references, found.patient, found.unresolved) == ((Reference("subject", "Patient", "9"),), "9", 0)


def test_references_that_name_nothing_are_counted_and_those_within_are_not() -> None:
    search = {"reference": "Practitioner?name=Wanda"}
    found = checked(observation(subject={"reference": "urn:uuid:9-9"}, performer=[search], specimen={"reference": "#s1"}))
    assert (found.references, found.patient, found.unresolved) == ((), None, 2)


def test_the_newer_version_has_the_greater_key() -> None:
    def key(updated: str, version: str) -> str:
        return checked(observation(meta={"lastUpdated": updated, "versionId": version})).order_key

    assert key("2024-05-01T12:00:00Z", "9") < key("2024-05-01T12:00:00.5Z", "1")
    assert key("2024-05-01T12:00:00Z", "9") < key("2024-05-01T12:00:00Z", "10")
    assert key("2024-05-01T12:00:00Z", "9") == key("2024-05-01T14:00:00+02:00", "9")


@pytest.mark.parametrize(
    ("resource", "version"),
    [
        (
            {"resourceType": "AllergyIntolerance", "patient": {"reference": "Patient/1"}, "reaction": [{"manifestation": [CODE]}]},
            FhirVersion.R4,
        ),
        ({"resourceType": "Encounter", "status": "completed", "class": [{"text": "ambulatory"}]}, FhirVersion.R5),
        (observation(interpretation=CODE), FhirVersion.STU3),
        ({"resourceType": "Group", "membership": "definitional", "type": "person"}, FhirVersion.R5),
    ],
)
def test_the_release_is_told_by_the_content(resource: dict[str, Any], version: FhirVersion) -> None:
    found = checked(resource)
    assert found.version is version
    assert found.outcome is not ResourceOutcome.QUARANTINED


def test_what_the_feed_says_of_the_release_comes_first() -> None:
    assert checked(observation(), version=FhirVersion.R5).version is FhirVersion.R5


def test_an_id_comes_from_the_full_url_where_the_resource_has_none() -> None:
    bare = {"resourceType": "Observation", "status": "final", "code": CODE}
    assert checked(bare, full_url="urn:uuid:5f339d06-b1d0-466b-8578-1dffecfe4f07").logical_id == "5f339d06-b1d0-466b-8578-1dffecfe4f07"
    assert checked(bare, full_url="https://fhir.example.org/Observation/44").logical_id == "44"
    assert checked(bare).logical_id == checked(dict(bare)).logical_id != checked({**bare, "code": {"text": "x"}}).logical_id


@pytest.mark.parametrize(
    ("written", "kind", "identifier"),
    [
        ({"reference": "Patient?identifier=http://site.example/mrn|77-4"}, "Patient", "http://site.example/mrn|77-4"),
        ({"reference": "https://x.example/fhir/Patient?identifier=urn%3Aoid%3A1.2%7C77+4"}, "Patient", "urn:oid:1.2|77+4"),
        ({"identifier": {"system": "urn:oid:1.2", "value": " 774 "}, "type": "Patient"}, "Patient", "urn:oid:1.2|774"),
        ({"identifier": {"value": "774"}, "display": "W"}, "", "|774"),
    ],
)
def test_a_reference_by_identifier_names_a_patient_by_number(written: dict[str, Any], kind: str, identifier: str) -> None:
    found = checked(observation(subject=written))
    assert (found.references, found.unresolved) == ((Reference("subject", kind, identifier=identifier),), 0)
    assert found.patient == identifier.partition("|")[2]
    assert identifier not in repr(found)


@pytest.mark.parametrize(
    "search", ["Patient?identifier=774", "Patient?identifier=a|1&identifier=a|2", "Patient?identifier=a|", "?identifier=a|1"]
)
def test_a_search_that_may_mean_several_names_nobody(search: str) -> None:
    found = checked(observation(subject={"reference": search}))
    assert (found.references, found.patient, found.unresolved) == ((), None, 1)
