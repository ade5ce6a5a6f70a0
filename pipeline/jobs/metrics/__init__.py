"""Figures for monitors: each is defined once (``catalog``), read from truth (``figures``), and shown as Prometheus text or sent by OTLP."""

from __future__ import annotations

from pipeline.jobs.metrics.exposition import MEDIA_TYPE, HomeCollector, page
from pipeline.jobs.metrics.figures import home_families

__all__ = ["MEDIA_TYPE", "HomeCollector", "home_families", "page"]
