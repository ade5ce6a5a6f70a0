"""How sure a hit must be to be shown, by what the query is after: ``CLINDEX_THRESHOLDS``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pipeline.domain.errors import ConfigurationError
from pipeline.search.understand.model import Intent


def threshold_of(intents: Sequence[Intent], by_intent: Mapping[str, float], *, asked: float) -> float:
    """Return the lowest score that is shown: the higher one of what was asked for and what the site set for the strongest intent.

    Raises:
        ConfigurationError: The site set one for an intent that does not exist, or outside 0..1.
    """
    wrong = sorted(name for name, value in by_intent.items() if name not in set(Intent) or not 0 <= value <= 1)
    if wrong:
        raise ConfigurationError(
            f"thresholds: {', '.join(wrong)}", remedy=f"CLINDEX_THRESHOLDS is a JSON object of scores 0..1 by intent: {', '.join(Intent)}."
        )
    return max(asked, by_intent.get(intents[0], 0.0))
