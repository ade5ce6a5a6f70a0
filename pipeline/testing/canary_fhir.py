"""FHIR resources that name an invented patient, relatives and clinicians in every element that FHIR has; and files that are broken. See ``canaries``."""

from __future__ import annotations

import base64
import dataclasses
import gzip
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pipeline.domain.vocabulary import FhirVersion
from pipeline.fhir.models import model_of
from pipeline.stages.normalize.fhir.types import DOCUMENTS, SUPPORTING
from pipeline.testing.canaries import ADMISSION, PATIENT, all_canaries
from pipeline.testing.canary_files import ISO_DATE, chart_pdf, letter_html
from pipeline.testing.fhir_filled import Filling, filled

#: What only resources say, beside ``canaries``.
OF_RESOURCES: Final = frozenset(
    {
        *("Hollowbrook", "Ravenscar", "Barnabas", "Thistlewick", "Cordelia", "Marchbanks", "Philippa", "Undercliff"),
        *("Casimir", "Brackenbury", "Euphemia", "Blackthornby", "Gallowglass", "88 Tamarisk Court", "12 Juniper Mews"),
        *("406-555-0181", "406-555-0182", "1952-02-17", "1993-07-21", ISO_DATE, "zq-face", "OddfellowWing"),
        *("vermilion quince", "saffron gable"),  # in identifiers and extensions: no detector could know them
    }
)
#: Id of every resource begins with it.
ID: Final = "Quartermain-83447106"
URL: Final = "https://portal.example.org/zq"
SENTENCE: Final = (
    f"{PATIENT} (MRN 83447106, born 02/17/1952) came with Barnabas Thistlewick. Dr. Cordelia Marchbanks called Philippa Undercliff at "
    "406-555-0181. sparrowhawk showed the tag larkmoss zulu."
)
#: Of what is of no patient: nobody can know a nickname there.
OF_NOBODY: Final = f"Dr. Cordelia Marchbanks leads it; {PATIENT}, MRN 83447106, asked at 406-555-0177."
#: Alternatives of a choice are filled in turn: a text and a reference, a code, a moment.
VARIANTS: Final = 3
_RELEASES: Final = {FhirVersion.R4: "r4", FhirVersion.R5: "r5", FhirVersion.STU3: "stu3"}
_WITHOUT_PATIENT: Final = frozenset({"ResearchStudy", "Organization", "Location", "Medication", "Substance", "HealthcareService", "Group"})


def canaries_of_fhir() -> set[str]:
    """Return every value that must not be found."""
    return all_canaries() | OF_RESOURCES


def resource_id(kind: str, version: FhirVersion = FhirVersion.R4, variant: int = 0) -> str:
    """Return the id of one of the resources."""
    return f"{ID}-{kind}-{_RELEASES[version]}-{variant}"


def resources(version: FhirVersion) -> Iterator[dict[str, Any]]:
    """Yield resources of every type that becomes a document, of R4 those that support them, too; people come last, as in no good order."""
    for kind in sorted(DOCUMENTS):
        for variant in range(VARIANTS if version is FhirVersion.R4 else 1):
            if model_of(kind, version) is not None:
                yield _resource(kind, version, variant)
    if version is FhirVersion.R4:
        yield from (_resource(kind, version, 0) for kind in sorted(SUPPORTING))


def _resource(kind: str, version: FhirVersion, variant: int) -> dict[str, Any]:
    made = filled(kind, version, _filling(kind, variant), variant=variant)
    said = {"versionId": "Quartermain-3", "lastUpdated": "2031-03-10T10:11:12Z", "tag": [{"system": URL, "code": "zq", "display": PATIENT}]}
    contained = {"resourceType": "Practitioner", "id": "c", "name": [{"family": "Blackthornby", "given": ["Euphemia"]}]}
    held = {} if kind in SUPPORTING else {"contained": [contained]}
    return {**made, "id": resource_id(kind, version, variant), "meta": said, **held}


def _filling(kind: str, variant: int) -> Filling:
    filling = Filling(
        sentence=SENTENCE,
        name="Dr. Euphemia Blackthornby",
        url=URL,
        date=ISO_DATE,
        base64=_base64(ADMISSION.encode()),
        reference_id=f"{ID}-elsewhere",
        targets={one: f"{one}/{resource_id(one)}" for one in (DOCUMENTS | SUPPORTING) - {"MedicationUsage", "Composition"}},
        own={**_TYPES, **_PATHS, "Attachment": _attachment(variant)},
    )
    if kind not in _WITHOUT_PATIENT:
        return filling
    return dataclasses.replace(filling, sentence=OF_NOBODY, own={**filling.own, "Annotation": {"text": OF_NOBODY}})


def _attachment(variant: int) -> dict[str, Any]:
    said = {"title": f"Chart of {PATIENT}", "creation": ISO_DATE}
    if variant == 0:
        return {"contentType": "text/plain; charset=utf-8", "data": _base64(ADMISSION.encode()), **said}
    if variant == 1:
        return {"contentType": "application/pdf", "data": _base64(chart_pdf()), **said}
    return {"contentType": "text/plain", "url": f"Binary/{resource_id('Binary')}", **said}


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _name(family: str, given: str, **more: Any) -> dict[str, Any]:
    return {"use": "official", "family": family, "given": [given], "text": f"{given} {family}", **more}


def _phone(number: str) -> dict[str, Any]:
    return {"system": "phone", "value": number}


def _home(line: str) -> dict[str, Any]:
    return {"line": [line], "city": "Bozeman", "state": "MT", "postalCode": "59718-4471", "text": f"{line}, Bozeman, MT 59718-4471"}


def _number(code: str, value: str) -> dict[str, Any]:
    return {"type": {"coding": [{"system": "http://terminology.hl7.org/CodeSystem/v2-0203", "code": code}]}, "system": URL, "value": value}


_MAIDEN: Final = "http://hl7.org/fhir/StructureDefinition/patient-mothersMaidenName"
_CONTACT: Final = {"name": _name("Undercliff", "Philippa"), "telecom": [_phone("406-555-0181")], "address": _home("88 Tamarisk Court")}
#: Values by data type.
_TYPES: Final[Mapping[str, Any]] = {
    "HumanName": _name("Blackthornby", "Euphemia"),
    "ContactPoint": _phone("406-555-0182"),
    "Address": _home("12 Juniper Mews"),
    "Identifier": {"system": URL, "value": "vermilion quince"},
    "Extension": {"url": URL, "valueString": "saffron gable"},
    "Annotation": {"authorString": "Dr. Euphemia Blackthornby", "time": ISO_DATE, "text": SENTENCE},
    "Coding": {"system": URL, "code": "L-17", "display": f"finding that {PATIENT} told"},
    "Quantity": {"value": 7.25, "unit": "mg", "system": "http://unitsofmeasure.org", "code": "mg"},
}
#: Values by path.
_PATHS: Final[Mapping[str, Any]] = {
    "Patient.name": [
        _name("Quartermain", "Zebulon"),
        {"use": "nickname", "given": ["Sparrowhawk"]},
        {"use": "maiden", "family": "Hollowbrook"},
    ],
    "Patient.extension": [{"url": _MAIDEN, "valueString": "Ravenscar"}, {"url": URL, "valueString": SENTENCE}],
    "Patient.identifier": [
        *(_number("MR", "83447106"), _number("SS", "529-83-4471"), _number("MB", "XQJ882301947"), _number("AN", "7719004523")),
        *(_number("DL", "D4471-9920-8836"), _number("XX", "larkmoss zulu"), {"value": "S31-0098872"}),
    ],
    "Patient.telecom": [
        *(_phone("406-555-0177"), {"system": "fax", "value": "406-555-0178"}, {"system": "email", "value": "z.quartermain@example.org"}),
        {"system": "url", "value": URL},
    ],
    "Patient.birthDate": "1952-02-17",
    "Patient.deceasedDateTime": ISO_DATE,
    "Patient.address": [_home("4417 Larkspur Lane")],
    "Patient.contact": [_CONTACT],
    "Patient.photo": [{"contentType": "image/png", "title": "zq-face.png", "url": f"{URL}/zq-face.png", "data": _base64(b"zq-face")}],
    "RelatedPerson.identifier": [_number("MR", "83447106")],
    "RelatedPerson.name": [_name("Thistlewick", "Barnabas")],
    "RelatedPerson.birthDate": "1993-07-21",
    "Practitioner.identifier": [_number("LN", "D4471-9920-8836")],
    "Practitioner.name": [_name("Marchbanks", "Cordelia", prefix=["Dr."])],
    "Practitioner.birthDate": "1993-07-21",
    "Person.identifier": [_number("SS", "529-83-4471")],
    "Person.name": [_name("Quartermain", "Zebulon")],
    "Organization.name": "Gallowglass Infirmary",
    "Location.name": "OddfellowWing",
    "FamilyMemberHistory.name": "Casimir Brackenbury",
    "Binary.contentType": "text/plain; charset=utf-8",
}


def write_resources(folder: Path) -> Path:
    """Write the resources of three releases as files whose names are canaries; returns their folder, whose name is one too."""
    ward = folder / "Oddfellow ward"
    for version, name in _RELEASES.items():
        below = ward / name
        below.mkdir(parents=True)
        by_type: dict[str, list[bytes]] = {}
        for one in resources(version):
            by_type.setdefault(one["resourceType"], []).append(json.dumps(one).encode())
        for kind, lines in by_type.items():
            (below / f"Quartermain {kind}.ndjson.gz").write_bytes(gzip.compress(b"\n".join(lines)))
    (ward / "r4" / "Oddfellow bundle.json").write_text(json.dumps(_bundle()), encoding="utf-8")
    (ward / "r4" / "Zebulon remark.xml").write_text(_REMARK, encoding="utf-8")
    return ward


def _bundle() -> dict[str, Any]:
    observation = _resource("Observation", FhirVersion.R4, 0) | {"id": f"{ID}-bundled"}
    page = {"contentType": "text/html", "data": _base64(letter_html().encode()), "title": f"Page of {PATIENT}"}
    letter = _resource("DocumentReference", FhirVersion.R4, 0) | {"id": f"{ID}-page", "content": [{"attachment": page}]}
    entries = [{"fullUrl": f"{URL}/{one['resourceType']}/{one['id']}", "resource": one} for one in (observation, letter)]
    gone = {"fullUrl": f"{URL}/Observation/{ID}-gone", "request": {"method": "DELETE", "url": f"Observation/{ID}-gone"}}
    return {"resourceType": "Bundle", "id": ID, "type": "collection", "entry": [*entries, gone]}


_REMARK: Final = f"""<Observation xmlns="http://hl7.org/fhir"><id value="{ID}-remark"/><!-- {PATIENT} --><status value="final"/>
<code><text value="Remark of {PATIENT}"/></code><subject><reference value="Patient/{resource_id("Patient")}"/><display value="{PATIENT}"/></subject>
<valueString value="{SENTENCE}"/></Observation>"""


def write_broken_resources(ward: Path) -> Path:
    """Write files that fail in as many ways as we know, each with a canary in its name and content; returns their folder."""
    folder = ward / "broken"
    folder.mkdir()
    subject = {"reference": f"Patient/{resource_id('Patient')}", "display": PATIENT}
    whole = {"resourceType": "Observation", "status": "final", "code": {"text": "Remark"}, "subject": subject, "valueString": SENTENCE}
    bad: list[dict[str, Any]] = [
        {"resourceType": PATIENT},
        {"resourceType": "Zebulon_Quartermain"},
        {"id": PATIENT},
        {"status": PATIENT},
        {PATIENT: PATIENT},
        {PATIENT.replace(" ", ""): {"Quartermain": 1}},
        {"effectiveDateTime": f"{ISO_DATE} {PATIENT}"},
        {"valueString": {"text": PATIENT}},
        {"modifierExtension": [{"url": URL, "valueString": PATIENT}]},
        {"implicitRules": URL},
        {"subject": {"reference": f"Patient/{PATIENT}"}, "valueString": OF_NOBODY},
        {"status": "entered-in-error"},
        {"status": "cancelled"},
    ]
    lines = [json.dumps({**whole, "id": f"{ID}-bad-{number}", **change}) for number, change in enumerate(bad)]
    lines += [
        json.dumps({**whole, "resourceType": "Basic", "id": f"{ID}-basic"}),
        PATIENT,
        f'{{"resourceType": "{PATIENT}"',
        f'["{PATIENT}"]',
    ]
    (folder / "Quartermain broken.ndjson").write_text("\n".join(lines), encoding="utf-8")
    (folder / "Quartermain broken.json").write_text(f'{{"resourceType": "Bundle", "{PATIENT}"', encoding="utf-8")
    (folder / "Quartermain broken.xml").write_text(f"<{PATIENT.replace(' ', '')} xmlns='http://hl7.org/fhir'/>", encoding="utf-8")
    (folder / "Quartermain cut.ndjson.gz").write_bytes(gzip.compress(json.dumps(whole).encode() * 50)[:-40])
    attachments: list[dict[str, Any]] = [
        {"contentType": "application/pdf", "data": _base64(b"%PDF-1.4 " + PATIENT.encode())},
        {"contentType": f"text/{PATIENT}", "data": _base64(ADMISSION.encode())},
        {"contentType": f"text/plain; charset={PATIENT}", "data": _base64(ADMISSION.encode())},
        {"contentType": "text/plain", "data": f"{PATIENT}?"},
        {"contentType": "text/plain", "data": _base64(ADMISSION.encode()), "hash": _base64(PATIENT.encode()), "size": 7},
        {"contentType": "text/plain", "url": f"{URL}/{ID}.txt"},
    ]
    for number, one in enumerate(attachments):
        held = {"resourceType": "DocumentReference", "id": f"{ID}-broken-{number}", "status": "current", "subject": subject}
        path = folder / f"Quartermain attachment {number}.json"
        path.write_text(json.dumps({**held, "content": [{"attachment": {**one, "title": f"Chart of {PATIENT}"}}]}), encoding="utf-8")
    return folder
