"""Scores found places against gold ones by characters: a boundary that differs by a blank or a title costs nothing.

Only letters and digits count. Recall of a class: its gold characters that were covered, by whatever class. Precision: covered characters
that are gold; ignored labels count neither way. Intervals: 95 %, percentile bootstrap over rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bench.phi.labels import DIRECT
from bench.phi.rows import Row

RESAMPLES = 1000
WHOLE = 0.8  # a span counts as found when this share of its characters is covered: the measure of the published baselines


@dataclass
class Counts:
    """Characters (and spans) of one row."""

    gold: dict[str, int] = field(default_factory=dict)
    hit: dict[str, int] = field(default_factory=dict)
    spans: dict[str, int] = field(default_factory=dict)
    found_spans: dict[str, int] = field(default_factory=dict)
    covered: int = 0
    right: int = 0
    characters: int = 0
    protected: int = 0
    damaged: int = 0


def count(row: Row, found: Sequence[tuple[int, int, str]]) -> Counts:
    """Count one row."""
    length = len(row.text)
    word = np.fromiter((char.isalnum() for char in row.text), dtype=bool, count=length)
    covered = _mask(length, ((start, end) for start, end, _ in found)) & word
    gold = _mask(length, ((start, end) for start, end, _ in row.gold))
    ignored = _mask(length, ((start, end) for start, end, category in row.gold if category is None)) & ~_mask(
        length, ((start, end) for start, end, category in row.gold if category is not None)
    )
    counts = Counts(characters=int(word.sum()))
    for start, end, category in row.gold:
        if category is None:
            continue
        total, hit = int(word[start:end].sum()), int(covered[start:end].sum())
        for name in (str(category), "all", *(("direct",) if category in DIRECT else ())):
            counts.gold[name] = counts.gold.get(name, 0) + total
            counts.hit[name] = counts.hit.get(name, 0) + hit
            counts.spans[name] = counts.spans.get(name, 0) + 1
            counts.found_spans[name] = counts.found_spans.get(name, 0) + int(hit >= WHOLE * total)
    if not row.partial:
        judged = covered & ~ignored
        counts.covered, counts.right = int(judged.sum()), int((judged & gold).sum())
    for start, end in row.protect:
        counts.protected += 1
        counts.damaged += bool(covered[start:end].any())
    return counts


def _mask(length: int, ranges: Iterable[tuple[int, int]]) -> NDArray[np.bool_]:
    mask = np.zeros(length, dtype=bool)
    for start, end in ranges:
        mask[start:end] = True
    return mask


def interval(top: Sequence[int], bottom: Sequence[int], *, seed: int = 0) -> dict[str, float | int]:
    """Return value, low and high of sum(top) / sum(bottom), and what it is of."""
    tops, bottoms = np.asarray(top, dtype=np.int64), np.asarray(bottom, dtype=np.int64)
    keep = bottoms > 0
    tops, bottoms = tops[keep], bottoms[keep]
    if not len(bottoms):
        return {}
    draws = np.random.default_rng(seed).integers(0, len(bottoms), size=(RESAMPLES, len(bottoms)))
    values = tops[draws].sum(axis=1) / bottoms[draws].sum(axis=1)
    low, high = np.percentile(values, [2.5, 97.5])
    return {
        "value": round(float(tops.sum() / bottoms.sum()), 4),
        "low": round(float(low), 4),
        "high": round(float(high), 4),
        "of": int(bottoms.sum()),
    }


def summarise(counts: Sequence[Counts]) -> dict[str, object]:
    """Return recall by class, span recall, precision and over-redaction."""
    names = sorted({name for each in counts for name in each.gold}, key=lambda name: (name not in ("all", "direct"), name))
    return {
        "recall": {
            name: interval([each.hit.get(name, 0) for each in counts], [each.gold.get(name, 0) for each in counts]) for name in names
        },
        "span_recall": {
            name: interval([each.found_spans.get(name, 0) for each in counts], [each.spans.get(name, 0) for each in counts])
            for name in names
        },
        "precision": interval([each.right for each in counts], [each.covered for each in counts]),
        "protected_terms_lost": interval([each.damaged for each in counts], [each.protected for each in counts]),
        "removed_characters": interval([each.covered for each in counts], [each.characters for each in counts]),
    }
