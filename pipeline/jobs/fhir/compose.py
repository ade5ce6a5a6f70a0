"""Makes the document of a FHIR resource from what landing holds: at ingestion for its hashes, later for its text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pipeline.domain.documents import Document, Facets
from pipeline.domain.errors import RecordError, StoreCorruptError
from pipeline.domain.fhir import patient_pseudonym
from pipeline.domain.identifiers import canonical_json, document_id, fingerprint, keyed_hash
from pipeline.domain.vocabulary import DocumentKind, FailureCategory, Source
from pipeline.fhir.references import identifiers_of
from pipeline.jobs.fhir.attachments import Attached, read_attachments
from pipeline.jobs.fhir.envelope import Envelope, Manifest
from pipeline.jobs.fhir.known import known_of_people
from pipeline.jobs.fhir.rendering import render_resource
from pipeline.json_bytes import read_json
from pipeline.stages.assemble.fhir import Rendered, facets_of_resource
from pipeline.stages.deidentify import KnownIdentifiers
from pipeline.stages.normalize.fhir import patient_of, references_of, with_literals
from pipeline.storage import fhir_resources
from pipeline.wiring import Services

_SCHEMES: Final = ("icd_codes", "loinc_codes", "snomed_codes", "rxnorm_codes")


@dataclass(frozen=True, slots=True)
class Composed:
    """One document with what de-identification is told of its patient.

    Attributes:
        document: Identified.
        subject: Whom keyed replacement is the same for: the patient, or this document alone.
        known: What is known to identify the patient.
        attached: What its attachments gave.
    """

    document: Document
    subject: str
    known: KnownIdentifiers = field(repr=False)
    attached: Attached


def compose(services: Services, manifest_sha256: str) -> Composed:
    """Return the document that a manifest in landing names.

    Raises:
        RecordError: It cannot be rendered, an attachment is all that it has and cannot be read, or landing has lost a part of it.
        StoreCorruptError, StoreUnavailableError: See landing.
    """
    manifest = Manifest.of(read_json(_get(services, manifest_sha256)))
    envelope = _envelope(services, manifest.resource)
    beside = _still_there(services, manifest.related)
    targets = _by_identifier(beside)
    related = {one.reference: with_literals(one.resource, targets) if targets else one.resource for one in beside}
    related |= {url: related[target] for url, target in envelope.urls.items() if target in related}
    people = [*(_envelope(services, sha256) for sha256 in manifest.patient), *_still_there(services, manifest.people)]
    resource = {**envelope.resource, "id": envelope.logical_id}
    resource = with_literals(resource, targets) if targets else resource
    rendered = render_resource(resource, related)
    attached = read_attachments(services, manifest.resource_key, rendered.attachments, related)
    known = known_of_people((one.resource for one in people), (resource, *related.values()), departments=services.settings.departments)
    subject = _patient(services, envelope)
    document = _document(services, manifest, rendered, attached, known, subject)
    return Composed(document, subject or manifest.resource_key, known, attached)


def _by_identifier(envelopes: Sequence[Envelope]) -> dict[str, str]:
    """Return ``Type/id`` by identifier; one that two resources have names neither."""
    found: dict[str, set[str]] = {}
    for one in envelopes:
        for identifier in identifiers_of(one.resource):
            found.setdefault(identifier, set()).add(one.reference)
    return {identifier: next(iter(references)) for identifier, references in found.items() if len(references) == 1}


def _document(
    services: Services, manifest: Manifest, rendered: Rendered, attached: Attached, known: KnownIdentifiers, patient: str | None
) -> Document:
    encounter = keyed_hash(services.secret, "encounter", rendered.encounter) if rendered.encounter else None
    facets: Facets = facets_of_resource(
        rendered, patient=patient, encounter=encounter, access=manifest.access, departments=services.settings.departments
    )
    kind = rendered.attached_kind if attached.parts else DocumentKind.FHIR_RESOURCE
    parts = (*rendered.parts, *attached.parts)
    if not parts:
        raise RecordError(FailureCategory.NO_TEXT, "neither the resource nor an attachment has a text")
    told: list[Any] = [rendered.title, [(part.name, part.text) for part in parts], sorted(map(str, known.values.items()))]
    return Document(
        document_id=document_id(Source.FHIR, manifest.resource_key),
        source=Source.FHIR.value,
        source_key=manifest.resource_key,
        kind=kind,
        title=rendered.title,
        parts=parts,
        facets=facets,
        content_hash=keyed_hash(services.secret, "content", canonical_json(told).decode("utf-8", "surrogatepass")),
        facets_hash=fingerprint([kind, _plain(facets)]),
    )


def _plain(facets: Facets) -> dict[str, Any]:
    return {name: getattr(facets, name) for name in Facets.__dataclass_fields__}


def _patient(services: Services, envelope: Envelope) -> str | None:
    """Return the pseudonym of the patient whom the resource names, whether the Patient resource is loaded or not."""
    references, _ = references_of(envelope.resource, envelope.urls)
    named = patient_of(envelope.resource, references, envelope.logical_id)
    return patient_pseudonym(services.secret, named) if named else None


def _still_there(services: Services, several: Sequence[str]) -> list[Envelope]:
    """Return envelopes but those that were deleted for good since: the next listing of documents does not name them any more.

    Raises:
        RecordError: Landing has lost one that truth names.
    """
    found: list[Envelope] = []
    for sha256 in several:
        if not services.landing.contains(sha256):
            with services.db.read() as tx:
                if not fhir_resources.is_named(tx, sha256):
                    continue
        found.append(_envelope(services, sha256))
    return found


def _envelope(services: Services, sha256: str) -> Envelope:
    try:
        return Envelope.of(_get(services, sha256))
    except (ValueError, KeyError, TypeError):
        raise RecordError(FailureCategory.NOT_FOUND, "landing holds another form of the resource") from None


def _get(services: Services, sha256: str) -> bytes:
    try:
        return services.landing.get(sha256)
    except KeyError:
        raise RecordError(FailureCategory.NOT_FOUND, "landing has lost the resource") from None
    except StoreCorruptError:
        services.landing.delete(sha256)  # the next load lands it again: a damaged object would stay for ever
        raise
