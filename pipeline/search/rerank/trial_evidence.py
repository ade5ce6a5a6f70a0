"""What all passages of a trial say to a patient's description: in go similarities of every passage, out go signals of each trial.

A trial is no list of independent passages: its best one is a weak sign, how well all of it fits a strong one. Exclusion criteria count
against nothing and for nothing: a patient's findings match them as well as inclusion criteria (docs/retrieval.md has the measurements).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pipeline.domain.vocabulary import Section

_ABOUT: Final = frozenset({Section.TITLE_CONDITIONS, Section.BRIEF_SUMMARY, Section.DETAILED_DESCRIPTION})

# Each measured on the fitted half of the queries, nDCG@10 of the signal alone.
_DENSE_POWER: Final = 4  # of similarities before their mean: 1 0.17, 2 0.20, 4 0.22
_DENSE_SHRINK: Final = 1.0  # passages of similarity 0 that a trial is given on top: one lucky passage is not enough
_SPARSE_POWER: Final = 2  # 1 0.15, 2 0.20
_SPARSE_SHRINK: Final = 5.0  # 1 0.18, 5 0.20, 20 0.19


@dataclass(frozen=True, slots=True)
class Passages:
    """Passages of a pool of trials, each array of shape (passages,).

    Attributes:
        trial: Number of its trial, 0 to trials - 1.
        is_about: Whether it tells what the trial is about (title, conditions, summary).
        is_title: Whether it is the title and the conditions.
        counts: Whether it speaks for a trial that it matches: exclusion criteria do not.
    """

    trial: NDArray[np.intp] = field(repr=False)
    is_about: NDArray[np.bool_] = field(repr=False)
    is_title: NDArray[np.bool_] = field(repr=False)
    counts: NDArray[np.bool_] = field(repr=False)

    @classmethod
    def of(cls, trial: Sequence[int], sections: Sequence[str], exclusion: Sequence[bool | None]) -> Passages:
        """Make the arrays."""
        return cls(
            np.asarray(trial, dtype=np.intp),
            np.asarray([section in _ABOUT for section in sections], dtype=bool),
            np.asarray([section == Section.TITLE_CONDITIONS for section in sections], dtype=bool),
            np.asarray([not each for each in exclusion], dtype=bool),
        )


@dataclass(frozen=True, slots=True)
class Similarity:
    """How near every passage is to one wording, each array of shape (passages,); 0 where the engine did not return it."""

    dense: NDArray[np.float64] = field(repr=False)
    sparse: NDArray[np.float64] = field(repr=False)


def signals(passages: Passages, described: Similarity, about: Similarity, found: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """Return the signals of every trial by name, each of shape (trials,), standardised over the pool (mean 0, deviation 1).

    Args:
        passages: Of the pool.
        described: To the whole description.
        about: To the conditions that it is about.
        found: Sum of fused scores of each trial's passages when the pool was made, above 0.
    """
    trials = len(found)
    raw = {"found": np.log(found)}
    for name, near in (("description", described), ("problem", about)):
        raw[f"{name}_dense"] = _mean(passages, near.dense, trials, _DENSE_POWER, _DENSE_SHRINK)
        raw[f"{name}_terms"] = _mean(passages, near.sparse, trials, _SPARSE_POWER, _SPARSE_SHRINK)
        raw[f"{name}_about"] = _best(near.dense, passages.trial, passages.is_about, trials)
    raw["description_title_terms"] = np.sqrt(_best(described.sparse, passages.trial, passages.is_title, trials))
    return {name: _standardised(values) for name, values in raw.items()}


def _mean(passages: Passages, near: NDArray[np.float64], trials: int, power: int, shrink: float) -> NDArray[np.float64]:
    """Return the power mean over a trial's passages that count."""
    weights = np.where(passages.counts, np.maximum(near, 0.0), 0.0) ** power
    total = np.bincount(passages.trial, weights=weights, minlength=trials)
    count = np.bincount(passages.trial, weights=passages.counts, minlength=trials)
    mean: NDArray[np.float64] = (total / (count + shrink)) ** (1 / power)
    return mean


def _best(near: NDArray[np.float64], trial: NDArray[np.intp], which: NDArray[np.bool_], trials: int) -> NDArray[np.float64]:
    """Return the best of a trial's passages of one sort; a trial without any gets the mean of the others, as nothing is known."""
    best = np.full(trials, -1.0)
    np.maximum.at(best, trial[which], np.maximum(near[which], 0.0))
    known = best >= 0
    best[~known] = best[known].mean() if known.any() else 0.0
    return best


def _standardised(values: NDArray[np.float64]) -> NDArray[np.float64]:
    deviation = float(values.std())
    return np.zeros_like(values) if deviation < 1e-9 else (values - values.mean()) / deviation
