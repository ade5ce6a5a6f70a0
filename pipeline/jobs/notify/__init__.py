"""Tells people how runs ended: what a message says (``facts``, ``wording``), and how it is sent (``sending``)."""

from __future__ import annotations

from pipeline.jobs.notify.facts import AirflowRun, message_of, named, runs_of
from pipeline.jobs.notify.model import Message, NotifySummary
from pipeline.jobs.notify.sending import send

__all__ = ["AirflowRun", "Message", "NotifySummary", "message_of", "named", "runs_of", "send"]
