"""One dense and one sparse ranking fused, for both engines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.domain.points import DENSE, PointFilter, ScoredPoint, SparseVector
from pipeline.domain.ports import VectorIndex, VectorQuery
from pipeline.index.fusion import fuse

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def fused_query(
    index: VectorIndex,
    *,
    dense: NDArray[np.float32] | None,
    sparse: SparseVector | None,
    where: PointFilter,
    limit: int,
    candidates: int,
    rrf_k: int,
    using: str = DENSE,
) -> list[ScoredPoint]:
    """Return the best points with their payloads; see ``VectorIndex.query``.

    Raises:
        ValueError: There is no vector.
    """
    queries = [VectorQuery(vector, using=using) for vector in (dense, sparse) if vector is not None]
    if not queries:
        raise ValueError("a query needs a vector")
    with index.session():
        if len(queries) > 1:
            rankings = index.rankings(queries, where=where, limit=candidates)
            best = fuse([[point_id for point_id, _ in ranking] for ranking in rankings], k=rrf_k)[:limit]
        else:
            (best,) = index.rankings(queries, where=where, limit=limit)
        payloads = {point.id: point.payload for point in index.retrieve([point_id for point_id, _ in best])}
    return [ScoredPoint(point_id, score, payloads[point_id]) for point_id, score in best if point_id in payloads]
