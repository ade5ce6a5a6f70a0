"""Marks of vectors: one number each, by which truth knows a vector again without keeping it.

A dense vector's mark is the dot product of its direction with a fixed row of numbers, positive and negative; a sparse vector's is the sum of
its weights, each times a number that a hash makes of its term. A hash of the bytes would not do: engines normalise and round, and a mark
moves only as far as they do. For unit vectors marks scatter like a normal distribution of variance 1, so another vector has the same mark
within the tolerance once in 180,000 times.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from pipeline.domain.points import SparseVector

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# How far a mark may be from the one that was written. Measured on 2,000 random vectors of 384 numbers: Edge gives every float32 back as it
# was (0), qdrant-client's local mode normalises again (2.8e-7).
DENSE_TOLERANCE: Final = 1e-5
# Weights are rounded to float32 before a mark is made, as engines do. Measured on 2,000 random vectors of 1 to 179 terms: 0 through Edge and
# through qdrant-client's local mode. The tolerance is for an engine that gives terms back in another order, which moves a sum's last digits.
SPARSE_TOLERANCE: Final = 1e-6

NO_TERMS: Final = 0.0  # the mark of a text without terms; a sum of weights is never exactly this

_DIRECTION: Final = b"clindex dense mark 1"  # fixed for ever, like the range: changing it makes every mark in every home wrong
# Sizes of the row's numbers. None is near 0, so that no number of a vector can change unseen; they differ, because a row of +1 and -1 took two
# vectors of few distinct numbers for one (1 of 50 planted among 100,000 points). This range has a mean square of 1.
_SMALLEST: Final = 0.5
_LARGEST: Final = 1.4270509831248424  # (sqrt(11.25) - 0.5) / 2


def dense_marks(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the mark of each row of an array of shape (count, dimensions); NaN for a row of zeros, and where a number is not finite."""
    import numpy as np

    exact = np.asarray(vectors, dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        marks: NDArray[np.float64] = (exact @ _direction(exact.shape[1])) / np.linalg.norm(exact, axis=1)
    return marks


def sparse_marks(vectors: Sequence[SparseVector]) -> list[float]:
    """Return the mark of each vector; ``NO_TERMS`` for one without terms."""
    import numpy as np

    owners = np.repeat(np.arange(len(vectors)), [len(vector.indices) for vector in vectors])
    indices = np.asarray([index for vector in vectors for index in vector.indices], dtype=np.uint64)
    values = np.asarray([value for vector in vectors for value in vector.values], dtype=np.float32).astype(np.float64)
    sums: list[float] = np.bincount(owners, weights=values * _weights(indices), minlength=len(vectors)).tolist()
    return sums


def _direction(dimensions: int) -> NDArray[np.float64]:
    """Return a signed number for each dimension; a longer row begins with the shorter one."""
    import numpy as np

    drawn = np.frombuffer(hashlib.shake_128(_DIRECTION).digest(4 * dimensions), dtype="<u4")
    sizes = _SMALLEST + (drawn >> 1).astype(np.float64) / 2**31 * (_LARGEST - _SMALLEST)
    return np.where(drawn & 1, sizes, -sizes)


def _weights(indices: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Return a number in [-1, 1) for each term, by the mixing function of SplitMix64 (Steele, Lea and Flood, 2014)."""
    import numpy as np

    mixed = indices + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return (mixed >> np.uint64(11)).astype(np.float64) * 2.0**-52 - 1.0
