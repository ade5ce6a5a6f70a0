"""Points of the vector index: what is written, what is read back, and what can be asked for."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import UUID

import orjson

from pipeline.domain.identifiers import fingerprint
from pipeline.domain.visibility import Visibility
from pipeline.domain.vocabulary import Section

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


Payload = Mapping[str, Any]

PAYLOAD_VERSION = "4"

DENSE = "dense"  # name of the vectors that the home's own model makes

# Fields that a filter may use: each gets a payload index when the collection is made (Qdrant's strict mode refuses others).
KEYWORD_FIELDS = (
    "document_id",
    "fingerprint",
    "model",
    "source",
    "kind",
    "section",
    "nct_id",
    "overall_status",
    "study_type",
    "phases",
    "conditions",
    "patient",
    "access",
    "department",
    "author_role",
    "agency",
    "state",
    "protocol_number",
    "reference_number",
    "nct_ids",
    "icd_codes",
    "loinc_codes",
    "snomed_codes",
    "rxnorm_codes",
    "encounter",
    "resource_status",
    "content_type",
    "element",
    "scope",
)
INTEGER_FIELDS = ("generation", "dated_from", "dated_to")
BOOLEAN_FIELDS = ("is_exclusion", "ocr_suspect")


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Term weights: ``indices`` strictly ascending, unique, same length as ``values``."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Point:
    """One point to be written."""

    id: UUID
    dense: NDArray[np.float32] = field(repr=False)  # shape (dimensions,), unit length
    sparse: SparseVector = field(repr=False)
    payload: Payload = field(repr=False)
    vector: str = DENSE  # name of its dense vector: a model's, by the kind of its document


@dataclass(frozen=True, slots=True)
class StoredPoint:
    """One point as it was read back. ``id`` is an ``int`` only where somebody else wrote the point."""

    id: UUID | int
    payload: Payload = field(repr=False)
    vectors: StoredVectors | None = field(default=None, repr=False)  # None: they were not asked for


@dataclass(frozen=True, slots=True)
class StoredVectors:
    """A point's vectors as the engine holds them: unchecked, of any length, ``None`` where there is none."""

    dense: Sequence[float] | None
    sparse: SparseVector | None
    vector: str = DENSE  # name of the dense one


@dataclass(frozen=True, slots=True)
class ScoredPoint:
    """One hit of a query. ``score`` is higher for better."""

    id: UUID | int
    score: float
    payload: Payload = field(repr=False)


@dataclass(frozen=True, slots=True)
class PointFilter:
    """Conditions that must all hold; an empty tuple or ``None`` is no condition. A field's values are alternatives."""

    document_ids: tuple[UUID, ...] = ()
    generation: int | None = None
    generation_below: int | None = None
    sections: tuple[Section, ...] = ()
    is_exclusion: bool | None = None
    exclude_exclusion_criteria: bool = False  # must_not is_exclusion == true
    overall_status: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    nct_ids: tuple[str, ...] = ()
    phases: tuple[str, ...] = ()
    study_types: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    patients: tuple[str, ...] = ()  # pseudonyms
    access: tuple[str, ...] = ()
    departments: tuple[str, ...] = ()
    agencies: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    protocol_numbers: tuple[str, ...] = ()
    reference_numbers: tuple[str, ...] = ()
    icd_codes: tuple[str, ...] = ()
    loinc_codes: tuple[str, ...] = ()
    snomed_codes: tuple[str, ...] = ()
    rxnorm_codes: tuple[str, ...] = ()
    encounters: tuple[str, ...] = ()  # pseudonyms
    resource_status: tuple[str, ...] = ()  # of a FHIR resource
    content_types: tuple[str, ...] = ()
    elements: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()  # a cohort's, arm's or part's name, as the source words it
    dated_from: int | None = None  # a document's day as 20310517 (``domain.dates.days_of``): it may be this day or later
    dated_to: int | None = None  # it may be this day or earlier
    visible: Visibility | None = None  # to whom the answer goes; None: to somebody who may see everything

    @property
    def is_empty(self) -> bool:
        """Whether nothing is asked: such a filter addresses the whole collection and must never delete."""
        return self == PointFilter()


@dataclass(frozen=True, slots=True)
class DenseModel:
    """Dense vectors of one model within a collection.

    Attributes:
        vector: Their name in the collection.
        model: The embedder's fingerprint.
        dimensions: Length of a vector.
        kinds: Kinds of documents that have them; none: all kinds that no other model has.
    """

    vector: str
    model: str
    dimensions: int
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CollectionSpec:
    """What a collection is made for. Stored in its metadata and compared before anything else is done with it.

    A document's points have one dense vector each: of a model in ``further`` where one names the document's kind, else of ``model``.
    """

    name: str
    model: str  # the dense embedder's fingerprint
    dimensions: int
    sparse: str  # the sparse encoder's fingerprint
    distance: str = "Cosine"
    payload_version: str = PAYLOAD_VERSION
    further: tuple[DenseModel, ...] = ()

    @property
    def dense(self) -> tuple[DenseModel, ...]:
        """All models, the home's own first."""
        return (DenseModel(DENSE, self.model, self.dimensions), *self.further)

    def dense_of(self, kind: object) -> DenseModel:
        """Return the model of a kind of document."""
        return next((one for one in self.further if kind in one.kinds), self.dense[0])

    def dimensions_of(self, vector: str) -> int | None:
        """Return the length of the vectors of a name, ``None`` where there are none of it."""
        return next((one.dimensions for one in self.dense if one.vector == vector), None)


@dataclass(frozen=True, slots=True)
class CollectionInfo:
    """What a collection says of itself. ``spec`` is ``None`` where its metadata is not ours."""

    spec: CollectionSpec | None
    points: int | None  # None where they were not counted
    status: str  # green, yellow, red (Qdrant's words)


def payload_hash(payload: Payload) -> str:
    """Return the fingerprint of a payload's content, whatever the order of its keys.

    orjson is here for speed: reconciliation hashes every payload of the index, and the standard library takes five times as long.
    What it refuses (lone surrogates, huge integers: never in our own payloads) goes the slow way.
    """
    try:
        data = orjson.dumps(dict(payload), option=orjson.OPT_SORT_KEYS)
    except TypeError:
        return fingerprint(dict(payload))
    return hashlib.blake2b(data, digest_size=16).hexdigest()
