"""Reads a site's file back from landing, where its identified text is and nowhere else: at ingestion for its hashes, later for its text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from uuid import UUID

from pipeline.domain.documents import Document
from pipeline.domain.errors import RecordError, StoreCorruptError
from pipeline.domain.identifiers import document_id
from pipeline.domain.phi import IdentifierClass
from pipeline.domain.ports import Landing
from pipeline.domain.site_files import LandedFile, Sidecar
from pipeline.domain.vocabulary import PUBLIC_KINDS, DocumentKind, FailureCategory, Source
from pipeline.jobs.fhir.known import known_of_patient, merged
from pipeline.jobs.readings import LandedReading, OnPage, read_landed
from pipeline.json_bytes import read_json
from pipeline.settings import Settings
from pipeline.stages.assemble import FileFacts, FoundFacts, assemble_file
from pipeline.stages.deidentify import KnownIdentifiers
from pipeline.stages.deidentify.known.file import known_from_json
from pipeline.stages.identify import FactScheme, Identity, identify
from pipeline.stages.normalize import read_sidecar
from pipeline.wiring import Services


@dataclass(frozen=True, slots=True)
class SiteFile:
    """One file with what is known of it, identified."""

    landed: LandedFile
    facts: FileFacts
    reading: LandedReading
    identity: Identity
    document: Document
    known: KnownIdentifiers = field(repr=False)

    @property
    def subject(self) -> str:
        """Whom keyed replacement is the same for: the patient, or this document alone."""
        return self.facts.patient or self.landed.source_key


def read_site_file(
    services: Services, manifest_sha256: str, *, kind: DocumentKind | None = None, on_page: OnPage | None = None
) -> SiteFile:
    """Return the file that a manifest in landing names.

    Args:
        services: The home.
        manifest_sha256: Names the manifest.
        kind: The kind that truth has of it; ``None``: the one that is said or, where nobody says, told from its text.
        on_page: Called with pages done and pages in all while the file is read for the first time.

    Raises:
        RecordError: It cannot be read, its sidecar cannot be used, or landing has lost a part of it.
        StoreCorruptError, StoreUnavailableError: See landing.
    """
    try:
        landed = LandedFile.of(read_json(_get(services.landing, manifest_sha256)))
        content, said = _parts(services.landing, landed)
    except KeyError:
        raise RecordError(FailureCategory.NOT_FOUND, "landing has lost the file") from None
    sidecar = Sidecar() if said is None else read_sidecar(said)
    facts = facts_of(landed, sidecar, settings=services.settings, secret=services.secret)
    reading = read_landed(services, landed, content, vision=(facts.kind or kind) in PUBLIC_KINDS, on_page=on_page)
    record = known_of_patient(services, facts.patient) if facts.patient else None
    return build_site_file(landed, facts, reading, secret=services.secret, kind=kind, record=record)


def facts_of(landed: LandedFile, sidecar: Sidecar, *, settings: Settings, secret: bytes) -> FileFacts:
    """Return what is said of a file.

    Raises:
        RecordError: See ``FileFacts.of``.
    """
    return FileFacts.of(landed, sidecar, secret=secret, departments=settings.departments, access_labels=settings.access_labels)


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


def build_site_file(
    landed: LandedFile,
    facts: FileFacts,
    reading: LandedReading,
    *,
    secret: bytes,
    kind: DocumentKind | None = None,
    record: KnownIdentifiers | None = None,
) -> SiteFile:
    """Return a read file with its document; ``kind`` as in ``read_site_file``, ``record``: what the patient's FHIR record says of them.

    Raises:
        RecordError: Its list of known identifiers cannot be used.
    """
    known = known_of(facts.sidecar)
    if record:
        known = merged([known, record])
    identity = identify(reading.file, facts.kind or kind, PurePosixPath(landed.path).parent.name)
    settled = kind or facts.kind_or(identity.kind)
    key: UUID = document_id(Source.DOCUMENTS, landed.source_key)
    told = {category.value: values for category, values in record.values.items()} if record else None
    document = assemble_file(landed, reading.file, settled, facts, found_facts(settled, identity), key, secret=secret, record=told)
    return SiteFile(landed, facts, reading, identity, document, known)


def found_facts(kind: DocumentKind, identity: Identity) -> FoundFacts:
    """Return what a public document says of itself; of a clinical one nothing is taken."""
    if kind not in PUBLIC_KINDS:
        return FoundFacts()
    return FoundFacts(
        title=identity.title,
        document_date=_first(identity, FactScheme.REVISION_DATE, FactScheme.EFFECTIVE_DATE, FactScheme.DOCUMENT_DATE),
        protocol_number=_first(identity, FactScheme.PROTOCOL_NUMBER),
        amendment=_first(identity, FactScheme.AMENDMENT),
        reference_number=_first(identity, FactScheme.REFERENCE_NUMBER),
        nct_ids=tuple(dict.fromkeys(identity.own(FactScheme.NCT_ID))),
    )


def _first(identity: Identity, *schemes: FactScheme) -> str | None:
    return next((value for scheme in schemes for value in identity.own(scheme)), None)


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
