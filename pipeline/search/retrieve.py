"""Candidates from the engine: one dense and one sparse ranking a wording of the query, fused by weighted reciprocal ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from pipeline.domain.points import PointFilter, SparseVector
from pipeline.domain.ports import DenseEmbedder, SparseEncoder, VectorIndex, VectorQuery
from pipeline.index.fusion import fuse
from pipeline.search.understand.model import Understood, Variant

# Of the sparse ranking beside the dense one's 1, and where the query holds exact terms. On 138 questions over 188 EMS protocols 0.7, 1, 1.5, and 1.5
# and 2 for exact terms alone, give the same order after re-ranking (right first 0.963 and 0.910, among three 1 and 0.955), because BM25 is a signal
# there again; before it 1.5 loses (0.852 instead of 0.889 of the 27 public ones; the 111 own ones 0.649 instead of 0.631).
SPARSE_WEIGHT: Final = 1.0
SPARSE_WEIGHT_EXACT: Final = 1.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A point that was found.

    Attributes:
        point_id: Which.
        fused: Sum over rankings of weight / (k + rank).
        dense: Its best cosine similarity to a wording of the query, or ``None``: no dense ranking holds it.
        sparse: Its best BM25 score, or ``None``.
        dense_rank: Its best rank in a dense ranking, from 1.
        sparse_rank: Its best rank in a sparse one.
        variants: Numbers of the wordings that found it.
    """

    point_id: UUID | int
    fused: float
    dense: float | None = None
    sparse: float | None = None
    dense_rank: int | None = None
    sparse_rank: int | None = None
    variants: tuple[int, ...] = ()


def queries_for(understood: Understood, embedders: Mapping[str, DenseEmbedder], encoder: SparseEncoder) -> list[VectorQuery]:
    """Return the rankings to ask the engine for: of each wording one a model, and one of its terms where it has any.

    Args:
        understood: The query.
        embedders: Models by the name of their vectors; each ranks the documents of its kinds alone.
        encoder: Of terms.
    """
    sparse_weight = SPARSE_WEIGHT_EXACT if understood.exact_terms else SPARSE_WEIGHT
    queries: list[VectorQuery] = []
    for number, variant in enumerate(understood.variants):
        for using, embedder in embedders.items():
            queries.append(VectorQuery(embedder.embed_query(variant.text), variant.weight, number, using))
        sparse = _terms(variant, encoder)
        if sparse.indices:
            queries.append(VectorQuery(sparse, variant.weight * sparse_weight, number))
    return queries


def _terms(variant: Variant, encoder: SparseEncoder) -> SparseVector:
    if not variant.terms:
        return encoder.encode_query(variant.text)
    weights: dict[int, float] = {}
    for words, weight in variant.terms:
        weights.update(dict.fromkeys(encoder.encode_query(words).indices, weight))
    numbers = sorted(weights)
    return SparseVector(tuple(numbers), tuple(weights[number] for number in numbers))


def retrieve(index: VectorIndex, queries: Sequence[VectorQuery], where: PointFilter, *, candidates: int, rrf_k: int) -> list[Candidate]:
    """Return what the rankings found, best first by fused score.

    Args:
        index: Held by the caller.
        queries: See ``queries_for``.
        where: Applied inside every ranking, never after.
        candidates: Points a ranking.
        rrf_k: See ``fuse``.
    """
    rankings = index.rankings(queries, where=where, limit=candidates)
    fused = fuse([[point for point, _ in ranking] for ranking in rankings], k=rrf_k, weights=[query.weight for query in queries])
    best: dict[UUID | int, dict[str, float | int | None]] = {}
    found_by: dict[UUID | int, set[int]] = {}
    for query, ranking in zip(queries, rankings, strict=True):
        name = "dense" if query.is_dense else "sparse"
        for rank, (point, score) in enumerate(ranking, start=1):
            seen = best.setdefault(point, {})
            seen[name] = max(score, seen.get(name) or score)
            seen[f"{name}_rank"] = min(rank, seen.get(f"{name}_rank") or rank)
            found_by.setdefault(point, set()).add(query.variant)
    return [Candidate(point, score, variants=tuple(sorted(found_by[point])), **best[point]) for point, score in fused]  # type: ignore[arg-type]
