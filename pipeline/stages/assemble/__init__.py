"""Turns what truth and landing hold into one citable, still identified document."""

from pipeline.stages.assemble.note import FILE_READER_VERSION, FileFacts, assemble_file
from pipeline.stages.assemble.observation import observation_line
from pipeline.stages.assemble.trial import READER_VERSION, assemble_trial

__all__ = ["FILE_READER_VERSION", "READER_VERSION", "FileFacts", "assemble_file", "assemble_trial", "observation_line"]
