"""The merge of truth and index: every point expected and every point found lands in exactly one class. Constant memory.

Both sides come in ascending order of point id. What cannot be decided from one pair (does truth know this document? is a whole document
missing?) is looked up in batches, or decided at the end from a counter per affected document.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from uuid import UUID

from pipeline.domain.points import StoredPoint, payload_hash
from pipeline.domain.vocabulary import DriftClass
from pipeline.storage.chunks import ExpectedPoint

_LOOKUP_BATCH = 2000  # unmatched points whose documents are looked up together


@dataclass(frozen=True, slots=True)
class DocumentFact:
    """What truth says of the document that an unmatched point names."""

    live_generation: int | None  # None: nothing of it is live


@dataclass(frozen=True, slots=True)
class Finding:
    """One point or document that is not as it must be. Ids and numbers only."""

    drift: DriftClass
    point_id: UUID | int | None
    document_id: UUID | None
    expected: bool  # whether truth expects this point; what it does not expect is to be deleted


@dataclass(slots=True)
class Tally:
    """Counts by class, on both sides."""

    expected: int = 0
    found: int = 0
    classes: Counter[DriftClass] = field(default_factory=Counter)
    missing_by_document: Counter[UUID] = field(default_factory=Counter)
    unexpected: int = 0  # of the classes that a matched pair can have too, how many were found without being expected

    @property
    def sums_close(self) -> bool:
        """Whether each side's classes add up to its points."""
        only_found = sum(self.classes[c] for c in _ONLY_FOUND) + self.unexpected
        only_expected = self.classes[DriftClass.MISSING_POINT] + self.classes[DriftClass.MISSING_DOCUMENT]
        both = sum(self.classes.values()) - only_found - only_expected
        return self.expected == both + only_expected and self.found == both + only_found


_ONLY_FOUND = (DriftClass.ORPHAN_POINT, DriftClass.ORPHAN_DOCUMENT, DriftClass.OLD_GENERATION)

Lookup = Callable[[list[UUID]], dict[UUID, DocumentFact]]


def order_key(identifier: UUID | int) -> tuple[int, int]:
    """Qdrant's order: integers before UUIDs, UUIDs by their 128 bits."""
    return (0, identifier) if isinstance(identifier, int) else (1, identifier.int)


def classify_pair(expected: ExpectedPoint, found: StoredPoint, *, model: str, behind: DriftClass = DriftClass.OK) -> DriftClass:
    """Return the class of a point that is expected and there; ``behind`` is its document's own class."""
    payload = found.payload
    if payload_hash(payload) == expected.payload_hash:
        if payload.get("model") != model:
            return DriftClass.FOREIGN_MODEL
        return behind
    if not is_ours(found):
        return DriftClass.UNREADABLE
    if payload.get("model") != model:
        return DriftClass.FOREIGN_MODEL
    if payload.get("fingerprint") != expected.fingerprint:
        return DriftClass.STALE_FINGERPRINT
    return DriftClass.PAYLOAD_DRIFT


def is_ours(point: StoredPoint) -> bool:
    """Whether a point's payload can be read as one of ours."""
    return isinstance(point.id, UUID) and document_of(point) is not None and type(point.payload.get("generation")) is int


def document_of(point: StoredPoint) -> UUID | None:
    """Return the document that a point's payload names, or ``None``."""
    try:
        return UUID(str(point.payload.get("document_id")))
    except ValueError:
        return None


def classify_unexpected(found: StoredPoint, fact: DocumentFact | None, *, model: str) -> DriftClass:
    """Return the class of a readable point that truth does not expect."""
    if fact is None:
        return DriftClass.ORPHAN_DOCUMENT
    if found.payload.get("model") != model:
        return DriftClass.FOREIGN_MODEL
    if fact.live_generation is None:
        return DriftClass.ORPHAN_DOCUMENT
    return DriftClass.OLD_GENERATION if found.payload.get("generation") != fact.live_generation else DriftClass.ORPHAN_POINT


def merge(
    expected: Iterable[ExpectedPoint],
    found: Iterable[StoredPoint],
    *,
    model: str,
    behind: Mapping[UUID, DriftClass],
    lookup: Lookup,
    tally: Tally,
) -> Iterator[Finding]:
    """Yield what is not ``ok`` and count everything into ``tally``.

    Args:
        expected: Truth's side, ascending.
        found: The index's side, ascending.
        model: Fingerprint of the model the home runs now.
        behind: Documents whose live points were made from an older content, recipe or state, and the class that this puts them into.
        lookup: What truth says of documents; one it does not return is unknown or deleted.
        tally: Filled while the result is consumed.
    """
    waiting: list[StoredPoint] = []
    left, right = iter(expected), iter(found)
    want, have = next(left, None), next(right, None)
    while want is not None or have is not None:
        if have is None or (want is not None and order_key(want.point_id) < order_key(have.id)):
            assert want is not None  # noqa: S101 - told by the loop's condition
            tally.expected += 1
            tally.classes[DriftClass.MISSING_POINT] += 1
            tally.missing_by_document[want.document_id] += 1
            yield Finding(DriftClass.MISSING_POINT, want.point_id, want.document_id, expected=True)
            want = next(left, None)
        elif want is None or order_key(have.id) < order_key(want.point_id):
            tally.found += 1
            waiting.append(have)
            if len(waiting) >= _LOOKUP_BATCH:
                yield from _settle(waiting, model, lookup, tally)
            have = next(right, None)
        else:
            tally.expected += 1
            tally.found += 1
            drift = classify_pair(want, have, model=model, behind=behind.get(want.document_id, DriftClass.OK))
            tally.classes[drift] += 1
            if drift is not DriftClass.OK:
                yield Finding(drift, want.point_id, want.document_id, expected=True)
            want, have = next(left, None), next(right, None)
    yield from _settle(waiting, model, lookup, tally)


def _settle(waiting: list[StoredPoint], model: str, lookup: Lookup, tally: Tally) -> Iterator[Finding]:
    """Classify unexpected points together, and empty the list."""
    documents = {point.id: document_of(point) for point in waiting if is_ours(point)}
    facts = lookup(sorted({document for document in documents.values() if document is not None}))
    for point in waiting:
        document = documents.get(point.id)
        drift = DriftClass.UNREADABLE if document is None else classify_unexpected(point, facts.get(document), model=model)
        tally.classes[drift] += 1
        if drift not in _ONLY_FOUND:
            tally.unexpected += 1
        yield Finding(drift, point.id, document, expected=False)
    waiting.clear()
