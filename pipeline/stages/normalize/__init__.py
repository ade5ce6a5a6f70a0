"""Turns one record of a source, as JSON bytes, into our own types."""

from pipeline.stages.normalize.study import normalize_study

__all__ = ["normalize_study"]
