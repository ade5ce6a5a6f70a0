"""Finds documents whose time is over: by the site's rules, from the document's own date, and never one that is held.

What counts is the document's date (of clinical kinds the year alone, the real one: dates are shifted in texts only), else when truth last took
its content in, which is never earlier than when truth first knew it. A partial date counts from its end. The clock is UTC.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from pydantic import Field
from sqlalchemy import Connection, select

from pipeline.domain.retention import RetentionRules, end_of, last_day_kept
from pipeline.jobs.retention.rules import retention_rules
from pipeline.jobs.summaries import Summary
from pipeline.storage import documents as document_store
from pipeline.storage import holds
from pipeline.storage.proof_tables import deletion_documents
from pipeline.storage.tables import documents
from pipeline.wiring import Services


@dataclass(frozen=True, slots=True)
class Expired:
    """One document whose time is over. A held one is kept all the same."""

    document_id: UUID
    source: str
    kind: str
    access: str | None
    last_day_kept: date
    held: bool = False


class ExpiredCount(Summary):
    """Expired documents of one kind and access label."""

    kind: str
    access: str | None
    keep_years: int
    reason: str = Field(description="of the rule that holds")
    documents: int = Field(description="that would be deleted")
    held: int = Field(description="that have expired and are kept: a legal hold")


class RetentionPreview(Summary):
    """What retention would delete now."""

    as_of: str = Field(description="ISO 8601, UTC")
    documents: int
    held: int
    live_documents: int = Field(description="all documents that are alive: what the share is of")
    share: float = Field(description="0..1; above CLINDEX_MAX_DELETE_SHARE a person must approve")
    counts: list[ExpiredCount]


def expired(services: Services, now: datetime) -> list[Expired]:
    """Return every document whose time is over, held ones marked, by id. One that a deletion has erased already is none.

    Documents that vanished from their source are among them: what landing holds of them must go in time too.

    Raises:
        ConfigurationError: The rules cannot be used.
    """
    rules = retention_rules(services.settings)
    with services.db.read() as tx:
        found = list(_expired(tx, rules, now.date()))
        held = holds.held(tx, [one.document_id for one in found])
    return [Expired(one.document_id, one.source, one.kind, one.access, one.last_day_kept, one.document_id in held) for one in found]


def preview(services: Services, now: datetime, found: list[Expired] | None = None) -> RetentionPreview:
    """Return what a deletion of all expired documents would be, by kind and label, so that a changed rule shows its effect first."""
    rules = retention_rules(services.settings)
    found = expired(services, now) if found is None else found
    with services.db.read() as tx:
        alive = document_store.live_count(tx)
    groups: dict[tuple[str, str | None], list[Expired]] = {}
    for one in found:
        groups.setdefault((one.kind, one.access), []).append(one)
    counts = [_count(rules, key, groups[key]) for key in sorted(groups, key=lambda pair: (pair[0], pair[1] or ""))]
    going = sum(one.documents for one in counts)
    return RetentionPreview(
        as_of=now.isoformat(),
        documents=going,
        held=sum(one.held for one in counts),
        live_documents=alive,
        share=round(going / alive, 4) if alive else 0.0,
        counts=counts,
    )


def _count(rules: RetentionRules, key: tuple[str, str | None], group: list[Expired]) -> ExpiredCount:
    kind, access = key
    rule = rules.rule_for(kind, access)
    held = sum(one.held for one in group)
    return ExpiredCount(
        kind=kind,
        access=access,
        keep_years=(rule.keep_years if rule else None) or 0,
        reason=rule.reason if rule else "",
        documents=len(group) - held,
        held=held,
    )


def _expired(tx: Connection, rules: RetentionRules, today: date) -> Iterator[Expired]:
    names = documents.c
    query = (
        select(names.document_id, names.source, names.kind, names.facets, names.updated_at)
        .where(names.kind.in_(rules.limited_kinds))
        .where(names.tombstoned_at.is_(None) | names.document_id.not_in(select(deletion_documents.c.document_id)))
        .order_by(names.document_id)
    )
    for row in tx.execution_options(yield_per=2000).execute(query):
        facets = row.facets or {}
        rule = rules.rule_for(row.kind, facets.get("access"))
        if rule is None or rule.keep_years is None:
            continue
        counts_from = end_of(facets.get("document_date")) or row.updated_at.date()
        last = last_day_kept(counts_from, rule.keep_years)
        if today > last:
            yield Expired(row.document_id, row.source, row.kind, facets.get("access"), last)
