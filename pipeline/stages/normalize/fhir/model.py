"""What checking a FHIR resource gives."""

from __future__ import annotations

from dataclasses import dataclass, field

from pipeline.domain.vocabulary import FhirVersion, ResourceOutcome


@dataclass(frozen=True, slots=True)
class Reference:
    """One resource that another one refers to.

    Attributes:
        element: The first element of the path, as ``subject`` or ``result``.
        resource_type: Its type; empty where a reference by identifier does not say.
        logical_id: Its id; empty of a reference by identifier.
        identifier: ``system|value`` of a reference by identifier; else empty.
    """

    element: str
    resource_type: str
    logical_id: str = field(default="", repr=False)
    identifier: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of one resource.

    Attributes:
        outcome: One of ``ResourceOutcome``.
        resource_type: Its type; of what has no known one, ``unknown``.
        logical_id: Its id, the one of its entry's ``fullUrl``, or one made of its content.
        version: The release of FHIR that it was read as.
        order_key: Of two versions of a resource the one with the greater key is the newer; empty where it says neither time nor version.
        path: Where it breaks a rule: element names and numbers, ``?`` for a name that FHIR does not have.
        rule: Which one; never a value.
        references: What it refers to, each once.
        patient: Logical id of its patient; of a Patient its own; ``None``: it is of nobody.
        unresolved: References that name no resource: of an entry that its Bundle does not have, or by a search for anything but an identifier.
        bad_attachments: Paths of attachments whose base64, size or hash are not what it says; the rest of the resource is good.
    """

    outcome: ResourceOutcome
    resource_type: str
    logical_id: str = field(repr=False)
    version: FhirVersion
    order_key: str = ""
    path: str | None = None
    rule: str | None = None
    references: tuple[Reference, ...] = field(default=(), repr=False)
    patient: str | None = field(default=None, repr=False)
    unresolved: int = 0
    bad_attachments: tuple[str, ...] = ()
