"""Takes the identifiers out of FHIR resources that are about people and places (STU3, R4 and R5). In: a dict. Out: class and value pairs.

https://hl7.org/fhir/R4/patient.html, …/relatedperson.html, …/person.html, …/practitioner.html, …/practitionerrole.html, …/organization.html,
…/location.html, …/healthcareservice.html
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pipeline.domain.errors import RecordError
from pipeline.domain.phi import IdentifierClass
from pipeline.domain.vocabulary import FailureCategory
from pipeline.stages.deidentify.known.text import fold, is_word, words

_C: Final = IdentifierClass
# Identifier types (HL7 table 0203) and systems, by class.
_TYPES: Final = {
    "MR": _C.MRN, "MRT": _C.MRN, "PI": _C.MRN, "PT": _C.MRN, "SS": _C.SSN, "SB": _C.SSN, "DL": _C.LICENSE, "PPN": _C.LICENSE,
    "BRN": _C.LICENSE, "MB": _C.HEALTH_PLAN, "MC": _C.HEALTH_PLAN, "MA": _C.HEALTH_PLAN, "NIIP": _C.HEALTH_PLAN, "SN": _C.HEALTH_PLAN,
    "AN": _C.ACCOUNT, "LN": _C.LICENSE, "UDI": _C.DEVICE, "SNO": _C.DEVICE,
}  # fmt: skip
_SYSTEMS: Final = {"us-ssn": _C.SSN, "2.16.840.1.113883.4.1": _C.SSN, "us-medicare": _C.HEALTH_PLAN, "us-mbi": _C.HEALTH_PLAN}
_TELECOM: Final = {"phone": _C.PHONE, "sms": _C.PHONE, "pager": _C.PHONE, "fax": _C.FAX, "email": _C.EMAIL, "url": _C.URL}
_MAIDEN_NAME: Final = "patient-mothersMaidenName"
_MIN_ID: Final = 5  # a shorter logical id ("12") is found in any text

Pair = tuple[IdentifierClass, str]


#: Types of resources that are people, and places that they are found in.
PEOPLE: Final = frozenset({"Patient", "RelatedPerson", "Person", "Practitioner", "PractitionerRole"})
PLACES: Final = frozenset({"Organization", "Location", "HealthcareService"})


def values_of(resource: Mapping[str, object]) -> Iterator[Pair]:
    """Yield every identifier of a person or a place with its class; nothing of other types.

    A place whose name consists of words of the language and of medicine ("Cardiology", "Day Surgery Unit") is none: it names no place, and
    such words are what people search for.

    Raises:
        RecordError: A field has another JSON type than FHIR gives it; the message names the path, never the value.
    """
    kind = resource.get("resourceType")
    if kind == "Patient":
        yield from values_of_patient(resource)
    elif kind == "PractitionerRole":
        yield from _person(resource, kind)  # no name of its own
        yield from _display(resource, "practitioner", kind, _C.NAME)
        for contact in _objects(resource, "contact", kind):
            yield from _person(contact, f"{kind}.contact")
    elif isinstance(kind, str) and kind in PEOPLE:
        yield from _about(resource, kind)
        for qualification in _objects(resource, "qualification", kind):
            for identifier in _objects(qualification, "identifier", f"{kind}.qualification"):
                yield from _identifier(identifier, f"{kind}.qualification.identifier")
    elif isinstance(kind, str) and kind in PLACES:
        yield from _place(resource, kind)


def values_of_patient(patient: Mapping[str, object]) -> Iterator[Pair]:
    """Yield every identifier of a Patient resource with its class.

    Raises:
        RecordError: See ``values_of``.
    """
    yield from _about(patient, "Patient")
    for index, contact in enumerate(_objects(patient, "contact", "Patient")):
        path = f"Patient.contact[{index}]"
        yield from _person(contact, path)
        yield from _display(contact, "organization", path, _C.ORGANISATION)
    yield from _texts(patient, ("deceasedDateTime",), "Patient", _C.DATE)
    for doctor in _objects(patient, "generalPractitioner", "Patient"):
        yield from _texts(doctor, ("display",), "Patient.generalPractitioner", _C.NAME)
    yield from _display(patient, "managingOrganization", "Patient", _C.FACILITY)
    yield from _extensions(patient)


def _about(one: Mapping[str, object], path: str) -> Iterator[Pair]:
    """Yield what every resource of a person may have: names, addresses, numbers, a date of birth, photos, its own id."""
    yield from _person(one, path)
    for identifier in _objects(one, "identifier", path):
        yield from _identifier(identifier, f"{path}.identifier")
    yield from _texts(one, ("birthDate",), path, _C.DATE)
    for photo in _objects(one, "photo", path):
        yield from _texts(photo, ("url", "title"), f"{path}.photo", _C.PHOTO)
    yield from ((_C.OTHER_ID, value) for _, value in _texts(one, ("id",), path, _C.OTHER_ID) if len(value) >= _MIN_ID)


def _place(place: Mapping[str, object], path: str) -> Iterator[Pair]:
    names = [value for _, value in _texts(place, ("name",), path, _C.FACILITY)]
    yield from ((_C.FACILITY, name) for name in (*names, *_strings(place, "alias", path)) if not _is_plain(name))
    yield from _person({key: value for key, value in place.items() if key != "name"}, path)
    for contact in _objects(place, "contact", path):
        yield from _person(contact, f"{path}.contact")


def _is_plain(name: str) -> bool:
    """Whether a name consists of ordinary words, numbers and single letters."""
    return all(is_word(word) or word.isdecimal() or len(word) == 1 for word in map(fold, words(name)))


def _person(holder: Mapping[str, object], path: str) -> Iterator[Pair]:
    for index, name in enumerate(_objects(holder, "name", path)):
        yield from _name(name, f"{path}.name[{index}]")
    for telecom in _objects(holder, "telecom", path):
        system = telecom.get("system")
        yield from _texts(telecom, ("value",), f"{path}.telecom", _TELECOM.get(system, _C.PHONE) if isinstance(system, str) else _C.PHONE)
    for address in _objects(holder, "address", path):
        yield from _address(address, f"{path}.address")


def _name(name: Mapping[str, object], path: str) -> Iterator[Pair]:
    family = [value for _, value in _texts(name, ("family",), path, _C.NAME)]
    given = list(_strings(name, "given", path))
    if family and given:
        yield _C.NAME, f"{family[0]}, {' '.join(given)}"
    elif family or given:
        yield _C.NAME, " ".join((*family, *given)) + ","
    else:
        yield from _texts(name, ("text",), path, _C.NAME)


def _address(address: Mapping[str, object], path: str) -> Iterator[Pair]:
    lines = list(_strings(address, "line", path))
    yield from ((_C.ADDRESS, line) for line in lines)
    yield from _texts(address, ("city", "district"), path, _C.ADDRESS)
    yield from _texts(address, ("postalCode",), path, _C.ZIP)
    if not lines:
        for _, text in _texts(address, ("text",), path, _C.ADDRESS):
            yield from ((_C.ADDRESS, part) for part in text.split(",") if not part.strip().isdecimal())


def _identifier(identifier: Mapping[str, object], path: str) -> Iterator[Pair]:
    system = identifier.get("system")
    category = next((each for end, each in _SYSTEMS.items() if isinstance(system, str) and system.endswith(end)), None)
    for coding in _objects(_object(identifier, "type", path), "coding", f"{path}.type"):
        code = coding.get("code")
        category = category or (_TYPES.get(code) if isinstance(code, str) else None)
    yield from _texts(identifier, ("value",), path, category or _C.OTHER_ID)


def _extensions(patient: Mapping[str, object]) -> Iterator[Pair]:
    for extension in _objects(patient, "extension", "Patient"):
        url = extension.get("url")
        if isinstance(url, str) and url.endswith(_MAIDEN_NAME):
            yield from ((_C.NAME, f"{value},") for _, value in _texts(extension, ("valueString",), "Patient.extension", _C.NAME))
        yield from _address(_object(extension, "valueAddress", "Patient.extension"), "Patient.extension.valueAddress")


def _display(holder: Mapping[str, object], key: str, path: str, category: IdentifierClass) -> Iterator[Pair]:
    yield from _texts(_object(holder, key, path), ("display",), f"{path}.{key}", category)


def _texts(holder: Mapping[str, object], keys: tuple[str, ...], path: str, category: IdentifierClass) -> Iterator[Pair]:
    for key in keys:
        value = holder.get(key)
        if value is None:
            continue
        if not isinstance(value, str):
            raise _wrong(f"{path}.{key}", "a string")
        yield category, value


def _strings(holder: Mapping[str, object], key: str, path: str) -> Iterator[str]:
    value = holder.get(key)
    if not isinstance(value, list | None):
        raise _wrong(f"{path}.{key}", "a list")
    for each in value or ():
        if isinstance(each, str):
            yield each
        elif each is not None:  # FHIR writes null where an element has an extension alone
            raise _wrong(f"{path}.{key}", "a list of strings")


def _objects(holder: Mapping[str, object], key: str, path: str) -> Iterator[Mapping[str, object]]:
    value = holder.get(key)
    values = value if isinstance(value, list) else [] if value is None else [value]
    for each in values:
        if not isinstance(each, Mapping):
            raise _wrong(f"{path}.{key}", "an object or a list of them")
        yield each


def _object(holder: Mapping[str, object], key: str, path: str) -> Mapping[str, object]:
    return next(_objects(holder, key, path), {})


def _wrong(path: str, what: str) -> RecordError:
    return RecordError(FailureCategory.BAD_SIDECAR, f"{path} is not {what}")
