"""A patient's known identifiers are read from FHIR or from a file; what is wrong is named, and never quoted."""

from __future__ import annotations

import json

import pytest

from pipeline.domain.errors import RecordError
from pipeline.domain.phi import IdentifierClass
from pipeline.stages.deidentify.known import find_known
from pipeline.stages.deidentify.known.file import known_from_patient, read_known

C = IdentifierClass
PATIENT = {
    "resourceType": "Patient",
    "id": "pat-55102",
    "name": [
        {"use": "official", "family": "Tolliver", "given": ["Imogen", "Rhys"], "prefix": ["Dr"]},
        {"use": "maiden", "family": "Ashgrove"},
        {"use": "nickname", "text": "Immy Tolliver"},
    ],
    "identifier": [
        {"type": {"coding": [{"system": "http://terminology.hl7.org/CodeSystem/v2-0203", "code": "MR"}]}, "value": "7304168"},
        {"system": "http://hl7.org/fhir/sid/us-ssn", "value": "731-55-2046"},
        {"system": "urn:other", "value": "QX-99120"},
    ],
    "telecom": [
        {"system": "phone", "value": "(614) 555-0138"},
        {"system": "fax", "value": "614-555-0177"},
        {"system": "email", "value": "imogen@mail.example"},
    ],
    "address": [{"line": ["27 Larkspur Street", "Apt 4C"], "city": "Quillan Harbor", "state": "OH", "postalCode": "43085"}],
    "birthDate": "1948-05-09",
    "photo": [{"url": "https://files.example.org/faces/p-88213.jpg"}],
    "contact": [{"name": {"family": "Osei", "given": ["Kwaku"]}, "telecom": [{"system": "phone", "value": "614-555-0144"}]}],
    "generalPractitioner": [{"display": "Dr. Solveig Aune"}],
    "managingOrganization": {"display": "Saint Odile Infirmary"},
    "extension": [{"url": "http://hl7.org/fhir/StructureDefinition/patient-mothersMaidenName", "valueString": "Penhallow"}],
}


def write(path, value) -> object:
    file = path / "known.json"
    file.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
    return file


def test_reads_everything_that_identifies_from_a_patient_resource():
    values = known_from_patient(PATIENT).values
    assert values == {
        C.NAME: ("Tolliver, Imogen Rhys", "Ashgrove,", "Immy Tolliver", "Osei, Kwaku", "Dr. Solveig Aune", "Penhallow,"),
        C.MRN: ("7304168",),
        C.SSN: ("731-55-2046",),
        C.OTHER_ID: ("QX-99120", "pat-55102"),
        C.PHONE: ("(614) 555-0138", "614-555-0144"),
        C.FAX: ("614-555-0177",),
        C.EMAIL: ("imogen@mail.example",),
        C.ADDRESS: ("27 Larkspur Street", "Apt 4C", "Quillan Harbor"),
        C.ZIP: ("43085",),
        C.DATE: ("1948-05-09",),
        C.PHOTO: ("https://files.example.org/faces/p-88213.jpg",),
        C.FACILITY: ("Saint Odile Infirmary",),
    }


def test_state_country_and_language_are_no_identifiers():
    values = known_from_patient({**PATIENT, "communication": [{"language": {"text": "English"}}]}).values
    assert "OH" not in {value for each in values.values() for value in each}
    assert "English" not in {value for each in values.values() for value in each}


def test_patient_without_anything_is_known_by_nothing():
    assert not known_from_patient({"resourceType": "Patient"})


def test_elements_that_have_an_extension_alone_are_passed_over():
    values = known_from_patient({"name": [{"family": "Tolliver", "given": [None, "Rhys"]}], "telecom": [{"system": "phone"}]}).values
    assert values == {C.NAME: ("Tolliver, Rhys",)}


@pytest.mark.parametrize(
    ("patient", "path"),
    [
        ({"name": ["Tolliver"]}, "Patient.name"),
        ({"name": [{"family": ["Tolliver"]}]}, "Patient.name[0].family"),
        ({"name": [{"given": "Imogen"}]}, "Patient.name[0].given"),
        ({"birthDate": 19480509}, "Patient.birthDate"),
        ({"telecom": [{"system": "phone", "value": 6145550138}]}, "Patient.telecom.value"),
        ({"contact": [{"name": {"family": 7304168}}]}, "Patient.contact[0].name[0].family"),
        ({"identifier": [{"value": {"a": "7304168"}}]}, "Patient.identifier.value"),
    ],
)
def test_names_the_path_of_a_field_of_the_wrong_type_and_not_its_value(patient, path):
    with pytest.raises(RecordError) as raised:
        known_from_patient(patient)
    assert path in str(raised.value)
    assert not any(secret in str(raised.value) for secret in ("Tolliver", "Imogen", "1948", "614", "7304168"))


def test_reads_a_file_of_values_by_class(tmp_path):
    file = write(tmp_path, {"version": 1, "values": {"NAME": [" Tolliver, Imogen ", "Tolliver, Imogen"], "MRN": ["7304168"]}})
    assert read_known(file).values == {C.NAME: ("Tolliver, Imogen",), C.MRN: ("7304168",)}


def test_reads_a_file_that_holds_a_patient(tmp_path):
    known = read_known(write(tmp_path, PATIENT))
    assert [each.category for each in find_known("Imogen was born 9 May 1948", known)] == [C.NAME, C.DATE]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("Tolliver, Imogen", "no JSON"),
        ('{"version": 1, "values": {"NAME": ["Tolliver"]}, "values": {}}', "twice"),
        ({"values": {"NAME": ["Tolliver"]}}, "version: missing"),
        ({"version": 2, "values": {}}, "version: literal_error"),
        ({"version": 1, "values": {"Tolliver": ["x"]}}, "enum"),
        ({"version": 1, "values": {"NAME": "Tolliver"}}, "values.NAME: list_type"),
        ({"version": 1, "values": {"NAME": ["Tolliver", 7304168]}}, "values.NAME.1: string_type"),
        ({"version": 1, "values": {"NAME": ["  "]}}, "values.NAME.0: string_too_short"),
        ({"version": 1, "values": {}, "Tolliver": 1}, "?: extra_forbidden"),
        ({"resourceType": "Person", "name": [{"family": "Tolliver"}]}, "version: missing"),
        (["Tolliver"], "the whole: model_type"),
        ("[" * 100_000, "no JSON"),
    ],
)
def test_refuses_a_file_of_another_form_without_quoting_it(tmp_path, content, says):
    with pytest.raises(RecordError) as raised:
        read_known(write(tmp_path, content))
    assert says in str(raised.value)
    assert not any(secret in str(raised.value) for secret in ("Tolliver", "Imogen", "7304168", "known.json"))
    assert raised.value.__cause__ is None


def test_refuses_a_file_that_is_not_there_without_its_name(tmp_path):
    with pytest.raises(RecordError) as raised:
        read_known(tmp_path / "Tolliver.json")
    assert "Tolliver" not in str(raised.value)


def test_refuses_a_file_in_another_encoding(tmp_path):
    (tmp_path / "known.json").write_bytes('{"version": 1, "values": {"NAME": ["Müller"]}}'.encode("latin-1"))
    with pytest.raises(RecordError, match="UTF-8"):
        read_known(tmp_path / "known.json")
