"""From truth to what will be written: assemble, de-identify, chunk, gate. Pure but for the loading of documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from uuid import UUID

from pipeline.domain.chunks import ChunkedDocument, TextVersion, version_of
from pipeline.domain.documents import DeidentifiedDocument
from pipeline.domain.errors import ClindexError, RecordError
from pipeline.domain.identifiers import canonical_json, keyed_hash
from pipeline.domain.vocabulary import DocumentKind, FailureCategory
from pipeline.jobs.gating import judge
from pipeline.jobs.load import Loaded, loader
from pipeline.jobs.review.fixing import resectioned
from pipeline.stages.deidentify import KnownIdentifiers, Policy, deidentify
from pipeline.stages.deidentify.gate import GATE_VERSION
from pipeline.storage.index_state import IndexRow
from pipeline.storage.quarantine import Held, is_released
from pipeline.wiring import Services


@dataclass(frozen=True, slots=True)
class Prepared:
    """One document ready to be embedded and written."""

    document: DeidentifiedDocument
    chunked: ChunkedDocument = field(repr=False)
    fingerprint: str
    recipe: str
    version: TextVersion


@dataclass(frozen=True, slots=True)
class StageFailure:
    """One document that a stage could not take. Holds no text."""

    document_id: UUID
    source_key: str
    category: FailureCategory
    detail: str | None = None  # class of an unexpected error, or names of identifier classes
    held: Held | None = None  # what the gate found, where it refused the document


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
    chunked = resectioned(services.chunker_of(row.kind).chunk(document), document.kind, loaded.fix)
    recipe = services.recipe(DocumentKind(row.kind), row.source)
    fingerprint = recipe.fingerprint_of(document.content_hash)
    findings = judge(document, chunked, policy, loaded.known.values if loaded.known else {})
    if findings and not _is_released(services, row, fingerprint):
        held = Held(row.document_id, document.content_hash, fingerprint, policy.id, GATE_VERSION, [asdict(one) for one in findings])
        classes = ",".join(sorted({one.category for one in findings}))
        return StageFailure(row.document_id, row.source_key, FailureCategory.GATE_REFUSED, classes, held)
    scrubbed_by = _scrubbed_by(services.secret, policy, loaded.known)
    return Prepared(document, chunked, fingerprint, recipe.id, version_of(document, scrubbed_by=scrubbed_by))


def _scrubbed_by(secret: bytes, policy: Policy, known: KnownIdentifiers | None) -> str:
    """Return a keyed hash of all that decided what was replaced: with another, an earlier text may show what this one replaces."""
    values = {category.value: sorted(found) for category, found in known.values.items()} if known else {}
    return keyed_hash(secret, "scrubbed by", canonical_json([policy.id, GATE_VERSION, values]).decode("utf-8", "surrogatepass"))


def _is_released(services: Services, row: IndexRow, fingerprint: str) -> bool:
    with services.db.read() as tx:
        return is_released(tx, row.document_id, fingerprint)
