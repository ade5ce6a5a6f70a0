"""Reads what is known of one patient. In: a FHIR ``Patient`` as a dict, or a JSON file. Out: ``KnownIdentifiers``.

The file holds a FHIR Patient resource (``"resourceType": "Patient"``), or one object:

    {
      "version": 1,
      "values": {
        "NAME": ["MacTavish, Ingrid Ruth", "Tomasz Oyelaran"],
        "MRN": ["5528419"],
        "DATE": ["1948-11-02"],
        "PHONE": ["(301) 555-0142"],
        "ADDRESS": ["26 Juniper Street", "Alder Creek"],
        "ZIP": ["02139"]
      }
    }

Keys of ``values`` are those of ``IdentifierClass``; each is a list of strings that are not empty. Names are ``Family, Given Given`` or
``Given Family``, one person an entry, relatives too; dates are ISO 8601; streets and towns are entries of their own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from pipeline.domain.errors import RecordError
from pipeline.domain.phi import IdentifierClass
from pipeline.domain.vocabulary import FailureCategory
from pipeline.stages.deidentify.known import KnownIdentifiers
from pipeline.stages.deidentify.known.fhir import values_of_patient

_MAX_BYTES: Final = 1_000_000  # a patient's record with hundreds of names and numbers has a few thousand
_Value = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=400)]
_SHOWN: Final = 5  # problems that a message names


class KnownFile(BaseModel):
    """The file's own form, see the module."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, hide_input_in_errors=True)

    version: Literal[1]
    values: dict[IdentifierClass, list[_Value]]


def known_from_patient(patient: Mapping[str, object]) -> KnownIdentifiers:
    """Return what a FHIR R4 or R5 Patient resource says that identifies the patient and the contacts.

    Raises:
        RecordError: A field has another JSON type than FHIR gives it; the message names the path, never the value.
    """
    return KnownIdentifiers(_by_class(values_of_patient(patient)))


def read_known(path: Path) -> KnownIdentifiers:
    """Read a file of known identifiers.

    Raises:
        RecordError: It cannot be read, is no JSON, or breaks the form above; the message quotes neither a value nor the file's name.
    """
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise _refused(f"it is larger than {_MAX_BYTES} bytes")
        raw = json.loads(path.read_text("utf-8"), object_pairs_hook=_no_key_twice)
    except OSError as error:
        raise _refused(f"it cannot be read ({type(error).__name__})") from None
    except (ValueError, RecursionError):
        raise _refused("it is no JSON in UTF-8, or has a key twice") from None
    return known_from_json(raw)


def known_from_json(raw: object) -> KnownIdentifiers:
    """Return what parsed JSON of the form above says.

    Raises:
        RecordError: It breaks the form; the message quotes no value.
    """
    if isinstance(raw, dict) and raw.get("resourceType") == "Patient":
        return known_from_patient(raw)
    try:
        parsed = KnownFile.model_validate_json(json.dumps(raw))
    except ValidationError as error:
        raise _refused(_problems(error)) from None
    return KnownIdentifiers({category: tuple(dict.fromkeys(values)) for category, values in parsed.values.items()})


def _no_key_twice(pairs: list[tuple[str, object]]) -> dict[str, object]:
    read = dict(pairs)
    if len(read) != len(pairs):
        raise ValueError("a key stands twice")
    return read


def _by_class(pairs: Iterator[tuple[IdentifierClass, str]]) -> dict[IdentifierClass, tuple[str, ...]]:
    values: dict[IdentifierClass, dict[str, None]] = {}
    for category, value in pairs:
        if value.strip():
            values.setdefault(category, {})[value.strip()] = None
    return {category: tuple(each) for category, each in values.items()}


def _problems(error: ValidationError) -> str:
    """Name places and types only. A key is shown where it is one of ours: a person may have typed a name there."""
    allowed = {*IdentifierClass, "version", "values", "[key]"}
    found = [
        f"{_place(each['loc'], allowed)}: {each['type']}"
        for each in error.errors(include_url=False, include_input=False, include_context=False)
    ]
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return "; ".join(found[:_SHOWN]) + more


def _place(parts: Sequence[int | str], allowed: set[str]) -> str:
    return ".".join(str(part) if isinstance(part, int) or part in allowed else "?" for part in parts) or "the whole"


def _refused(why: str) -> RecordError:
    return RecordError(FailureCategory.BAD_SIDECAR, f"a file of known identifiers cannot be used: {why}")
