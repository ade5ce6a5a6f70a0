"""How fast this home works, as its last runs measured it; defaults where it has measured nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, func, select

from pipeline.domain.vocabulary import RunKind
from pipeline.storage import runs
from pipeline.storage.tables import document_pages

_RUNS: Final = 30  # of all kinds: some ten nights
_LEAST: Final = 200  # texts or points that a run must have worked on: below, its fixed costs are what is measured

# 734 real studies on 2 cores: 23,293 texts embedded in 535 s; 23,294 points written anew from the cache in 74 s (README). One page of OCR
# took 2 to 4 s on one core.
DEFAULTS: Final = {"pages": 0.3, "texts": 43.0, "points": 310.0}


@dataclass(frozen=True, slots=True)
class Rates:
    """Pages read, texts embedded and points prepared and written, a second; and which of them were measured here."""

    values: dict[str, float]
    measured: list[str]

    def seconds(self, *, pages: int, texts: int, points: int) -> float:
        """Return how long so much work takes, one thing after the other."""
        return pages / self.values["pages"] + texts / self.values["texts"] + points / self.values["points"]


def measured_rates(tx: Connection) -> Rates:
    """Read the rates from the last runs' own seconds, all together: a median of small runs says less."""
    found: dict[str, float] = {}
    counts = [run.counts for run in runs.latest_runs(tx, limit=_RUNS) if run.kind in (RunKind.INDEX, RunKind.REINDEX)]
    _rate(found, "texts", [(int(one.get("embedded", 0)), _seconds(one, "embed")) for one in counts])
    stages = ("prepare", "claim", "sparse", "upsert", "verify", "flip", "clean")
    _rate(found, "points", [(int(one.get("points_written", 0)), _seconds(one, *stages)) for one in counts])
    pages, seconds = tx.execute(select(func.count(), func.coalesce(func.sum(document_pages.c.seconds), 0.0))).one()
    if pages and seconds > 0:
        found["pages"] = pages / float(seconds)
    return Rates({**DEFAULTS, **found}, sorted(found))


def _seconds(counts: Any, *stages: str) -> float:
    seconds = counts.get("seconds")
    return sum(float(seconds.get(stage, 0.0)) for stage in stages) if isinstance(seconds, dict) else 0.0


def _rate(found: dict[str, float], name: str, pairs: list[tuple[int, float]]) -> None:
    pairs = [(number, seconds) for number, seconds in pairs if number >= _LEAST and seconds > 0]
    if pairs:
        found[name] = sum(number for number, _ in pairs) / sum(seconds for _, seconds in pairs)
