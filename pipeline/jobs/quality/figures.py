"""Figures of the whole home that drift is measured by, and how far they are from those of earlier checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, case, func, select

from pipeline.domain.points import DenseModel
from pipeline.jobs.quality.model import Figures
from pipeline.jobs.report import queries
from pipeline.storage.collections import in_collection
from pipeline.storage.retrieval_tables import search_log
from pipeline.storage.tables import chunks, documents
from pipeline.storage.tables import index_state as state_table
from pipeline.wiring import Services

_BINS: Final = 16  # of a window of 256: 16 tokens each, as in the report
_VECTORS: Final = 2000  # read from the cache: 3 MB; a mean of 384 numbers over 2,000 unit vectors moves by under 0.01 between samples
_DECIMALS: Final = 4
FEWEST_SEARCHES: Final = 20  # below, a rate of searches says nothing
FEWEST_VECTORS: Final = 50  # below, one more document moves the mean
FEWEST_CHUNKS: Final = 200  # below, one more document moves the distribution


def measure(services: Services, tx: Connection, *, since: datetime | None) -> Figures:
    """Return the figures as they are now. Grouped in the database: memory does not grow with the home.

    Args:
        services: The home.
        tx: A transaction on its truth.
        since: Searches after this moment count; ``None``: all.
    """
    window = services.tokens.window
    width = max(1, -(-window // _BINS))
    lengths, sections = [0] * (_BINS + 1), dict[str, int]()
    for section, tokens, count in queries.chunk_lengths(tx):
        lengths[_BINS if tokens > window else min((tokens - 1) // width, _BINS - 1)] += count
        sections[section] = sections.get(section, 0) + count
    searches, zero = _searches(tx, since)
    model = services.spec.dense[0]
    centroid, spread, vectors = _embeddings(services, tx, model)
    return Figures(
        lengths=lengths,
        sections=dict(sorted(sections.items())),
        model=model.model if vectors else None,
        centroid=centroid,
        spread=spread,
        vectors=vectors,
        searches=searches,
        zero_hits=zero,
    )


def _searches(tx: Connection, since: datetime | None) -> tuple[int, int]:
    query = select(func.count(), func.coalesce(func.sum(case((search_log.c.hits == 0, 1), else_=0)), 0))
    query = query.where(search_log.c.query_hash.is_not(None))
    row = tx.execute(query if since is None else query.where(search_log.c.at > since)).one()
    return int(row[0]), int(row[1])


def _embeddings(services: Services, tx: Connection, model: DenseModel) -> tuple[list[float], float | None, int]:
    """Return mean, mean cosine distance from it, and number of the vectors of a sample of live texts; of texts, by hash, as sampled."""
    import numpy as np

    live = (state_table.c.document_id == chunks.c.document_id) & (state_table.c.live_generation == chunks.c.generation)
    query = (
        select(chunks.c.text_hash)
        .join(state_table, live)
        .join(documents, documents.c.document_id == chunks.c.document_id)
        .where(in_collection(None), documents.c.tombstoned_at.is_(None))
        .order_by(chunks.c.text_hash)
        .limit(_VECTORS)
    )
    found = services.cache.get_many(list(dict.fromkeys(tx.execute(query).scalars())), fingerprint=model.model)
    if not found:
        return [], None, 0
    vectors = np.stack(list(found.values()))
    mean = vectors.mean(axis=0)
    length = float(np.linalg.norm(mean)) or 1.0
    spread = float(1.0 - (vectors @ (mean / length)).mean())
    return [round(float(one), _DECIMALS) for one in mean], round(spread, _DECIMALS), len(found)


def shifts(now: Figures, earlier: Sequence[Figures]) -> dict[str, float | None]:
    """Return how far the figures are from the mean of earlier ones; ``None`` where there is too little to compare.

    Shifts of lengths and sections are total variation distances: the share of chunks that would have to lie elsewhere, 0..1.
    """
    return {
        "length_shift": _shift(_named(now.lengths), [_named(one.lengths) for one in earlier]),
        "section_shift": _shift(now.sections, [one.sections for one in earlier]),
        **_of_embeddings(now, [one for one in earlier if one.model == now.model and one.vectors >= FEWEST_VECTORS]),
        **_of_searches(now, earlier),
    }


def _named(counts: Sequence[int]) -> dict[str, int]:
    return {str(place): count for place, count in enumerate(counts)}


def _shift(now: Mapping[str, int], earlier: Sequence[Mapping[str, int]]) -> float | None:
    before = [_shares(one) for one in earlier if sum(one.values()) >= FEWEST_CHUNKS]
    if not before or sum(now.values()) < FEWEST_CHUNKS:
        return None
    present = _shares(now)
    names = {*present, *(name for one in before for name in one)}
    return sum(abs(present.get(name, 0.0) - sum(one.get(name, 0.0) for one in before) / len(before)) for name in names) / 2


def _shares(counts: Mapping[str, int]) -> dict[str, float]:
    whole = sum(counts.values())
    return {name: count / whole for name, count in counts.items()}


def _of_embeddings(now: Figures, earlier: Sequence[Figures]) -> dict[str, float | None]:
    if not earlier or now.vectors < FEWEST_VECTORS:
        return {"centroid_shift": None, "spread_shift": None}
    import numpy as np

    before = np.mean([one.centroid for one in earlier], axis=0)
    present = np.asarray(now.centroid)
    lengths = float(np.linalg.norm(before) * np.linalg.norm(present))
    usual = sum(one.spread or 0.0 for one in earlier) / len(earlier)
    return {
        "centroid_shift": max(0.0, 1.0 - float(before @ present) / lengths) if lengths else None,
        "spread_shift": abs((now.spread or 0.0) - usual) / usual if usual else None,
    }


def _of_searches(now: Figures, earlier: Sequence[Figures]) -> dict[str, float | None]:
    rate = now.zero_hits / now.searches if now.searches >= FEWEST_SEARCHES else None
    asked = sum(one.searches for one in earlier)
    usual = sum(one.zero_hits for one in earlier) / asked if asked >= FEWEST_SEARCHES else None
    return {"zero_hit_rate": rate, "zero_hit_shift": rate - usual if rate is not None and usual is not None else None}
