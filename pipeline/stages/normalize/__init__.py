"""Turns one record of a source, as bytes, into our own types."""

from pipeline.stages.normalize.sidecar import read_sidecar
from pipeline.stages.normalize.study import normalize_study

__all__ = ["normalize_study", "read_sidecar"]
