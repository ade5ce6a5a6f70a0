"""Deletion for good: asked for by a person or by retention, unsearchable at once, then gone from every store, whatever kills it half-way.

``request`` commits what is to go; ``carry_out`` removes it and may be run any number of times; ``finish_open`` ends what was killed. A
separate verifier and its certificate (``pipeline.jobs.certificates.verify``, ``pipeline.jobs.certificates.issue``) prove it.
"""

from __future__ import annotations

from pipeline.jobs.deletion.carry_out import carry_out, finish_open
from pipeline.jobs.deletion.lift import lift
from pipeline.jobs.deletion.request import preview, request
from pipeline.jobs.deletion.summaries import DeletionOutcome, DeletionRequest, LiftSummary

__all__ = ["DeletionOutcome", "DeletionRequest", "LiftSummary", "carry_out", "finish_open", "lift", "preview", "request"]
