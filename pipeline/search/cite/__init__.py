"""Citations: their words, their tokens, and what an old one means today. ``resolve`` and ``figure`` are in modules of their names."""

from pipeline.search.cite.words import age_in_days, citation, ordinal_word, pages, place

__all__ = ["age_in_days", "citation", "ordinal_word", "pages", "place"]
