"""The review console: a list of findings and a form for each, rendered here, for operators only. Ids and codes, no text of a document."""

from __future__ import annotations

from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse

from pipeline.api.errors import no_such_thing
from pipeline.api.page import console_words
from pipeline.api.page.posted import Form, Posted
from pipeline.api.page.rendering import render
from pipeline.api.principal import Operating
from pipeline.api.routes.reviewing import person_of
from pipeline.api.serving import serving_of
from pipeline.domain.errors import GuardRefusedError, UsageError
from pipeline.domain.review import LONGEST_NOTE, LONGEST_TITLE, Action, FindingKind, Fix, Reason, RuleSet
from pipeline.domain.vocabulary import CRITERION_SECTIONS, FILE_KINDS, DocumentKind, Section
from pipeline.jobs.review import findings as job
from pipeline.jobs.review.decide import decide, withdraw
from pipeline.jobs.review.findings import Status, count_open, findings
from pipeline.jobs.review.fixing import TITLED_KINDS
from pipeline.jobs.review.model import Finding

router = APIRouter(include_in_schema=False)

_PAGE: Final = 25  # findings: two screens
_FIXED: Final = ("kind", "title", "from_section", "section", "rule")
Id = Annotated[str, Query(max_length=64)]


@router.get("/console")
def get_console(
    request: Request,
    principal: Operating,
    kind: FindingKind | None = None,
    status: Status = "open",
    after: Annotated[str | None, Query(max_length=128)] = None,
) -> Response:
    """List findings of a kind (of the first that has any, where none is named)."""
    services = serving_of(request).services
    counts = count_open(services)
    page = findings(services, kind, status=status, after=after, limit=_PAGE)
    return render(
        request,
        "console",
        role=principal.role.value,
        say=console_words,
        counts=counts.open,
        at_most=counts.at_most,
        kind=kind,
        status=status,
        is_first=after is None,
        page=page,
    )


@router.get("/console/finding")
def get_finding(request: Request, principal: Operating, id: Id, subject: Id) -> Response:  # noqa: A002 - a word of the address
    """Show one finding with the form for a decision."""
    return _form(request, principal.role.value, _found(request, id, subject), Posted({}))


@router.post("/console/decide")
def post_decision(request: Request, principal: Operating, form: Form) -> Response:
    """Decide, and go back to the list; what cannot be decided so is shown again as it was sent, with why."""
    found = _found(request, form.one("finding_id"), form.one("subject"))
    try:
        action, reason, fix = Action(form.one("action")), Reason(form.one("reason")), _fix(form)
    except ValueError:
        return _form(request, principal.role.value, found, form, wrong="Choose what is decided, and why.")
    try:
        with serving_of(request).turn() as there:
            decide(
                there,
                found.finding_id,
                found.subject,
                action=action,
                reason=reason,
                note=form.one("note"),
                fix=fix,
                who=person_of(principal),
                key_id=principal.key_id,
            )
    except (UsageError, GuardRefusedError) as error:
        return _form(request, principal.role.value, found, form, wrong=f"{error.message}. {error.remedy or ''}".strip())
    return _see_other(f"/console?kind={found.kind.value}")


@router.post("/console/withdraw")
def post_withdrawal(request: Request, principal: Operating, form: Form) -> Response:
    """Withdraw a decision, and go back to the finding."""
    found = _found(request, form.one("finding_id"), form.one("subject"))
    if found.decision is None:
        raise no_such_thing()
    with serving_of(request).turn() as there:
        withdraw(there, found.decision.decision_id, who=person_of(principal), key_id=principal.key_id)
    return _see_other(f"/console/finding?id={found.finding_id}&subject={found.subject}")


def _see_other(address: str) -> Response:
    return RedirectResponse(address, status_code=303, headers={"Cache-Control": "no-store"})


def _found(request: Request, finding_id: str, subject: str) -> Finding:
    found = job.get(serving_of(request).services, finding_id, subject)
    if found is None:
        raise no_such_thing()
    return found


def _fix(form: Posted) -> Fix | None:
    """Return what the form says is right; ``None``: nothing, or it is not a fix.

    Raises:
        ValueError: A value is none of its vocabulary.
    """
    said = {name: value for name in _FIXED if (value := form.one(name))}
    if "section" not in said:
        said.pop("from_section", None)
    return Fix.of(dict(said)) if said and form.one("action") == Action.FIX else None


def _form(request: Request, role: str, found: Finding, sent: Posted, *, wrong: str = "") -> Response:
    return render(
        request, "console_finding", code=400 if wrong else 200, role=role, say=console_words, sent=sent, wrong=wrong, **_choices(found)
    )


def _choices(found: Finding) -> dict[str, Any]:
    """Return what may be chosen for a finding: no field that its document cannot have."""
    is_document = found.kind is not FindingKind.RESOURCE
    kind = DocumentKind(found.subject_kind) if is_document else None
    sections = CRITERION_SECTIONS if kind is DocumentKind.TRIAL else tuple(Section)
    return {
        "found": found,
        "is_document": is_document,
        "kinds": FILE_KINDS if kind in FILE_KINDS else (),
        "may_title": kind in TITLED_KINDS,
        "sections": sections if is_document else (),
        "presumed": Section.ELIGIBILITY_UNPARSED if found.kind is FindingKind.UNPARSED_CRITERIA else None,
        "rules": tuple(RuleSet),
        "actions": found.actions,
        "longest_note": LONGEST_NOTE,
        "longest_title": LONGEST_TITLE,
    }
