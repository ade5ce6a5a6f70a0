"""Turns what truth and landing hold into one citable, still identified document."""

from pipeline.stages.assemble.site_file import FileFacts, FoundFacts, assemble_file
from pipeline.stages.assemble.tables import table_rows
from pipeline.stages.assemble.trial import READER_VERSION, assemble_trial

__all__ = ["READER_VERSION", "FileFacts", "FoundFacts", "assemble_file", "assemble_trial", "table_rows"]
