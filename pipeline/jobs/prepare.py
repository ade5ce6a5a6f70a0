"""From truth to what will be written: assemble, de-identify, chunk, gate. Pure but for the loading of documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from pipeline.domain.chunks import ChunkedDocument
from pipeline.domain.documents import DeidentifiedDocument
from pipeline.domain.errors import ClindexError, RecordError
from pipeline.domain.vocabulary import DocumentKind, FailureCategory
from pipeline.jobs.load import Loaded, loader
from pipeline.stages.deidentify import deidentify, gate
from pipeline.storage.index_state import IndexRow
from pipeline.wiring import Services


@dataclass(frozen=True, slots=True)
class Prepared:
    """One document ready to be embedded and written."""

    document: DeidentifiedDocument
    chunked: ChunkedDocument = field(repr=False)
    fingerprint: str
    recipe: str


@dataclass(frozen=True, slots=True)
class StageFailure:
    """One document that a stage could not take. Holds no text."""

    document_id: UUID
    source_key: str
    category: FailureCategory
    detail: str | None = None  # class of an unexpected error, or names of identifier classes


def prepare(services: Services, rows: Sequence[IndexRow]) -> tuple[list[Prepared], list[StageFailure]]:
    """Prepare documents; what fails is returned with its category and the others go on."""
    load = loader(services, rows)
    done: list[Prepared] = []
    failures: list[StageFailure] = []
    for row in rows:
        try:
            result = _prepare_one(services, row, load)
        except RecordError as error:
            result = StageFailure(row.document_id, row.source_key, FailureCategory(error.category))
        except ClindexError:
            raise  # a missing model or a locked store concerns every document, not this one
        except Exception as error:  # noqa: BLE001 - one document's defect must not stop the others
            result = StageFailure(row.document_id, row.source_key, FailureCategory.CHUNK_FAILED, type(error).__name__)
        if isinstance(result, Prepared):
            done.append(result)
        else:
            failures.append(result)
    return done, failures


def _prepare_one(services: Services, row: IndexRow, load: Callable[[IndexRow], Loaded]) -> Prepared | StageFailure:
    loaded = load(row)
    policy = services.policy(row.kind, row.source)
    document = deidentify(loaded.document, services.scrubber, policy, subject=loaded.subject, known=loaded.known)
    chunked = services.chunker_of(row.kind).chunk(document)
    refused = sorted({name for chunk in chunked.chunks for name in gate(chunk.embed_text)})
    if refused:
        return StageFailure(row.document_id, row.source_key, FailureCategory.GATE_REFUSED, ",".join(refused))
    recipe = services.recipe(DocumentKind(row.kind), row.source)
    return Prepared(document, chunked, recipe.fingerprint_of(document.content_hash), recipe.id)
