"""Collects what the report says of the gate: held documents, releases, the last audit. Classes and counts only."""

from __future__ import annotations

from collections import Counter
from typing import Final

from sqlalchemy import Connection

from pipeline.jobs.report import queries
from pipeline.jobs.report.model import AuditFacts, Count, PrivacyFacts, ReleaseFacts
from pipeline.storage import quarantine

SHOWN_RELEASES: Final = 50  # the newest; the database has all


def privacy_facts(tx: Connection) -> PrivacyFacts:
    """Return the report's section on identifiers."""
    held = quarantine.listed(tx)
    classes: Counter[str] = Counter()
    for one in held:
        classes.update(one.classes)
    releases = [
        ReleaseFacts(
            document_id=str(one.document_id),
            released_at=one.released_at,
            released_by=one.released_by,
            reason=one.reason,
            policy=one.policy,
            classes=one.classes,
        )
        for one in quarantine.releases(tx, limit=SHOWN_RELEASES)
    ]
    return PrivacyFacts(held=len(held), held_classes=_counts(classes), releases=releases, audit=_audit(tx))


def _audit(tx: Connection) -> AuditFacts | None:
    run = queries.last_ended(tx, "audit")
    if run is None:
        return None
    by_class: Counter[str] = Counter()
    for group in run.counts.get("leaks", []):
        by_class[group["category"]] += group["count"]
    return AuditFacts(
        run_id=str(run.run_id),
        finished_at=run.finished_at,
        clean=run.counts.get("clean", False),
        documents=run.counts.get("documents", 0),
        leaked_documents=run.counts.get("leaked_documents", 0),
        leaked_characters=run.counts.get("leaked_characters", 0),
        leaks=_counts(by_class),
    )


def _counts(counter: Counter[str]) -> list[Count]:
    return [Count(value=name, count=count) for name, count in sorted(counter.items(), key=lambda item: (-item[1], item[0]))]
