"""Reads a site's file back from landing, where its identified text is and nowhere else: at ingestion for its hashes, later for its text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from pipeline.domain.documents import Document
from pipeline.domain.errors import RecordError, StoreCorruptError
from pipeline.domain.identifiers import document_id
from pipeline.domain.phi import IdentifierClass
from pipeline.domain.ports import Landing
from pipeline.domain.site_files import LandedFile, Sidecar
from pipeline.domain.vocabulary import FailureCategory, Source
from pipeline.json_bytes import read_json
from pipeline.settings import Settings
from pipeline.stages.assemble import FileFacts, assemble_file
from pipeline.stages.deidentify import KnownIdentifiers
from pipeline.stages.deidentify.known.file import known_from_json
from pipeline.stages.normalize import read_sidecar, read_text
from pipeline.wiring import Services


@dataclass(frozen=True, slots=True)
class SiteFile:
    """One file with what is known of it, identified."""

    landed: LandedFile
    facts: FileFacts
    document: Document
    known: KnownIdentifiers = field(repr=False)

    @property
    def subject(self) -> str:
        """Whom keyed replacement is the same for: the patient, or this document alone."""
        return self.facts.patient or self.landed.source_key


def read_site_file(services: Services, manifest_sha256: str) -> SiteFile:
    """Return the file that a manifest in landing names.

    Raises:
        RecordError: Its text or sidecar cannot be used, or landing has lost a part of it.
        StoreCorruptError, StoreUnavailableError: See landing.
    """
    try:
        landed = LandedFile.of(read_json(_get(services.landing, manifest_sha256)))
        content, said = _parts(services.landing, landed)
    except KeyError:
        raise RecordError(FailureCategory.NOT_FOUND, "landing has lost the file") from None
    sidecar = Sidecar() if said is None else read_sidecar(said)
    return build_site_file(landed, content, sidecar, settings=services.settings, secret=services.secret)


def _parts(landing: Landing, landed: LandedFile) -> tuple[bytes, bytes | None]:
    """Return content and sidecar; of two damaged ones, both are found, so that one ingestion mends the file."""
    try:
        content = _get(landing, landed.content)
    finally:
        said = None if landed.sidecar is None else _get(landing, landed.sidecar)
    return content, said


def _get(landing: Landing, sha256: str) -> bytes:
    try:
        return landing.get(sha256)
    except StoreCorruptError:
        landing.delete(sha256)  # the next ingestion lands it again: a damaged object would stay for ever
        raise


def build_site_file(landed: LandedFile, content: bytes, sidecar: Sidecar, *, settings: Settings, secret: bytes) -> SiteFile:
    """Return a file with its document.

    Raises:
        RecordError: Its text or sidecar cannot be used.
    """
    facts = FileFacts.of(landed, sidecar, secret=secret, departments=settings.departments, access_labels=settings.access_labels)
    key: UUID = document_id(Source.DOCUMENTS, landed.source_key)
    document = assemble_file(landed, read_text(content), facts, key, secret=secret)
    return SiteFile(landed, facts, document, known_of(sidecar))


def known_of(sidecar: Sidecar) -> KnownIdentifiers:
    """Return what a sidecar says that identifies a person: the list of known identifiers, the patient's number, the author's name.

    Raises:
        RecordError: ``bad_sidecar``: the list is neither a FHIR Patient nor of the form that a file of known identifiers has.
    """
    found = {category: list(values) for category, values in _listed(sidecar).items()}
    if sidecar.patient:
        found.setdefault(IdentifierClass.MRN, []).append(sidecar.patient)
    if sidecar.author:
        found.setdefault(IdentifierClass.NAME, []).append(sidecar.author)
    return KnownIdentifiers({category: tuple(dict.fromkeys(values)) for category, values in found.items()})


def _listed(sidecar: Sidecar) -> Mapping[IdentifierClass, tuple[str, ...]]:
    return {} if sidecar.known_identifiers is None else known_from_json(sidecar.known_identifiers).values
