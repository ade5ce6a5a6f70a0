"""Takes the identifiers out of a FHIR Patient resource (R4 and R5, https://hl7.org/fhir/patient.html). In: a dict. Out: class and value pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pipeline.domain.errors import RecordError
from pipeline.domain.phi import IdentifierClass
from pipeline.domain.vocabulary import FailureCategory

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


def values_of_patient(patient: Mapping[str, object]) -> Iterator[Pair]:
    """Yield every identifier with its class.

    Raises:
        RecordError: A field has another JSON type than FHIR gives it; the message names the path, never the value.
    """
    yield from _person(patient, "Patient")
    for index, contact in enumerate(_objects(patient, "contact", "Patient")):
        path = f"Patient.contact[{index}]"
        yield from _person(contact, path)
        yield from _display(contact, "organization", path, _C.ORGANISATION)
    for identifier in _objects(patient, "identifier", "Patient"):
        yield from _identifier(identifier)
    yield from _texts(patient, ("birthDate", "deceasedDateTime"), "Patient", _C.DATE)
    for photo in _objects(patient, "photo", "Patient"):
        yield from _texts(photo, ("url", "title"), "Patient.photo", _C.PHOTO)
    for doctor in _objects(patient, "generalPractitioner", "Patient"):
        yield from _texts(doctor, ("display",), "Patient.generalPractitioner", _C.NAME)
    yield from _display(patient, "managingOrganization", "Patient", _C.FACILITY)
    yield from _extensions(patient)
    yield from ((_C.OTHER_ID, value) for _, value in _texts(patient, ("id",), "Patient", _C.OTHER_ID) if len(value) >= _MIN_ID)


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


def _identifier(identifier: Mapping[str, object]) -> Iterator[Pair]:
    system = identifier.get("system")
    category = next((each for end, each in _SYSTEMS.items() if isinstance(system, str) and system.endswith(end)), None)
    for coding in _objects(_object(identifier, "type", "Patient.identifier"), "coding", "Patient.identifier.type"):
        code = coding.get("code")
        category = category or (_TYPES.get(code) if isinstance(code, str) else None)
    yield from _texts(identifier, ("value",), "Patient.identifier", category or _C.OTHER_ID)


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
