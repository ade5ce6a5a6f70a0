"""Turns what truth holds into one citable, still identified document."""

from pipeline.stages.assemble.trial import READER_VERSION, assemble_trial

__all__ = ["READER_VERSION", "assemble_trial"]
