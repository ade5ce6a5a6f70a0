"""A FHIR resource as landing holds it: exact, identified, with whose it is; and what of landing one document is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from pipeline.domain.identifiers import canonical_json
from pipeline.domain.vocabulary import FhirVersion
from pipeline.fhir.exact_json import read_exact, write_exact

_VERSION: Final = "1"


@dataclass(frozen=True, slots=True)
class Envelope:
    """One version of a resource.

    Attributes:
        authority: Whose ids these are.
        version: The release of FHIR that it is written in.
        resource_type: Its type.
        logical_id: Its own id, or the one that it was given; references find it by that.
        resource: As it came; numbers are ``Printed``.
        urls: ``Type/id`` of what it refers to by an entry's ``fullUrl`` (``urn:uuid:…``), which means nothing outside its Bundle.
    """

    authority: str
    version: FhirVersion
    resource_type: str
    logical_id: str = field(repr=False)
    resource: Mapping[str, Any] = field(repr=False)
    urls: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def reference(self) -> str:
        """``Type/id``."""
        return f"{self.resource_type}/{self.logical_id}"

    def to_bytes(self) -> bytes:
        """Return the one form: the same resource from a line, a Bundle or a search has the same bytes."""
        return write_exact(
            {
                "envelope": _VERSION,
                "authority": self.authority,
                "fhir": self.version.value,
                "id": self.logical_id,
                "resource": self.resource,
                "urls": self.urls,
            }
        )

    @classmethod
    def of(cls, data: bytes) -> Envelope:
        """Read what ``to_bytes`` wrote.

        Raises:
            ValueError: It is of another version. Holds no value.
        """
        value = read_exact(data)
        if not isinstance(value, dict) or value.get("envelope") != _VERSION:
            raise ValueError("an envelope of another version")
        resource = value["resource"]
        return cls(value["authority"], FhirVersion(value["fhir"]), str(resource["resourceType"]), value["id"], resource, value["urls"])


@dataclass(frozen=True, slots=True)
class Manifest:
    """What one document is made of, by SHA-256 of envelopes in landing: any of them changed, it is another manifest.

    Attributes:
        resource_key: The document's source key.
        renderer: Version of what renders it.
        resource: Its own envelope.
        patient: Envelopes of who its patient is: Patient, RelatedPerson and Person resources, whose names and numbers are known identifiers.
        related: Envelopes of what it shows or is told by: results of a report, a medication, an encounter.
        people: Envelopes of the people and places that it refers to, whose names are known identifiers of this document.
        access: Access label, where one was said.
    """

    resource_key: str
    renderer: str
    resource: str
    patient: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    access: str | None = None

    def to_bytes(self) -> bytes:
        """Return the one JSON form."""
        return canonical_json({"manifest": 1, **asdict(self)})

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> Manifest:
        """Return the manifest of parsed JSON that ``to_bytes`` wrote.

        Raises:
            ValueError: It is of another version. Holds no value.
        """
        if value.get("manifest") != 1:
            raise ValueError("a manifest of another version")
        lists = {name: tuple(value.get(name, ())) for name in ("patient", "related", "people")}
        return cls(**{**{name: value[name] for name in cls.__dataclass_fields__ if name not in lists}, **lists})
