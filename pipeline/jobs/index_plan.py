"""Decides, document by document, what indexing has to do. Reads truth only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from uuid import UUID

from pipeline.domain.recipe import fingerprint_of
from pipeline.domain.vocabulary import DocumentKind, DocumentState
from pipeline.storage import index_state
from pipeline.storage.index_state import IndexRow
from pipeline.wiring import Services


class Action(StrEnum):
    """What one document needs."""

    SKIP = "skip"
    INDEX = "index"  # write a new generation
    PAYLOAD = "payload"  # only filter fields changed
    CLEAN = "clean"  # live, but a killed run may have left points of an earlier generation
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class IndexPlan:
    """Document ids by action, and how many need nothing."""

    index: list[UUID] = field(default_factory=list)
    payload: list[UUID] = field(default_factory=list)
    clean: list[UUID] = field(default_factory=list)
    delete: list[UUID] = field(default_factory=list)
    skipped: int = 0

    @property
    def work(self) -> list[tuple[Action, UUID]]:
        """Everything to do, deletions first: what must not be found any more goes before what is new."""
        order = ((Action.DELETE, self.delete), (Action.CLEAN, self.clean), (Action.PAYLOAD, self.payload), (Action.INDEX, self.index))
        return [(action, document) for action, ids in order for document in ids]


def action_for(row: IndexRow, fingerprint: str, *, force: bool = False) -> Action:
    """Return what a document needs, given the fingerprint its points should have. A pure function of its arguments."""
    if row.tombstoned:
        return Action.SKIP if row.state is DocumentState.DELETED else Action.DELETE
    if force or row.live_generation is None or row.live_fingerprint != fingerprint or row.writing_generation is not None:
        return Action.INDEX
    if row.live_facets_hash != row.facets_hash:
        return Action.PAYLOAD
    if row.state is not DocumentState.LIVE:
        return Action.CLEAN
    return Action.SKIP


@dataclass(frozen=True, slots=True)
class IdRange:
    """A stretch of document ids, both ends included, in ascending order: small enough for XCom whatever it spans."""

    first: UUID
    last: UUID


def id_ranges(plan: IndexPlan, *, size: int) -> list[IdRange]:
    """Cut a plan's documents into stretches that hold at most ``size`` of them each."""
    ids = sorted(document for _, document in plan.work)
    return [IdRange(ids[i], ids[min(i + size, len(ids)) - 1]) for i in range(0, len(ids), size)]


def plan_index(
    services: Services, *, documents: Sequence[UUID] | None = None, within: IdRange | None = None, force: bool = False
) -> IndexPlan:
    """Plan for these documents, or for all that truth knows.

    Args:
        services: The home.
        documents: Only these; ``None`` means all.
        within: Only documents in this stretch of ids.
        force: Write a new generation even where nothing changed.
    """
    plan = IndexPlan()
    skipped = 0
    wanted = Wanted(services)
    with services.db.read() as tx:
        rows: Iterable[IndexRow] = (
            index_state.scan(tx, *_ends(within), collection=services.collection)
            if documents is None
            else index_state.get_many(tx, documents, collection=services.collection).values()
        )
        for row in rows:
            match action_for(row, wanted.fingerprint(row), force=force):
                case Action.SKIP:
                    skipped += 1
                case Action.INDEX:
                    plan.index.append(row.document_id)
                case Action.PAYLOAD:
                    plan.payload.append(row.document_id)
                case Action.CLEAN:
                    plan.clean.append(row.document_id)
                case Action.DELETE:
                    plan.delete.append(row.document_id)
    return IndexPlan(plan.index, plan.payload, plan.clean, plan.delete, skipped)


def _ends(within: IdRange | None) -> tuple[UUID | None, UUID | None]:
    return (within.first, within.last) if within else (None, None)


class Wanted:
    """The fingerprint that a document's points should have now. A recipe's id is computed once a kind and source.

    While a candidate is being built, what only has another recipe in the live collection waits for it: the new recipe is what the candidate
    is for, and the live collection stays of one recipe but for what changes meanwhile.
    """

    def __init__(self, services: Services) -> None:
        candidate = services.candidate()
        self._services = services
        self._waits = candidate is not None and candidate.name != services.collection
        self._recipes: dict[tuple[str, str], str] = {}

    def fingerprint(self, row: IndexRow) -> str:
        """Return it for one document."""
        if self._waits and row.live_recipe and row.live_fingerprint == (as_it_is := fingerprint_of(row.content_hash, row.live_recipe)):
            return as_it_is
        key = (row.kind, row.source)
        if key not in self._recipes:
            self._recipes[key] = self._services.recipe(DocumentKind(row.kind), row.source).id
        return fingerprint_of(row.content_hash, self._recipes[key])


def batches(ids: Sequence[UUID], size: int) -> Iterator[list[UUID]]:
    """Cut ids into lists of at most ``size``."""
    for start in range(0, len(ids), size):
        yield list(ids[start : start + size])
