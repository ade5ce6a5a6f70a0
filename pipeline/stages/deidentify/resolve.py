"""Makes overlapping places into places apart: every character that somebody found is covered, by one class."""

from __future__ import annotations

from collections.abc import Iterable

from pipeline.domain.phi import Found


def resolve(found: Iterable[Found]) -> list[Found]:
    """Return places in order and apart that cover exactly the characters of ``found``.

    Where places overlap, their union is one place; its class is that of the best score, then of the longest. Nothing that was found
    is uncovered again, so a doubtful boundary never leaks the rest of a value.
    """
    merged: list[Found] = []
    best: list[Found] = []  # which place gave each merged one its class
    for each in sorted(found, key=lambda one: (one.start, -one.end)):
        if merged and each.start < merged[-1].end:
            winner = max(best[-1], each, key=lambda one: (one.score, one.end - one.start))
            merged[-1] = Found(merged[-1].start, max(merged[-1].end, each.end), winner.category, winner.score, winner.by)
            best[-1] = winner
        else:
            merged.append(each)
            best.append(each)
    return merged
