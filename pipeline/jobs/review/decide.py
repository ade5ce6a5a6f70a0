"""Keeps what a person decides about a finding, audited in the chained log, and brings truth to it."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import Connection

from pipeline.domain.errors import GuardRefusedError, UsageError
from pipeline.domain.identifiers import keyed_hash
from pipeline.domain.review import LONGEST_NOTE, LONGEST_TITLE, About, Action, Decision, FindingKind, Fix, Reason
from pipeline.domain.vocabulary import CRITERION_SECTIONS, FILE_KINDS, PUBLIC_KINDS, DocumentKind, Source
from pipeline.jobs.acting import acting_user
from pipeline.jobs.review import findings
from pipeline.jobs.review.fixing import TITLED_KINDS
from pipeline.jobs.review.model import DecisionEntry, DecisionList, Finding, entry
from pipeline.jobs.review.notes import NOTE, TITLE, checked
from pipeline.jobs.review.obey import obey
from pipeline.observability import log_event
from pipeline.storage import holds, review, search_log
from pipeline.storage.documents import load_documents
from pipeline.storage.search_log import Entry
from pipeline.wiring import Services, utc_now

DECIDED, WITHDRAWN, APPLIED = "review/decide", "review/withdraw", "review/apply"  # as the log has them

_OPERATOR = "operator"


def decide(
    services: Services,
    finding_id: str,
    subject: str,
    *,
    action: Action,
    reason: Reason,
    note: str = "",
    fix: Fix | None = None,
    who: str | None = None,
    key_id: str | None = None,
) -> DecisionEntry:
    """Decide about one finding as it is now. The same decision twice is one; another one takes its place.

    Args:
        services: The home.
        finding_id: As ``findings`` lists it.
        subject: The document or resource that the finding is about.
        action: What is decided.
        reason: Why.
        note: More words, which must name nobody; needed where the reason is ``other``.
        fix: What is said of the document; of a fix alone.
        who: Who decides; ``None``: the operating system's user.
        key_id: Of the API key that it was decided with.

    Raises:
        UsageError: There is no such finding, or the decision does not fit it.
        GuardRefusedError: The note or the title may identify somebody, a patient's file would become public, or a legal hold forbids it.
    """
    found = findings.get(services, finding_id, subject)
    if found is None:
        raise UsageError("there is no such finding now", remedy="`clindex review` lists what there is.")
    about = About(found.kind, found.subject, found.rule, found.locus, found.basis)
    decision = Decision(about, action, fix, reason, note, acting_user(who), utc_now())
    decision = checked_decision(services, decision)
    _refuse_unfit(services, found, decision)
    kept = keep(services, decision, endpoint=DECIDED, key_id=key_id)
    obey(services)
    return _now(services, kept)


def checked_decision(services: Services, decision: Decision) -> Decision:
    """Return a decision whose words have been read by the scrubber.

    Raises:
        UsageError: Its parts do not fit each other.
        GuardRefusedError: Its words may identify somebody.
    """
    note = checked(services, decision.note, longest=LONGEST_NOTE, what=NOTE)
    if decision.reason is Reason.OTHER and not note:
        raise UsageError("the reason `other` needs a note", remedy="Say in a few words why, and name nobody.")
    fix = decision.fix
    if (decision.action is Action.FIX) != (fix is not None and bool(fix.said())):
        raise UsageError("a fix says what is put right, and nothing else does", remedy="Name a kind, a title, a section or a rule.")
    if decision.about.kind is FindingKind.RESOURCE and (decision.action is Action.SUPPRESS or (fix and fix.changes_document)):
        raise UsageError("a resource that was put aside has no document", remedy="Accept that it stays out, or ask for a rule.")
    if fix is not None:
        fix = Fix(
            fix.kind, checked(services, fix.title or "", longest=LONGEST_TITLE, what=TITLE) or None, fix.from_section, fix.section, fix.rule
        )
        if (fix.section is None) != (fix.from_section is None) or (fix.section is not None and fix.section is fix.from_section):
            raise UsageError("a section is given to the passages of another one", remedy="Name both.")
        if fix.kind is not None and fix.kind not in FILE_KINDS:
            raise UsageError("a file cannot be of this kind", remedy="Trials come from the registry, resources from a FHIR feed.")
    return Decision(decision.about, decision.action, fix, decision.reason, note, decision.decided_by, decision.decided_at)


def _refuse_unfit(services: Services, found: Finding, decision: Decision) -> None:
    """Refuse what does not fit the document as truth has it."""
    if found.kind is FindingKind.RESOURCE or decision.action is Action.ACCEPT:
        return
    key = UUID(found.subject)
    with services.db.read() as tx:
        document = load_documents(tx, [key]).get(key)
        is_held = bool(holds.held(tx, [key]))
    if document is None:
        raise UsageError("truth does not know this document", remedy="`clindex review` lists what there is.")
    if decision.action is Action.SUPPRESS and is_held:
        raise GuardRefusedError(f"document {key} is under a legal hold", remedy="`clindex hold list` shows who placed it and why.")
    fix = decision.fix
    if fix is None:
        return
    kind = fix.kind or DocumentKind(document.kind)
    if fix.kind is not None and document.source != Source.DOCUMENTS:
        raise UsageError("only a file's kind can be set", remedy="What a registry or a FHIR server sends says itself what it is.")
    if fix.kind in PUBLIC_KINDS and document.facets.patient:
        raise GuardRefusedError("a patient's document cannot become public: its names would stay", remedy="Choose a clinical kind.")
    if fix.title and kind not in TITLED_KINDS:
        raise UsageError("the title of a clinical document is not a person's words", remedy="Of public documents and trials it can be set.")
    if fix.section is not None and kind is DocumentKind.TRIAL and not {fix.section, fix.from_section} <= set(CRITERION_SECTIONS):
        raise UsageError("criteria of a trial stay criteria", remedy=f"Choose one of {', '.join(CRITERION_SECTIONS)}.")


def keep(services: Services, decision: Decision, *, endpoint: str, key_id: str | None = None) -> str:
    """Keep a decision in one commit with its row in the log. Returns its id. What it takes the place of is withdrawn."""
    now = utc_now()
    with services.db.begin() as tx:
        before = review.get(tx, decision.decision_id)
        if before is not None and before.active:
            return decision.decision_id
        for other in review.of_finding(tx, decision.about.finding_id):
            review.withdraw(tx, other.decision.decision_id, by=decision.decided_by, now=now, obeyed_at=None)
        needs_nothing = decision.action is Action.ACCEPT or not (decision.fix is None or decision.fix.changes_document)
        review.put(tx, decision, obeyed_at=now if needs_nothing else None)
        _log(services, tx, decision, endpoint, who=decision.decided_by, key_id=key_id, now=now)
    log_event("review_decided", decision_id=decision.decision_id, kind=decision.about.kind.value, action=decision.action.value)
    return decision.decision_id


def withdraw(services: Services, decision_id: str, *, who: str | None = None, key_id: str | None = None) -> DecisionEntry:
    """Withdraw a decision: what it did is undone by the next runs. Its row stays.

    Raises:
        UsageError: No such decision holds.
    """
    by, now = acting_user(who), utc_now()
    with services.db.begin() as tx:
        kept = review.get(tx, decision_id)
        if kept is None or not review.withdraw(tx, decision_id, by=by, now=now, obeyed_at=None):
            raise UsageError("no such decision holds", remedy="`clindex decisions list` shows them.")
        _log(services, tx, kept.decision, WITHDRAWN, who=by, key_id=key_id, now=now)
    log_event("review_withdrawn", decision_id=decision_id)
    obey(services)
    return _now(services, decision_id)


def list_decisions(services: Services, *, active_only: bool = False) -> DecisionList:
    """Return decisions, the newest first."""
    with services.db.read() as tx:
        return DecisionList(decisions=[entry(one) for one in review.listed(tx, active_only=active_only)])


def _now(services: Services, decision_id: str) -> DecisionEntry:
    with services.db.read() as tx:
        kept = review.get(tx, decision_id)
    if kept is None:
        raise UsageError("there is no such decision", remedy="`clindex decisions list` shows them.")
    return entry(kept)


def _log(services: Services, tx: Connection, decision: Decision, endpoint: str, *, who: str, key_id: str | None, now: datetime) -> None:
    """Add a row to the chained log: ids and enum values, and who as a keyed hash (the table says the name)."""
    about = decision.about
    said = {"decision": decision.decision_id, "finding": about.finding_id, "kind": about.kind.value, "action": decision.action.value}
    said |= {"reason": decision.reason.value, "by": "#" + keyed_hash(services.secret, "filter", who)[:16]}
    shown = () if about.kind is FindingKind.RESOURCE else (UUID(about.subject),)
    row = Entry(uuid4(), now, key_id, _OPERATOR, endpoint, None, said, shown, 0)
    search_log.append(tx, row, secret=services.secret)
