"""What a query says: spelling, abbreviations, synonyms, numbers, age and sex, intents and identifiers, all from data files."""

from __future__ import annotations

from pipeline.search.understand.read import understand

__all__ = ["understand"]
