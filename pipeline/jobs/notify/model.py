"""A notification (``schemas/notification.json``): ids, counts and values of vocabularies. No name, no text, no number of a document is in it."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Literal

from pydantic import Field

from pipeline.jobs.summaries import Summary


class Topic(StrEnum):
    """What a message may be about; ``CLINDEX_NOTIFY_ON`` chooses."""

    INCOMPLETE = "incomplete"  # a run broke off, was killed, or left something out
    BLOCKED = "blocked"  # data are held back: by an expectation, or by the identifier gate
    DRIFT = "drift"  # index, database and sources differ, or distributions have moved
    FRESHNESS = "freshness"  # recruiting studies that were not confirmed within the objective


class ToldRun(Summary):
    """A run that the message is about."""

    run_id: str
    kind: str
    state: str
    started_at: datetime
    finished_at: datetime | None
    failures: dict[str, int] = Field(description="what was not taken, by category")


class Finding(Summary):
    """One thing to know, as a sentence and as counts."""

    topic: Topic
    run: str | None = Field(description="kind of the run that it is about; null: of the DAG run as a whole")
    says: str
    counts: dict[str, int] = Field({}, description="what the sentence counts, by class, category or expectation")


class Message(Summary):
    """One message about one DAG run, or about the runs that a person named."""

    version: Literal["1"] = "1"
    subject: str
    dag: str | None = Field(description="null: not from Airflow")
    dag_run: str | None
    runs: list[ToldRun]
    findings: list[Finding]
    report: str | None = Field(description="address of the latest report; null: CLINDEX_PUBLIC_URL is not set")

    @property
    def text(self) -> str:
        """The message in words, one finding a line."""
        head = [f"DAG {self.dag}, run {self.dag_run or '?'}"] if self.dag else []
        runs = [f"- {run.kind} {run.run_id}: {run.state}" for run in self.runs]
        findings = [f"[{one.topic.value}] {one.says}" for one in self.findings]
        report = [f"Report: {self.report}"] if self.report else []
        return "\n".join([*findings, "", *head, *runs, *report]).strip()


class Channel(StrEnum):
    """How a message goes out."""

    MAIL = "mail"
    SLACK = "slack"
    WEBHOOK = "webhook"


class Delivery(Summary):
    """Whether a message went out."""

    channel: Channel
    sent: bool
    error: str | None = Field(None, description="status, or class of the error")


class NotifySummary(Summary):
    """What was told to whom."""

    message: Message | None = Field(description="null: there is nothing to tell")
    deliveries: list[Delivery] = Field([], description="one a channel that is set; none of a dry run")

    @property
    def failed(self) -> bool:
        """Whether a channel did not take it."""
        return any(not one.sent for one in self.deliveries)
