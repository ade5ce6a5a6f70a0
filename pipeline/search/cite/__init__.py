"""Citations: their words, their tokens, and what an old one means today."""

from pipeline.search.cite.words import age_in_days, citation, ordinal_word, pages, place

__all__ = ["age_in_days", "citation", "ordinal_word", "pages", "place"]
