"""What would be indexed of a file of trials, with every chunk and the account of characters. Writes nothing."""

from __future__ import annotations

from pathlib import Path

from pipeline.domain.chunks import Chunk, ChunkedDocument
from pipeline.domain.documents import DeidentifiedDocument, Document
from pipeline.domain.errors import RecordError, UsageError
from pipeline.domain.identifiers import document_id
from pipeline.domain.ports import FetchedRecord
from pipeline.domain.study import Eligibility, Study
from pipeline.domain.vocabulary import DocumentKind, Source
from pipeline.settings import Settings
from pipeline.stages.assemble import assemble_trial
from pipeline.stages.chunking import Chunker
from pipeline.stages.deidentify import Scrubber, deidentify, policy_for
from pipeline.stages.embed import open_token_counter
from pipeline.stages.normalize import normalize_study
from pipeline.stages.sources.files import StudyFiles

TEXT_SUFFIXES = (".txt", ".md")


def preview(settings: Settings, path: Path) -> dict[str, object]:
    """Return ``documents``, one a record in the file's order, and whether any could not be taken (its category is its ``outcome``).

    A ``.txt`` or ``.md`` file is taken as the eligibility criteria of one study.

    Raises:
        UsageError: There is no such file.
    """
    chunker = Chunker(
        open_token_counter(settings),
        parent_context_characters=settings.parent_context_characters,
        prose_target_tokens=settings.prose_target_tokens,
    )
    if path.suffix.lower() in TEXT_SUFFIXES:
        documents = [_criteria(chunker, path)]
    else:
        documents = [_one(chunker, record) for page in StudyFiles([path], settings).pages() for record in page.records]
    return {"documents": documents, "incomplete": any(one["loss"] is None for one in documents)}


def _criteria(chunker: Chunker, path: Path) -> dict[str, object]:
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        raise UsageError(f"cannot read {path.name}", remedy="Give a file that exists.") from None
    study = Study(nct_id=path.name, eligibility=Eligibility(criteria=text))
    chunked = chunker.chunk(_scrubbed(assemble_trial(study, document_id("file", path.name))))
    return {"source_key": path.name, "kind": DocumentKind.TRIAL.value, **describe(chunked)}


def _one(chunker: Chunker, record: FetchedRecord) -> dict[str, object]:
    head: dict[str, object] = {"source_key": record.source_key or record.origin, "kind": DocumentKind.TRIAL.value}
    if record.failure is not None or record.source_key is None:
        return {**head, "outcome": record.failure, "chunks": [], "loss": None}
    try:
        study = normalize_study(record.data)
        key = document_id(Source.CLINICALTRIALS_GOV, record.source_key)
        chunked = chunker.chunk(_scrubbed(assemble_trial(study, key)))
    except RecordError as error:
        return {**head, "outcome": error.category, "chunks": [], "loss": None}
    return {**head, **describe(chunked)}


def _scrubbed(document: Document) -> DeidentifiedDocument:
    return deidentify(document, Scrubber(), policy_for(document.kind, document.source))


def describe(chunked: ChunkedDocument) -> dict[str, object]:
    """Return a chunked document as JSON-able values."""
    loss = chunked.loss
    return {
        "outcome": chunked.outcome.value,
        "language": chunked.language,
        "formats": list(chunked.formats),
        "chunks": [_chunk(chunk) for chunk in chunked.chunks],
        "loss": {
            "characters": loss.characters,
            "chunked": loss.chunked,
            "dropped": loss.dropped,
            "redacted": loss.redacted,
            "unexplained": loss.unexplained,
            "dropped_by_reason": {reason.value: count for reason, count in loss.by_reason.items()},
        },
    }


def _chunk(chunk: Chunk) -> dict[str, object]:
    return {
        "section": chunk.section.value,
        "ordinal": chunk.ordinal,
        "is_exclusion": chunk.is_exclusion,
        "scope": list(chunk.scope),
        "text": chunk.text,
        "embed_text": chunk.embed_text,
        "context": list(chunk.context),
        "part": chunk.part,
        "span": [chunk.span.start, chunk.span.end],
        "page": chunk.page,
        "page_to": chunk.page_to,
        "headings": list(chunk.headings),
        "content_type": chunk.content_type.value if chunk.content_type else None,
        "element": chunk.element.value,
        "element_number": chunk.element_number,
        "confidence": round(chunk.confidence, 3),
        "suspects": [[span.start, span.end] for span in chunk.suspects],
        "icd_codes": list(chunk.icd_codes),
        "token_count": chunk.token_count,
        "piece": chunk.piece,
        "pieces": chunk.pieces,
        "repeats": list(chunk.repeats),
    }
