"""How well a section answers a query by what the query is after, from ``sections.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Final

from pipeline.domain.vocabulary import Section
from pipeline.search.understand.model import Intent

_ANY: Final = "any"


@cache
def _priorities() -> dict[str, dict[Section, float]]:
    read = tomllib.loads(resources.files("pipeline.search.rerank").joinpath("sections.toml").read_text("utf-8"))
    unknown = sorted(set(read) - {*Intent, _ANY})
    if unknown:
        raise ValueError(f"sections.toml names intents that do not exist: {', '.join(unknown)}")
    return {intent: {Section(name): float(value) for name, value in rows.items()} for intent, rows in read.items()}


def section_fit(section: Section, intents: Sequence[Intent]) -> float:
    """Return how well a section answers (-1..1): the sum over intents, cut there; later intents, which are weaker, count half."""
    table = _priorities()
    value = table[_ANY].get(section, 0.0)
    for place, intent in enumerate(intents):
        value += table.get(intent, {}).get(section, 0.0) * (1.0 if place == 0 else 0.5)
    return max(-1.0, min(1.0, value))
