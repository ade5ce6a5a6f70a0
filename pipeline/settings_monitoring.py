"""The settings of monitors: figures, and who is told how a run ended."""

from __future__ import annotations

from typing import Literal

from pydantic import SecretStr
from pydantic_settings import BaseSettings

from pipeline.setting import setting


class MonitoringSettings(BaseSettings):
    """``CLINDEX_METRICS_*``, ``CLINDEX_OTLP_*``, ``CLINDEX_NOTIFY_*``."""

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

    notify_on: tuple[Literal["incomplete", "blocked", "drift", "freshness"], ...] = setting(
        ("incomplete", "blocked", "drift", "freshness"), unit="what a message may be about", reason="all that a person must look at"
    )
    notify_mail_to: tuple[str, ...] = setting((), unit="mail addresses, a JSON list", reason="none: no mail is sent", repr=False)
    notify_mail_from: str = setting("clindex@localhost", unit="mail address", reason="a site's mail server may ask for another", repr=False)
    notify_smtp_url: SecretStr | None = setting(
        None, unit="smtp://USER:PASSWORD@HOST:PORT, or smtps://", reason="none: no mail is sent; smtp goes over to TLS where the server can"
    )
    notify_mail_connection: str | None = setting(
        None, unit="id of an Airflow connection of type smtp", reason="none: notify_smtp_url; with one, Airflow's own secrets send the mail"
    )
    notify_slack_url: SecretStr | None = setting(None, unit="URL of an incoming webhook", reason="none: nothing goes to Slack")
    notify_webhook_url: SecretStr | None = setting(
        None, unit="URL", reason="none: nothing is posted; with one, each message as JSON (schemas/notification.json)"
    )
    notify_timeout_seconds: float = setting(10.0, unit="seconds a channel", reason="what does not answer by then is away", gt=0)
    public_url: str | None = setting(
        None, unit="URL of `clindex serve` as people reach it", reason="none: messages have no link to the report", repr=False
    )
