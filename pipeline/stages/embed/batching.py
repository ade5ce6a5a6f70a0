"""Which texts are embedded together: each distinct text once, texts of like length side by side."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray


def distinct(texts: Sequence[str]) -> tuple[list[str], NDArray[np.intp]]:
    """Return the distinct texts in order of first appearance and, for each text given, its place among them."""
    places: dict[str, int] = {}
    inverse = np.fromiter((places.setdefault(text, len(places)) for text in texts), dtype=np.intp, count=len(texts))
    return list(places), inverse


def batches(lengths: Sequence[int], *, max_tokens: int) -> Iterator[list[int]]:
    """Yield every index of ``lengths`` once, shortest first, in batches of at most ``max_tokens`` tokens with padding.

    A text that is longer than ``max_tokens`` is a batch of its own.
    """
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[index] > max_tokens:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def unit_rows(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the rows scaled to length 1; a row of zeros stays as it is."""
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    scaled: NDArray[np.float32] = np.asarray(vectors / np.maximum(norms, np.finfo(np.float32).tiny), dtype=np.float32)
    return scaled


def thread_count(setting: int) -> int:
    """Return ``setting``, or, where it is 0, the number of cores this process may use."""
    if setting:
        return setting
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
