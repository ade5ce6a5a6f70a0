"""Turns one record of a source, as bytes, into our own types."""

from pipeline.stages.normalize.sidecar import read_sidecar
from pipeline.stages.normalize.study import normalize_study
from pipeline.stages.normalize.text_file import is_wide, read_text

__all__ = ["is_wide", "normalize_study", "read_sidecar", "read_text"]
