"""Sections of a de-identified document, from data: headings, categories, LOINC codes."""

from pipeline.stages.sections.finder import SectionFinder
from pipeline.stages.sections.rules import SectionRule, section_rules

__all__ = ["SectionFinder", "SectionRule", "section_rules"]
