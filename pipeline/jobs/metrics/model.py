"""What a metric is, and its values. Names follow Prometheus' conventions: base units, and the unit as the name's end.

A label's value is of a closed vocabulary or a name of ours: never an id, a key, a query or text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

_LABEL: Final = re.compile(r"[A-Za-z0-9_.@/-]{1,64}\Z", re.ASCII)

#: What stands in place of a label's value that no vocabulary of ours can hold (a foreign hand wrote into the database).
OTHER: Final = "other"


class MetricKind(StrEnum):
    """How values go on: up and down, up alone, or as a distribution."""

    GAUGE = "gauge"
    COUNTER = "counter"
    HISTOGRAM = "histogram"


@dataclass(frozen=True, slots=True)
class Definition:
    """One metric.

    Attributes:
        name: As OpenTelemetry has it: a counter's ``_total`` is added in Prometheus' text.
        unit: UCUM: ``s``, ``1`` for a ratio 0..1, ``{document}`` for counted things.
        buckets: Upper bounds of a histogram, included; the last, without a bound, is not named.
    """

    name: str
    kind: MetricKind
    says: str
    unit: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()

    @property
    def series(self) -> tuple[str, ...]:
        """Names that an expression may ask for."""
        if self.kind is MetricKind.COUNTER:
            return (f"{self.name}_total",)
        if self.kind is MetricKind.HISTOGRAM:
            return tuple(f"{self.name}_{end}" for end in ("bucket", "count", "sum"))
        return (self.name,)


@dataclass(frozen=True, slots=True)
class Distribution:
    """Values of a histogram: how many are in each bucket (one more than there are bounds), and their sum."""

    counts: tuple[int, ...]
    sum: float


@dataclass(frozen=True, slots=True)
class Sample:
    """One value with the labels' values, in the order of the definition's."""

    labels: tuple[str, ...]
    value: float | Distribution


@dataclass(frozen=True, slots=True)
class Family:
    """A metric with its values."""

    definition: Definition
    samples: tuple[Sample, ...]


def label(value: object) -> str:
    """Return a label's value."""
    text = str(value)
    return text if _LABEL.match(text) else OTHER
