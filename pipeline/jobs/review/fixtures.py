"""A decision as a regression fixture: what the document looked like, without a word of it, and what came of the decision.

A fixture is replayed without a home: suites of expectations, acceptance and sections are judged again as indexing judges them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal
from uuid import UUID

from pydantic import Field

from pipeline.domain.chunks import Chunk, ChunkedDocument, Loss, Span, TextVersion
from pipeline.domain.errors import UsageError
from pipeline.domain.review import Action, Decision, FindingKind
from pipeline.domain.vocabulary import DocumentKind, ParseOutcome, Section
from pipeline.jobs.load import loader
from pipeline.jobs.prepare import Prepared
from pipeline.jobs.quality import prepared_rows, truth_rows
from pipeline.jobs.quality.gate import broken
from pipeline.jobs.quality.suites import DataSet, Severity
from pipeline.jobs.review.files import DecisionFile
from pipeline.jobs.review.fixing import resectioned
from pipeline.jobs.summaries import Summary
from pipeline.stages.deidentify import deidentify
from pipeline.storage import index_state, quarantine, review
from pipeline.wiring import Services, utc_now

_JUDGED: Final = (DataSet.STUDIES, DataSet.DOCUMENTS, DataSet.PAGES, DataSet.CHUNKS)

Row = dict[str, Any]


class ChunkShape(Summary):
    """One chunk without its text."""

    section: Section
    ordinal: int
    piece: int
    pieces: int
    part: str
    is_exclusion: bool | None
    repeats: list[int]


class Shape(Summary):
    """A document without its text: what the gates judge of it."""

    kind: DocumentKind
    source: str
    basis: str = Field(description="hash of the content; of what the identifier gate holds back, of content and recipe")
    rows: dict[DataSet, list[Row]] = Field(description="as expectations see it: ids, counts, lengths, values of vocabularies")
    chunks: list[ChunkShape]
    identifiers: dict[str, int] = Field(description="what the identifier gate suspects, by class")


class Outcome(Summary):
    """What comes of a decision."""

    goes_live: bool
    broken: list[str] = Field(description="blocking expectations that still hold it back")
    sections: dict[Section, int] = Field(description="chunks by section")
    places: list[str] = Field(description="section/ordinal/piece of each chunk, in order")


class Fixture(Summary):
    """One decision with the document that it was made about."""

    version: Literal[1] = 1
    decision: DecisionFile
    document: Shape
    expected: Outcome


def make_fixture(services: Services, decision_id: str) -> Fixture:
    """Return a decision's fixture, from the document as it is in truth now.

    Raises:
        UsageError: No such decision holds, or truth has no document for it.
        RecordError: The document cannot be loaded.
    """
    with services.db.read() as tx:
        kept = review.get(tx, decision_id)
    if kept is None or not kept.active:
        raise UsageError("no such decision holds", remedy="`clindex decisions list` shows them.")
    decision = kept.decision
    if decision.about.kind is FindingKind.RESOURCE:
        raise UsageError("a resource that was put aside has no document to replay", remedy="Its path and rule are in the decision.")
    shape = _shape(services, decision)
    return Fixture(decision=DecisionFile.of(decision), document=shape, expected=replay(decision, shape))


def write_fixture(services: Services, decision_id: str, folder: Path) -> Fixture:
    """Write a decision's fixture into a folder, called by the decision's id, and return it. Raises as ``make_fixture``; UsageError also where it cannot be written."""
    made = make_fixture(services, decision_id)
    path = folder / f"{decision_id}.json"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(made.model_dump_json(indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"the fixture cannot be written there ({type(error).__name__})", remedy="Name a folder that you own.") from None
    return made


def replay(decision: Decision, document: Shape) -> Outcome:
    """Return what comes of a decision about a document of this shape. Pure: no home, no model."""
    about = decision.about
    accepts = decision.action is Action.ACCEPT and about.basis == document.basis
    left: dict[str, list[str]] = {}
    for data_set, rows in document.rows.items():
        left |= broken(data_set, rows, severity=Severity.BLOCK)
    if accepts and about.kind is FindingKind.QUALITY:
        left.pop(about.rule, None)
    identified = bool(document.identifiers) and not (accepts and about.kind is FindingKind.SUSPECTED_PHI)
    chunked = ChunkedDocument(tuple(map(_chunk, document.chunks)), (), Loss(), ParseOutcome.NO_CRITERIA)
    after = resectioned(chunked, document.kind, decision.fix).chunks
    return Outcome(
        goes_live=not (left or identified or decision.action is Action.SUPPRESS),
        broken=sorted(left),
        sections=dict(sorted(Counter(one.section for one in after).items())),
        places=[f"{one.section}/{one.ordinal}/{one.piece}" for one in after],
    )


def _shape(services: Services, decision: Decision) -> Shape:
    key = UUID(decision.about.subject)
    with services.db.read() as tx:
        row = index_state.get_many(tx, [key], collection=services.collection).get(key)
        held = quarantine.get(tx, key)
        beside = {
            DataSet.STUDIES: list(truth_rows.studies_of(tx, [key], utc_now())),
            DataSet.PAGES: list(truth_rows.pages_of(tx, [key])),
        }
    if row is None:
        raise UsageError("truth does not know this document", remedy="Make the fixture in the home where it was decided.")
    loaded = loader(services, [row])(row)
    document = deidentify(
        loaded.document, services.scrubber, services.policy(row.kind, row.source), subject=loaded.subject, known=loaded.known
    )
    chunked = services.chunker_of(row.kind).chunk(document)
    prepared = Prepared(document, chunked, "", "", TextVersion("", ""))
    rows: Mapping[DataSet, list[Row]] = beside | {
        DataSet.DOCUMENTS: [prepared_rows.document_row(prepared)],
        DataSet.CHUNKS: list(prepared_rows.chunk_rows(services, prepared)),
    }
    suspects = decision.about.kind is FindingKind.SUSPECTED_PHI
    return Shape(
        kind=document.kind,
        source=document.source,
        basis=services.recipe(document.kind, row.source).fingerprint_of(document.content_hash) if suspects else document.content_hash,
        rows={name: rows[name] for name in _JUDGED if rows[name]},
        chunks=[_chunk_shape(one) for one in chunked.chunks],
        identifiers=held.classes if held else {},
    )


def _chunk_shape(one: Chunk) -> ChunkShape:
    return ChunkShape(
        section=one.section,
        ordinal=one.ordinal,
        piece=one.piece,
        pieces=one.pieces,
        part=one.part,
        is_exclusion=one.is_exclusion,
        repeats=list(one.repeats),
    )


def _chunk(shape: ChunkShape) -> Chunk:
    return Chunk(
        shape.section,
        shape.ordinal,
        shape.is_exclusion,
        text="",
        embed_text="",
        part=shape.part,
        span=Span(0, 0),
        token_count=0,
        piece=shape.piece,
        pieces=shape.pieces,
        repeats=tuple(shape.repeats),
    )
