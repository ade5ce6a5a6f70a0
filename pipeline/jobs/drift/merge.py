"""The merge of truth and index: every point expected and every point found lands in exactly one class. Constant memory.

Both sides come in ascending order of point id. What cannot be decided from one pair (does truth know this document? is a whole document
missing?) is looked up in batches, or decided at the end from a counter per affected document.

A pair that differs in several ways is put into the first class of: unreadable, foreign_model, stale_fingerprint, the faults of vectors,
payload_drift. So what a class's repair does (writing the document anew, but for payload_drift) also repairs what comes after it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID

from pipeline.domain.points import Payload
from pipeline.domain.vocabulary import DocumentKind, DriftClass, Source
from pipeline.jobs.drift.examine import Seen
from pipeline.storage.chunks import ExpectedPoint

_LOOKUP_BATCH = 2000  # unmatched points whose documents are looked up together


@dataclass(frozen=True, slots=True)
class DocumentFact:
    """What truth says of the document that an unmatched point names."""

    live_generation: int | None  # None: nothing of it is live
    source: str | None = None
    kind: str | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One point or document that is not as it must be. Ids, numbers, hashes and values of our own vocabularies only.

    Attributes:
        expected: Whether truth expects this point; what it does not expect is to be deleted.
        source: Of the document as truth knows it, else as the payload says if it is a value of ours. ``kind`` likewise.
    """

    drift: DriftClass
    point_id: UUID | int | None
    document_id: UUID | None
    expected: bool
    source: str | None = None
    kind: str | None = None
    generation_expected: int | None = None
    generation_found: int | None = None
    hash_expected: str | None = None  # of the payload
    hash_found: str | None = None


@dataclass(slots=True)
class Tally:
    """Counts by class, on both sides."""

    expected: int = 0
    found: int = 0
    classes: Counter[DriftClass] = field(default_factory=Counter)
    missing_by_document: Counter[UUID] = field(default_factory=Counter)
    unexpected: int = 0  # of the classes that a matched pair can have too, how many were found without being expected
    depth: Literal["digest", "deep"] = "digest"  # deep: every point and every vector was compared
    unmarked: int = 0  # expected points of whose vectors truth has no mark: whether they changed is not known

    @property
    def sums_close(self) -> bool:
        """Whether each side's classes add up to its points."""
        only_found = sum(self.classes[c] for c in _ONLY_FOUND) + self.unexpected
        only_expected = self.classes[DriftClass.MISSING_POINT] + self.classes[DriftClass.MISSING_DOCUMENT]
        both = sum(self.classes.values()) - only_found - only_expected
        return self.expected == both + only_expected and self.found == both + only_found


_ONLY_FOUND = (DriftClass.ORPHAN_POINT, DriftClass.ORPHAN_DOCUMENT, DriftClass.OLD_GENERATION, DriftClass.DUPLICATE_POINT)

ModelOf = Callable[[object], str]
Lookup = Callable[[list[UUID]], dict[UUID, DocumentFact]]


def order_key(identifier: UUID | int) -> tuple[int, int]:
    """Qdrant's order: integers before UUIDs, UUIDs by their 128 bits."""
    return (0, identifier) if isinstance(identifier, int) else (1, identifier.int)


def classify_pair(expected: ExpectedPoint, found: Seen, *, model: ModelOf, behind: DriftClass = DriftClass.OK) -> DriftClass:
    """Return the class of a point that is expected and there; ``behind`` is its document's own class."""
    same = found.content == expected.payload_hash
    if not same and not is_ours(found):
        return DriftClass.UNREADABLE
    if found.payload.get("model") != model(found.payload.get("kind")):
        return DriftClass.FOREIGN_MODEL
    if behind is DriftClass.STALE_FINGERPRINT or (not same and found.payload.get("fingerprint") != expected.fingerprint):
        return DriftClass.STALE_FINGERPRINT
    vectors = DriftClass.OK if found.vectors is None else found.vectors.compared_with(expected)
    if vectors is not DriftClass.OK:
        return vectors
    return behind if same else DriftClass.PAYLOAD_DRIFT


def is_ours(point: Seen) -> bool:
    """Whether a point's payload can be read as one of ours."""
    return isinstance(point.id, UUID) and document_of(point.payload) is not None and type(point.payload.get("generation")) is int


def document_of(payload: Payload) -> UUID | None:
    """Return the document that a payload names, or ``None``."""
    try:
        return UUID(str(payload.get("document_id")))
    except ValueError:
        return None


def classify_unexpected(found: Seen, fact: DocumentFact | None, *, model: ModelOf) -> DriftClass:
    """Return the class of a readable point that truth does not expect."""
    if fact is None:
        return DriftClass.ORPHAN_DOCUMENT
    if found.payload.get("model") != model(found.payload.get("kind")):
        return DriftClass.FOREIGN_MODEL
    if fact.live_generation is None:
        return DriftClass.ORPHAN_DOCUMENT
    return DriftClass.OLD_GENERATION if found.payload.get("generation") != fact.live_generation else DriftClass.ORPHAN_POINT


def merge(
    expected: Iterable[ExpectedPoint],
    found: Iterable[Seen],
    *,
    model: ModelOf,
    behind: Mapping[UUID, DriftClass],
    lookup: Lookup,
    tally: Tally,
) -> Iterator[Finding]:
    """Yield what is not ``ok`` and count everything into ``tally``.

    Args:
        expected: Truth's side, ascending.
        found: The index's side, ascending; an id that comes again is a duplicate.
        model: Returns the fingerprint of the model that the home runs now for a kind of document.
        behind: Documents whose live points were made from an older content, recipe or state, and the class that this puts them into.
        lookup: What truth says of documents; one it does not return is unknown or deleted.
        tally: Filled while the result is consumed.
    """
    waiting: list[Seen] = []
    left, right = iter(expected), _once(found, tally)
    want, have = next(left, None), next(right, None)
    while want is not None or have is not None:
        if have is None or (want is not None and order_key(want.point_id) < order_key(have[0].id)):
            assert want is not None  # noqa: S101 - told by the loop's condition
            yield _missing(want, tally)
            want = next(left, None)
        elif want is None or order_key(have[0].id) < order_key(want.point_id):
            waiting.append(have[0])
            yield from (_duplicate(one, None, tally) for one in have[1:])
            if len(waiting) >= _LOOKUP_BATCH:
                yield from _settle(waiting, model, lookup, tally)
            have = next(right, None)
        else:
            drift = classify_pair(want, have[0], model=model, behind=behind.get(want.document_id, DriftClass.OK))
            tally.expected += 1
            tally.classes[drift] += 1
            tally.unmarked += want.dense_mark is None or want.sparse_mark is None
            if drift is not DriftClass.OK:
                yield _pair(drift, want, have[0])
            yield from (_duplicate(one, want, tally) for one in have[1:])
            want, have = next(left, None), next(right, None)
    yield from _settle(waiting, model, lookup, tally)


def _once(found: Iterable[Seen], tally: Tally) -> Iterator[list[Seen]]:
    """Yield the points of each id together, and count them."""
    same: list[Seen] = []
    for point in found:
        tally.found += 1
        if same and same[0].id != point.id:
            yield same
            same = []
        same.append(point)
    if same:
        yield same


def _missing(want: ExpectedPoint, tally: Tally) -> Finding:
    tally.expected += 1
    tally.classes[DriftClass.MISSING_POINT] += 1
    tally.missing_by_document[want.document_id] += 1
    return Finding(
        DriftClass.MISSING_POINT,
        want.point_id,
        want.document_id,
        expected=True,
        source=want.source,
        kind=want.kind,
        generation_expected=want.generation,
        hash_expected=want.payload_hash,
    )


def _pair(drift: DriftClass, want: ExpectedPoint, have: Seen) -> Finding:
    return Finding(
        drift,
        want.point_id,
        want.document_id,
        expected=True,
        source=want.source,
        kind=want.kind,
        generation_expected=want.generation,
        generation_found=_generation(have.payload),
        hash_expected=want.payload_hash,
        hash_found=have.content,
    )


def _duplicate(have: Seen, want: ExpectedPoint | None, tally: Tally) -> Finding:
    """Count a point that the index shows again. Where truth expects the first, the document is to be written anew."""
    tally.classes[DriftClass.DUPLICATE_POINT] += 1
    return (
        _unexpected(DriftClass.DUPLICATE_POINT, have, document_of(have.payload), None)
        if want is None
        else _pair(DriftClass.DUPLICATE_POINT, want, have)
    )


def _unexpected(drift: DriftClass, have: Seen, document: UUID | None, fact: DocumentFact | None) -> Finding:
    return Finding(
        drift,
        have.id,
        document,
        expected=False,
        source=fact.source if fact else _value_of(Source, have.payload.get("source")),
        kind=fact.kind if fact else _value_of(DocumentKind, have.payload.get("kind")),
        generation_expected=fact.live_generation if fact else None,
        generation_found=_generation(have.payload),
        hash_found=have.content,
    )


def _generation(payload: Payload) -> int | None:
    generation = payload.get("generation")
    return generation if type(generation) is int else None


def _value_of(vocabulary: type[Source | DocumentKind], value: object) -> str | None:
    """Return a payload's value if it is one of ours: of somebody else's point it may be any text."""
    return next((one.value for one in vocabulary if one.value == value), None)


def _settle(waiting: list[Seen], model: ModelOf, lookup: Lookup, tally: Tally) -> Iterator[Finding]:
    """Classify unexpected points together, and empty the list."""
    documents = {point.id: document_of(point.payload) for point in waiting if is_ours(point)}
    facts = lookup(sorted({document for document in documents.values() if document is not None}))
    for point in waiting:
        document = documents.get(point.id)
        fact = None if document is None else facts.get(document)
        drift = DriftClass.UNREADABLE if document is None else classify_unexpected(point, fact, model=model)
        tally.classes[drift] += 1
        if drift not in _ONLY_FOUND:
            tally.unexpected += 1
        yield _unexpected(drift, point, document, fact)
    waiting.clear()
