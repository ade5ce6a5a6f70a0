"""A site's file, read, in; the document that is indexed out: its text and furniture, a title that names nobody, and keyed hashes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from uuid import UUID

from pipeline.domain.documents import FURNITURE_PART, TEXT_PART, Document, Facets, Part
from pipeline.domain.errors import RecordError
from pipeline.domain.identifiers import canonical_json, fingerprint, keyed_hash
from pipeline.domain.reading import PageOutcome, ReadFile
from pipeline.domain.site_files import LandedFile, Sidecar
from pipeline.domain.vocabulary import PUBLIC_KINDS, DocumentKind, FailureCategory, Reading, Source


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What a file's manifest, sidecar and the site's lists say together.

    Attributes:
        kind: By sidecar, else by command; ``None``: nobody said.
        patient: Pseudonym, or ``None``.
        access: The site's label, or ``None``.
        department: One of the site's list, or ``None``.
        department_unlisted: One was named that the list does not know.
    """

    kind: DocumentKind | None
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
        kind = sidecar.kind or (DocumentKind(landed.kind) if landed.kind else None)
        if kind in PUBLIC_KINDS and _has_patient(sidecar):
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

    def kind_or(self, guessed: DocumentKind) -> DocumentKind:
        """Return the kind that was said, else the guess; one of a patient's documents is never guessed to be public."""
        if self.kind is not None:
            return self.kind
        return DocumentKind.UNKNOWN if guessed in PUBLIC_KINDS and _has_patient(self.sidecar) else guessed


def _has_patient(sidecar: Sidecar) -> bool:
    return bool(sidecar.patient or sidecar.known_identifiers)


@dataclass(frozen=True, slots=True)
class FoundFacts:
    """What a public document says of itself, shape-checked but for its title."""

    title: str = field(default="", repr=False)
    document_date: str | None = None
    protocol_number: str | None = None
    amendment: str | None = None
    reference_number: str | None = None
    nct_ids: tuple[str, ...] = ()


def assemble_file(
    landed: LandedFile,
    read: ReadFile,
    kind: DocumentKind,
    facts: FileFacts,
    found: FoundFacts,
    document_id: UUID,
    *,
    secret: bytes,
    record: Mapping[str, Sequence[str]] | None = None,
) -> Document:
    """Return the document of a file. ``record``: what the patient's own record knows beside the sidecar, by class.

    Its content hash is keyed, for truth keeps it and a short text could be guessed. It covers the file's bytes, not what was read of them
    (the reader is part of the recipe), and what is known of the patient, because that changes what de-identification makes of the text.
    """
    facets = facets_of(kind, facts, found)
    said = facts.sidecar
    title = title_of(kind, said, found.title)
    known = [said.known_identifiers, said.author, said.patient, *([record] if record else [])]
    return Document(
        document_id=document_id,
        source=Source.DOCUMENTS.value,
        source_key=landed.source_key,
        kind=kind,
        title=title,
        parts=parts_of(read),
        facets=facets,
        content_hash=keyed_hash(secret, "content", canonical_json([title, landed.content, known]).decode("utf-8", "surrogatepass")),
        facets_hash=fingerprint([kind, asdict(facets)]),
    )


def parts_of(read: ReadFile) -> tuple[Part, ...]:
    """Return the text, and the running headers and footers where there are any."""
    text = Part(TEXT_PART, read.text, reading=_reading(read), confidence=_confidence(read), marks=read.marks)
    if not read.furniture:
        return (text,)
    return (text, replace(text, name=FURNITURE_PART, text=read.furniture, marks=read.furniture_marks))


def _reading(read: ReadFile) -> Reading:
    """``ocr`` where any page was read so: its text is as sure as its least sure page."""
    return Reading.OCR if any(page.outcome is PageOutcome.OCR for page in read.pages) else Reading.TEXT_LAYER


def _confidence(read: ReadFile) -> float:
    pages = [page for page in read.pages if page.outcome is PageOutcome.OCR]
    return min((page.confidence for page in pages), default=1.0)


def facets_of(kind: DocumentKind, facts: FileFacts, found: FoundFacts) -> Facets:
    """Return what search filters on. Of a clinical kind neither full date nor any number or name of an institution."""
    said = facts.sidecar
    common = Facets(
        patient=facts.patient,
        access=facts.access,
        department=facts.department,
        author_role=said.author_role.value if said.author_role else None,
        icd_codes=said.icd_codes,
    )
    if kind not in PUBLIC_KINDS:
        return replace(common, document_date=said.date[:4] if said.date else None)
    nct_ids = said.nct_ids or found.nct_ids
    return replace(
        common,
        nct_id=nct_ids[0] if len(nct_ids) == 1 else None,
        nct_ids=nct_ids,
        document_date=said.date or found.document_date,
        agency=said.agency,
        state=said.state,
        protocol_number=said.protocol_number or found.protocol_number,
        amendment=said.amendment or found.amendment,
        reference_number=found.reference_number,
    )


def title_of(kind: DocumentKind, said: Sidecar, found: str) -> str:
    """Return a title: of a public kind the sidecar's or its own, of a clinical one its kind and year, never the file's name."""
    words = kind.value.replace("_", " ").capitalize() if kind is not DocumentKind.UNKNOWN else "Document"
    own = said.title or found
    if kind in PUBLIC_KINDS and own:
        return own
    return f"{words}, {said.date[:4]}" if said.date else words
