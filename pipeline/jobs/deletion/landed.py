"""Finds everything that landing holds of documents, earlier versions too: truth names the newest alone, so landing itself is read.

An object is shared by all whose bytes are the same: what another document's manifest, reading or picture names is left where it is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from pipeline.domain.errors import RecordError, StoreCorruptError
from pipeline.domain.identifiers import document_id, is_nct_id
from pipeline.domain.site_files import LandedFile
from pipeline.domain.vocabulary import Source
from pipeline.jobs.deletion.landed_fhir import find_resources
from pipeline.json_bytes import read_json
from pipeline.storage import erasure
from pipeline.storage.readings import ReadingRow, content_key_of, forget_readings, readings_of
from pipeline.wiring import Services

# A manifest is 600 bytes and a path, packed less: larger objects are none, and are not read to find that out.
_LARGEST_MANIFEST: Final = 16 * 1024
# Every study record has it, and hardly anything else: records are told from files without parsing these.
_STUDY_MARK: Final = b'"protocolSection"'


@dataclass(slots=True)
class Landed:
    """What landing holds of one document and of no other, by SHA-256.

    Attributes:
        records: Manifests of a file or of a FHIR document, or study records, of all versions.
        contents: A file's own bytes and its sidecars; a FHIR resource with all its versions.
        attached: Bytes within a FHIR resource: landing holds no object of them, only what reading them gave.
        readings: What reading the contents gave.
        images: Pictures of its pages.
    """

    records: set[str] = field(default_factory=set)
    contents: set[str] = field(default_factory=set)
    attached: set[str] = field(default_factory=set)
    readings: list[ReadingRow] = field(default_factory=list)
    images: set[str] = field(default_factory=set)

    def add(self, other: Landed) -> None:
        """Add what another one has."""
        self.records |= other.records
        self.contents |= other.contents
        self.attached |= other.attached
        self.readings += other.readings
        self.images |= other.images

    @property
    def objects(self) -> set[str]:
        """Everything, by SHA-256."""
        return self.records | self.contents | self.images | {one.artifact_sha256 for one in self.readings}


def find_landed(services: Services, documents: Collection[tuple[str, str]]) -> dict[UUID, Landed]:
    """Return what landing holds of documents alone.

    Args:
        services: The home.
        documents: Source and source key of each, whether truth knows it or not.

    It reads every manifest once, and where studies are among the documents, every record that is not another study's newest. What cannot be
    read is left out unless truth or a listing names it.
    """
    ids = {document_id(source, key): (source, key) for source, key in documents}
    found = {one: Landed() for one in ids}
    with services.db.read() as tx:
        files = erasure.payloads_elsewhere(tx, Source.DOCUMENTS, ids)
        studies = erasure.payloads_elsewhere(tx, Source.CLINICALTRIALS_GOV, ids)
        for source in {source for source, _ in ids.values()}:
            keys = {key: one for one, (of, key) in ids.items() if of == source}
            for one, records in erasure.payloads_named(tx, source, keys).items():
                found[one].records |= records
        images = erasure.images_of(tx, sorted(ids))
    shared: set[str] = set()
    if files or any(source == Source.DOCUMENTS for source, _ in ids.values()):
        shared = _files(services, found, skip=studies)
    if any(source == Source.CLINICALTRIALS_GOV for source, _ in ids.values()):
        _studies(services, found, skip=studies | files | {bytes.fromhex(one) for one in shared})
    _resources(services, found, {key: one for one, (source, key) in ids.items() if source == Source.FHIR})
    for one, landed in found.items():
        landed.images |= images.get(one, set())
    _readings(services, found)
    for landed in found.values():
        landed.images -= shared
    return found


def remove_landed(services: Services, landed: Landed) -> None:
    """Remove what ``find_landed`` found, in the order that lets a killed run find the rest: what names goes after what it names."""
    for sha256 in sorted(landed.images):
        services.landing.delete(sha256)
    for reading in landed.readings:
        services.landing.delete(reading.artifact_sha256)
    if landed.readings:
        with services.db.begin() as tx:
            forget_readings(tx, [reading.reading_key for reading in landed.readings])
    for sha256 in (*sorted(landed.contents), *sorted(landed.records)):
        services.landing.delete(sha256)


def _files(services: Services, found: dict[UUID, Landed], *, skip: set[bytes]) -> set[str]:
    """Add manifests of the documents and what only these name. Returns what manifests of others name."""
    own: dict[UUID, set[str]] = {}
    shared: set[str] = set()
    for sha256, size in services.landing.objects():
        if size > _LARGEST_MANIFEST or bytes.fromhex(sha256) in skip:
            continue
        manifest = _manifest(_get(services, sha256))
        if manifest is None:
            continue
        names = {manifest.content, *([manifest.sidecar] if manifest.sidecar else [])}
        one = document_id(Source.DOCUMENTS, manifest.source_key)
        if one in found:
            found[one].records.add(sha256)
            own.setdefault(one, set()).update(names)
        else:
            shared |= names
    for one, names in own.items():
        found[one].contents |= names - shared
    return shared


def _studies(services: Services, found: dict[UUID, Landed], *, skip: set[bytes]) -> None:
    """Add the documents' study records of earlier versions."""
    for sha256, _ in services.landing.objects():
        if bytes.fromhex(sha256) in skip:
            continue
        one = _study(_get(services, sha256))
        if one in found:
            found[one].records.add(sha256)


def _resources(services: Services, found: dict[UUID, Landed], keys: dict[str, UUID]) -> None:
    """Add every version of FHIR resources; what another document shows of one is its own bytes all the same, and goes."""
    for key, one in find_resources(services, keys).items():
        landed = found[keys[key]]
        landed.records |= one.manifests
        landed.contents |= one.envelopes
        landed.attached |= one.attached


def _readings(services: Services, found: dict[UUID, Landed]) -> None:
    """Add what reading the contents gave, and the pictures in it; of pictures what no other document has."""
    for landed in found.values():
        with services.db.read() as tx:
            landed.readings = readings_of(tx, [content_key_of(services.secret, one) for one in landed.contents | landed.attached])
        for reading in landed.readings:
            landed.images |= set(_images(_get(services, reading.artifact_sha256)))
        with services.db.read() as tx:
            landed.images -= erasure.images_elsewhere(tx, landed.images, found)


def _get(services: Services, sha256: str) -> bytes:
    try:
        return services.landing.get(sha256)
    except (KeyError, StoreCorruptError):
        return b""


def _object(data: bytes) -> dict[str, Any]:
    try:
        value = read_json(data) if data.startswith(b"{") else None
    except (RecordError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _manifest(data: bytes) -> LandedFile | None:
    value = _object(data)
    if not {"source_key", "content", "media_type"} <= set(value):
        return None
    try:
        return LandedFile.of(value)
    except (ValueError, TypeError):
        return None


def _study(data: bytes) -> UUID | None:
    if _STUDY_MARK not in data:
        return None
    value: Any = _object(data)
    for name in ("protocolSection", "identificationModule", "nctId"):
        value = value.get(name) if isinstance(value, dict) else None
    return document_id(Source.CLINICALTRIALS_GOV, value) if isinstance(value, str) and is_nct_id(value) else None


def _images(data: bytes) -> Iterator[str]:
    images = _object(data).get("images")
    if isinstance(images, dict):
        yield from (one for one in images.values() if isinstance(one, str))
