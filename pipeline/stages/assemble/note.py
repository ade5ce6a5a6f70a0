"""A site's file in, the document that is indexed out: one part of text, a title that names nobody, and keyed hashes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass, field
from typing import Final
from uuid import UUID

from pipeline.domain.documents import Document, Facets, Part
from pipeline.domain.errors import RecordError
from pipeline.domain.identifiers import canonical_json, fingerprint, keyed_hash
from pipeline.domain.site_files import LandedFile, Sidecar
from pipeline.domain.vocabulary import PUBLIC_KINDS, DocumentKind, FailureCategory, Reading, Source

#: Part of the recipe of every document from a text file.
FILE_READER_VERSION: Final = "text-file-1"


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What a file's manifest, sidecar and the site's lists say together.

    Attributes:
        kind: By sidecar, else by command, else unknown.
        patient: Pseudonym, or ``None``.
        access: The site's label, or ``None``.
        department: One of the site's list, or ``None``.
        department_unlisted: One was named that the list does not know.
    """

    kind: DocumentKind
    patient: str | None
    access: str | None
    department: str | None
    department_unlisted: bool
    sidecar: Sidecar = field(repr=False)

    @classmethod
    def of(
        cls, landed: LandedFile, sidecar: Sidecar, *, secret: bytes, departments: Collection[str], access_labels: Collection[str]
    ) -> FileFacts:
        """Put together what is said of a file.

        Raises:
            RecordError: ``bad_sidecar``: its label is none of the site's, or a public kind has a patient (its policy would let names pass).
        """
        kind = sidecar.kind or DocumentKind(landed.kind or DocumentKind.UNKNOWN)
        if kind in PUBLIC_KINDS and (sidecar.patient or sidecar.known_identifiers):
            raise RecordError(FailureCategory.BAD_SIDECAR, "a public kind with a patient")
        access = sidecar.access or landed.access
        if access is not None and access not in access_labels:
            raise RecordError(FailureCategory.BAD_SIDECAR, "an access label that the site does not have")
        department = " ".join(sidecar.department.casefold().split()) if sidecar.department else None
        listed = department if department in departments else None
        return cls(
            kind=kind,
            patient=keyed_hash(secret, "patient", sidecar.patient) if sidecar.patient else None,
            access=access,
            department=listed,
            department_unlisted=department != listed,
            sidecar=sidecar,
        )


def assemble_file(landed: LandedFile, text: str, facts: FileFacts, document_id: UUID, *, secret: bytes) -> Document:
    """Return the document of a file.

    Its content hash is keyed, for truth keeps it and a short text could be guessed; what is known of the patient is part of it, because
    it changes what de-identification makes of the text.
    """
    facets = Facets(patient=facts.patient, access=facts.access, department=facts.department)
    said = facts.sidecar
    known = [said.known_identifiers, said.author, said.patient]
    title = title_of(facts)
    return Document(
        document_id=document_id,
        source=Source.DOCUMENTS.value,
        source_key=landed.source_key,
        kind=facts.kind,
        title=title,
        parts=(Part("text", text, reading=Reading.TEXT_LAYER),),
        facets=facets,
        content_hash=keyed_hash(secret, "content", canonical_json([title, text, known]).decode("utf-8", "surrogatepass")),
        facets_hash=fingerprint([facts.kind, asdict(facets)]),
    )


def title_of(facts: FileFacts) -> str:
    """Return a title: of a public kind the sidecar's, of a clinical one its kind and year, never the file's name or first line."""
    words = facts.kind.value.replace("_", " ").capitalize() if facts.kind is not DocumentKind.UNKNOWN else "Document"
    said = facts.sidecar
    if facts.kind in PUBLIC_KINDS and said.title:
        return said.title
    return f"{words}, {said.date[:4]}" if said.date else words
