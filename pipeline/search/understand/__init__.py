"""What a query says: spelling, abbreviations, synonyms, numbers, age and sex, intents and identifiers, all from data files."""

from __future__ import annotations

from pipeline.search.understand.mentions import mentions
from pipeline.search.understand.model import Understood, Variant, Why


def understand(query: str) -> Understood:
    """Return what a query says. Its own words are always the first variant."""
    return Understood(query=query, variants=(Variant(query, Why.ORIGINAL),), mentions=mentions(query))
