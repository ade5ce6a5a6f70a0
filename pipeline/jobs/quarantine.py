"""Looks into the quarantine, and lets one document pass: with a reason, audited, for exactly this content and recipe."""

from __future__ import annotations

from uuid import UUID

from pydantic import Field

from pipeline.domain.errors import GuardRefusedError, UsageError
from pipeline.domain.vocabulary import DocumentKind
from pipeline.jobs.acting import acting_user
from pipeline.jobs.summaries import Summary
from pipeline.observability import log_event
from pipeline.storage import quarantine
from pipeline.storage.quarantine import QuarantinedDocument, Release
from pipeline.wiring import Services, utc_now


class QuarantineEntry(Summary):
    """One document that is held back."""

    document_id: str
    source: str
    source_key: str
    kind: str
    policy: str = Field(description="name and version of the de-identification policy that it was judged under")
    gate: str = Field(description="version of the gate")
    classes: dict[str, int] = Field(description="identifiers by class")
    since: str = Field(description="ISO 8601")
    judged_at: str = Field(description="ISO 8601")


class QuarantineList(Summary):
    """Everything that is held back, the longest first."""

    documents: list[QuarantineEntry]


class GateFindingEntry(Summary):
    """One class of identifiers in one text. Never the text."""

    where: str = Field(description="the document's part, or title or payload")
    section: str | None
    ordinal: int | None
    category: str
    count: int
    start: int = Field(description="where the first begins, in characters of the text that was to be embedded")
    characters: int


class ReleaseEntry(Summary):
    """Who let which content pass."""

    released_at: str
    released_by: str
    reason: str
    policy: str
    gate: str
    content_hash: str
    fingerprint: str
    classes: dict[str, int]


class QuarantineDetails(Summary):
    """One document that is held back, with the places."""

    document: QuarantineEntry
    content_changed: bool = Field(description="truth holds another content by now: the next index judges it anew")
    findings: list[GateFindingEntry]
    releases: list[ReleaseEntry] = Field(description="earlier releases of this document, newest first")


class ReleaseSummary(Summary):
    """What was released."""

    document_id: str
    release: ReleaseEntry


def list_quarantine(services: Services) -> QuarantineList:
    """Return everything that is held back."""
    with services.db.read() as tx:
        return QuarantineList(documents=[_entry(one) for one in quarantine.listed(tx)])


def show_quarantined(services: Services, document_id: UUID) -> QuarantineDetails:
    """Return where the gate found what in one document.

    Raises:
        UsageError: No such document is held back.
    """
    with services.db.read() as tx:
        held = quarantine.get(tx, document_id)
        earlier = quarantine.releases(tx, document_id=document_id)
    if held is None:
        raise _not_held(document_id)
    return QuarantineDetails(
        document=_entry(held),
        content_changed=held.content_hash != held.current_hash,
        findings=[GateFindingEntry(**one) for one in held.findings],
        releases=[_release(one) for one in earlier],
    )


def release_quarantined(services: Services, document_id: UUID, *, reason: str, by: str | None = None) -> ReleaseSummary:
    """Let a document pass the gate at the next ``index``: this content by this recipe, and no other.

    Args:
        services: The home.
        document_id: A document that is held back.
        reason: Why, in a person's words; kept for ever. It must name nobody.
        by: Who; ``None``: the operating system's user.

    Raises:
        UsageError: No such document is held back, or the reason is empty.
        GuardRefusedError: What was judged is not what would be indexed now.
    """
    if not reason.strip():
        raise UsageError("a release needs a reason", remedy="Say why with --reason; it is kept with your user name.")
    now = utc_now()
    with services.db.begin() as tx:
        held = quarantine.get(tx, document_id)
        if held is None:
            raise _not_held(document_id)
        _refuse_other(services, held)
        one = Release(
            document_id=document_id,
            fingerprint=held.fingerprint,
            content_hash=held.content_hash,
            policy=held.policy,
            gate=held.gate,
            classes=held.classes,
            released_by=acting_user(by),
            reason=reason.strip(),
            released_at=now,
        )
        quarantine.release(tx, one)
    log_event("quarantine_released", document_id=str(document_id), policy=held.policy, fingerprint=held.fingerprint)
    return ReleaseSummary(document_id=str(document_id), release=_release(one))


def _refuse_other(services: Services, held: QuarantinedDocument) -> None:
    """Refuse where content, policy or another part of the recipe has changed since the gate judged."""
    recipe = services.recipe(DocumentKind(held.kind), held.source)
    if held.content_hash != held.current_hash or recipe.fingerprint_of(held.current_hash) != held.fingerprint:
        raise GuardRefusedError(
            f"document {held.document_id} has changed since the gate judged it, or its recipe has",
            remedy="Run `clindex index`, which judges it anew; then look at it again.",
        )


def _not_held(document_id: UUID) -> UsageError:
    return UsageError(f"document {document_id} is not in quarantine", remedy="`clindex quarantine list` shows what is.")


def _entry(one: QuarantinedDocument) -> QuarantineEntry:
    return QuarantineEntry(
        document_id=str(one.document_id),
        source=one.source,
        source_key=one.source_key,
        kind=one.kind,
        policy=one.policy,
        gate=one.gate,
        classes=one.classes,
        since=one.since.isoformat(),
        judged_at=one.judged_at.isoformat(),
    )


def _release(one: Release) -> ReleaseEntry:
    return ReleaseEntry(
        released_at=one.released_at.isoformat(),
        released_by=one.released_by,
        reason=one.reason,
        policy=one.policy,
        gate=one.gate,
        content_hash=one.content_hash,
        fingerprint=one.fingerprint,
        classes=one.classes,
    )
