"""Points with invented content for tests of the index: the same arguments give the same point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID

import numpy as np

from pipeline.domain.identifiers import document_id, fingerprint, point_id, text_hash
from pipeline.domain.points import CollectionSpec, Point, SparseVector
from pipeline.domain.vocabulary import Section

if TYPE_CHECKING:
    from numpy.typing import NDArray

DIMENSIONS = 8
MODEL = "test-model-a"


def make_spec(name: str = "clindex", **changes: Any) -> CollectionSpec:
    """Return a small collection's spec."""
    values: dict[str, Any] = {"name": name, "model": MODEL, "dimensions": DIMENSIONS, "sparse": "test-bm25", **changes}
    return CollectionSpec(**values)


def unit_vector(seed: int, dimensions: int = DIMENSIONS) -> NDArray[np.float32]:
    """Return a vector of unit length in a direction that ``seed`` decides."""
    vector = np.random.default_rng(seed).standard_normal(dimensions)
    return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)


def along_axis(axis: int, *, tilt: float = 0.0, towards: int | None = None, dimensions: int = DIMENSIONS) -> NDArray[np.float32]:
    """Return the unit vector of an axis, tilted by ``tilt`` towards another: its cosine with the axis is 1/√(1+tilt²)."""
    vector = np.zeros(dimensions)
    vector[axis] = 1.0
    if towards is not None:
        vector[towards] = tilt
    return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)


def make_document(number: int) -> UUID:
    """Return the id of invented study ``number``."""
    return document_id("ctgov", nct_id_of(number))


def nct_id_of(number: int) -> str:
    """Return an invented NCT id."""
    return f"NCT9{number:07d}"


def make_payload(number: int, ordinal: int, *, generation: int = 1, **changes: Any) -> dict[str, Any]:
    """Return a payload as the pipeline writes it, for criterion ``ordinal`` of study ``number``; ``changes`` replace fields."""
    return {
        "document_id": str(make_document(number)),
        "generation": generation,
        "fingerprint": fingerprint([number, generation]),
        "model": MODEL,
        "source": "ctgov",
        "kind": "trial",
        "section": Section.INCLUSION_CRITERION.value,
        "is_exclusion": False,
        "ordinal": ordinal,
        "scope": [],
        "overall_status": "RECRUITING",
        "status_as_of": "2026-03",
        "study_type": "INTERVENTIONAL",
        "phases": ["PHASE2"],
        "conditions": ["Invented Disease"],
        "nct_id": nct_id_of(number),
        "natural_key": f"{nct_id_of(number)}|{ordinal}",
        "text_hash": text_hash(f"criterion {number}.{ordinal}"),
        **changes,
    }


def make_point(
    number: int,
    ordinal: int,
    *,
    generation: int = 1,
    dense: NDArray[np.float32] | None = None,
    sparse: SparseVector | None = None,
    **payload: Any,
) -> Point:
    """Return the point of criterion ``ordinal`` of study ``number``."""
    return Point(
        id=point_id(make_document(number), generation=generation, section=Section.INCLUSION_CRITERION, ordinal=ordinal),
        dense=unit_vector(number * 1000 + ordinal) if dense is None else dense,
        sparse=SparseVector((1, 10 + ordinal), (1.0, 0.5)) if sparse is None else sparse,
        payload=make_payload(number, ordinal, generation=generation, **payload),
    )


def make_points(number: int, ordinals: Sequence[int], *, generation: int = 1) -> list[Point]:
    """Return the points of several criteria of one study."""
    return [make_point(number, ordinal, generation=generation) for ordinal in ordinals]
