"""Sections of a de-identified document, from data: headings, categories, LOINC codes."""
