"""``GET /review/findings``, ``POST /review/decisions`` and their like: what a person has to look at, for operators. Ids and codes, no text."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict, Field

from pipeline.api.principal import Operating
from pipeline.api.serving import serving_of
from pipeline.domain.errors import UsageError
from pipeline.domain.review import Action, FindingKind, Fix, Reason
from pipeline.jobs.review.decide import decide, list_decisions, withdraw
from pipeline.jobs.review.files import FixFile
from pipeline.jobs.review.findings import MOST, PAGE, Status, findings
from pipeline.jobs.review.model import DecisionEntry, DecisionList, FindingPage
from pipeline.search.access import Principal

router = APIRouter(prefix="/review", tags=["review"])

_HEX32 = r"^[0-9a-f]{32}$"


class DecisionRequest(BaseModel):
    """What is decided about one finding."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    finding_id: str = Field(pattern=_HEX32)
    subject: str = Field(max_length=64, description="the document or resource that the finding is about")
    action: Action
    reason: Reason
    note: str = Field("", max_length=1000, description="names nobody: the scrubber reads it")
    fix: FixFile | None = None


def person_of(principal: Principal) -> str:
    """Return who decides, as it is kept: the key's id, or that there was none."""
    return f"key {principal.key_id}" if principal.key_id else "operator without a key"


@router.get("/findings", summary="What a person has to look at")
def get_findings(
    request: Request,
    _: Operating,
    kind: FindingKind | None = None,
    status: Status = "open",
    subject: Annotated[str | None, Query(max_length=64)] = None,
    after: Annotated[str | None, Query(max_length=128)] = None,
    limit: Annotated[int, Query(ge=1, le=MOST)] = PAGE,
) -> FindingPage:
    """Return a page of findings."""
    return findings(serving_of(request).services, kind, status=status, subject=subject, after=after, limit=limit)


@router.get("/decisions", summary="What people decided")
def get_decisions(request: Request, _: Operating, withdrawn: bool = False) -> DecisionList:
    """Return decisions, the newest first; ``withdrawn``: those that do not hold any more, too."""
    return list_decisions(serving_of(request).services, active_only=not withdrawn)


@router.post("/decisions", summary="Decide about a finding", status_code=201)
def post_decision(request: Request, said: DecisionRequest, principal: Operating) -> DecisionEntry:
    """Decide about a finding. The next index run obeys it."""
    fix = None if said.fix is None else Fix(**dict(said.fix))
    with serving_of(request).turn() as there:
        return decide(
            there,
            said.finding_id,
            said.subject,
            action=said.action,
            reason=said.reason,
            note=said.note,
            fix=fix,
            who=person_of(principal),
            key_id=principal.key_id,
        )


@router.post("/decisions/{decision_id}/withdraw", summary="Withdraw a decision")
def post_withdrawal(request: Request, decision_id: str, principal: Operating) -> DecisionEntry:
    """Withdraw a decision. The next index run undoes what it did."""
    if len(decision_id) != 32:
        raise UsageError("no such decision holds", remedy="GET /review/decisions lists them.")
    with serving_of(request).turn() as there:
        return withdraw(there, decision_id, who=person_of(principal), key_id=principal.key_id)
