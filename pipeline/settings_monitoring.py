"""The settings of monitors: figures, and who is told how a run ended."""

from __future__ import annotations

from pydantic_settings import BaseSettings

from pipeline.setting import setting


class MonitoringSettings(BaseSettings):
    """``CLINDEX_METRICS_*``, ``CLINDEX_OTLP_*``."""

    metrics_max_age_seconds: float = setting(
        30.0,
        unit="seconds",
        reason="monitors ask every 15 to 60 s; the figures of 100,000 documents with 400,000 pages took 0.7 s to read",
        ge=0,
    )
    otlp_endpoint: str | None = setting(
        None,
        unit="URL of an OTLP/HTTP receiver, without /v1/metrics",
        reason="none: nothing is sent; with one, each command and DAG run that ended a run sends the home's figures",
        repr=False,
    )
    otlp_timeout_seconds: float = setting(10.0, unit="seconds", reason="a receiver that does not answer holds no run up for longer", gt=0)
