"""FHIR resources on their way in: what feeds bring, before anything is judged. Identified, and never outside the wall."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from pipeline.domain.identifiers import keyed_hash
from pipeline.domain.vocabulary import FailureCategory, FhirVersion

#: Of resources of which nobody says whose server they are from.
SITE: Final = "site"


class Printed(str):
    """A number with the digits that its source printed: ``1.00`` stays ``1.00``, and is told from the string "1.00"."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Stamp:
    """When a version of a resource came to be, and its number; as sent, ``None``: nobody says."""

    updated: str | None = None
    version_id: str | None = None


_NO_STAMP: Final = Stamp()


@dataclass(frozen=True, slots=True)
class RawResource:
    """One resource as it came.

    Attributes:
        value: The resource as JSON values; numbers are ``Printed``.
        origin: Where it stood, for people: ``file 2 line 17``, ``file 3 entry 5``, ``page 4 entry 2``. Holds no name and no text.
        full_url: Its entry's ``fullUrl`` in a Bundle, by which others of the Bundle refer to it.
        urls: Other entries of the same Bundle by ``fullUrl``, as ``Type/id``; shared by all of its resources.
        version: What its server or its feed says; ``None``: it must be told from the content.
        stamp: What its entry in a history says of this version, for resources that do not say it themselves.
    """

    value: Mapping[str, Any] = field(repr=False)
    origin: str
    full_url: str | None = field(default=None, repr=False)
    urls: Mapping[str, str] = field(default_factory=dict, repr=False)
    version: FhirVersion | None = None
    stamp: Stamp = _NO_STAMP


@dataclass(frozen=True, slots=True)
class RemovedResource:
    """A resource that its source says it has deleted; ``stamp``: when, where the source says it."""

    resource_type: str
    logical_id: str = field(repr=False)
    origin: str
    stamp: Stamp = _NO_STAMP


@dataclass(frozen=True, slots=True)
class BrokenEntry:
    """Something in a feed that is no resource that could be read: a cut line, an entry without a resource. Nothing is lost in silence."""

    origin: str
    category: FailureCategory
    detail: str | None = None  # a rule or a class of errors; never a value


@dataclass(frozen=True, slots=True)
class Waiting:
    """Nothing yet: a server is still making its export. Lets a load give a sign of life."""


FeedEntry = RawResource | RemovedResource | BrokenEntry | Waiting


@dataclass(frozen=True, slots=True)
class FeedEnd:
    """What a feed knows once everything was read.

    Attributes:
        complete: Every file or page that was promised came whole. Only then may absence mean deletion.
        transaction_time: The moment that the server says its data are of, as sent; where the next incremental load begins.
        promised: Files or pages that were promised; ``None``: nobody said.
        read: Files or pages that were read whole.
        skipped: Blank lines and files that are none of ours, by reason.
    """

    complete: bool
    transaction_time: str | None = None
    promised: int | None = None
    read: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)


class ResourceFeed(Protocol):
    """Brings resources: a folder of files, a server's search, a bulk export."""

    @property
    def authority(self) -> str:
        """Whose ids these are: resources of one authority with one type and id are the same resource, wherever they come from."""
        ...

    @property
    def scope(self) -> str:
        """Names what is loaded, without any secret or name in the clear: ``folders:FINGERPRINT``, ``server:FINGERPRINT:group``."""
        ...

    @property
    def is_full(self) -> bool:
        """Whether a complete load names everything within its scope, so that what it does not name is gone."""
        ...

    def entries(self) -> Iterator[FeedEntry]:
        """Yield everything, in flat memory.

        Raises:
            SourceUnavailableError, SourceRefusedError, SourceProtocolError: See the source. What was yielded stays.
        """
        ...

    def end(self) -> FeedEnd:
        """Say how it went; asked once ``entries`` is exhausted."""
        ...


def resource_key(secret: bytes, authority: str, resource_type: str, logical_id: str) -> str:
    """Return the key of a resource: the ``source_key`` of its document. Keyed, for ids of resources identify patients."""
    return keyed_hash(secret, "fhir", f"{authority}|{resource_type}/{logical_id}")


def identifier_key(secret: bytes, authority: str, identifier: str) -> str:
    """Return the key of an identifier (``system|value``) by which resources are referred to that are not named by their ids."""
    return keyed_hash(secret, "fhir-identifier", f"{authority}|{identifier}")


def patient_pseudonym(secret: bytes, logical_id: str) -> str:
    """Return a patient's pseudonym, made as the one of a file's sidecar is: of the patient's logical id, or of a number of theirs."""
    return keyed_hash(secret, "patient", logical_id)
