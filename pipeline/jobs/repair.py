"""Repair plans: what reconciliation would do, as a file that a person can read, approve and that carries its own hash.

A plan is two files: ``plan-RUN.json`` says what, how much and for which state of the world; ``plan-RUN.points.jsonl`` has one line a
finding (class, ids). Neither holds text.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Literal
from uuid import UUID

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from sqlalchemy import Connection

from pipeline.domain.errors import GuardRefusedError, UsageError, WriteVerificationError
from pipeline.domain.identifiers import fingerprint
from pipeline.domain.vocabulary import DriftClass
from pipeline.jobs.drift import Finding, Tally
from pipeline.jobs.guards import refuse_large_deletion
from pipeline.jobs.index import begin_run, end_run, index_batches
from pipeline.jobs.index_plan import batches
from pipeline.jobs.summaries import IndexSummary
from pipeline.jobs.upkeep import update_payloads
from pipeline.observability import log_event
from pipeline.storage import chunks as chunk_store
from pipeline.storage import documents, index_state
from pipeline.storage.secrets import ensure_site_secret
from pipeline.wiring import Services, utc_now

_DELETE_BATCH = 1000  # ids in one request
_EXPECTED_ONLY = (DriftClass.MISSING_POINT, DriftClass.MISSING_DOCUMENT)


class RepairPlan(BaseModel):
    """The head of a plan."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    version: Literal[1] = 1
    run_id: str
    created_at: str
    world: dict[str, object]
    points: int
    classes: dict[str, int]
    delete_points: int
    index_documents: int
    update_payloads: int
    findings_file: str
    findings_sha256: str
    seal: str = Field("", description="HMAC-SHA256 of all else by the site's secret: a plan that was edited is refused")

    def sealed_by(self, secret: bytes) -> str:
        """Return what the seal of a plan must be that nobody has changed."""
        return hmac.new(secret, fingerprint(self.model_dump(mode="json", exclude={"seal"})).encode(), hashlib.sha256).hexdigest()


class PlanWriter:
    """Streams findings into a plan while reconciliation goes on; memory grows with affected documents only."""

    def __init__(self, folder: Path, run_id: UUID, *, secret: bytes) -> None:
        self._folder = folder
        self._secret = secret
        self._run_id = run_id
        self._file: IO[bytes] | None = None
        self._hash = hashlib.sha256()
        self._delete = 0
        self._index: set[UUID] = set()
        self._payload: set[UUID] = set()

    def add(self, finding: Finding) -> None:
        """Add one finding."""
        if self._file is None:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._file = self._findings.open("wb")
        point = finding.point_id if isinstance(finding.point_id, int) else str(finding.point_id) if finding.point_id else None
        line = orjson.dumps(
            {
                "class": finding.drift.value,
                "expected": finding.expected,
                "point_id": point,
                "document_id": str(finding.document_id) if finding.document_id else None,
            }
        )
        self._hash.update(line + b"\n")
        self._file.write(line + b"\n")
        if not finding.expected:
            self._delete += 1
        elif finding.document_id is not None:
            (self._payload if finding.drift is DriftClass.PAYLOAD_DRIFT else self._index).add(finding.document_id)

    @property
    def _findings(self) -> Path:
        return self._folder / f"plan-{self._run_id}.points.jsonl"

    def finish(self, tally: Tally, *, world: dict[str, object]) -> str | None:
        """Write the plan's head and return its path, or ``None`` where there is nothing to repair."""
        if self._file is None:
            return None
        self._file.close()
        plan = RepairPlan(
            run_id=str(self._run_id),
            created_at=utc_now().isoformat(),
            world=world,
            points=tally.found,
            classes={name.value: tally.classes[name] for name in DriftClass},
            delete_points=self._delete,
            index_documents=len(self._index),
            update_payloads=len(self._payload - self._index),
            findings_file=self._findings.name,
            findings_sha256=self._hash.hexdigest(),
        )
        plan = plan.model_copy(update={"seal": plan.sealed_by(self._secret)})
        path = self._folder / f"plan-{self._run_id}.json"
        path.write_text(plan.model_dump_json(indent=2) + "\n", encoding="utf-8")
        return str(path)


def read_plan(path: str, *, secret: bytes) -> tuple[RepairPlan, Path]:
    """Read a plan and check that head and findings are as they were written.

    Raises:
        UsageError: There is no plan at ``path``, or it is none of ours.
        GuardRefusedError: It was changed since, or made for another home.
    """
    try:
        plan = RepairPlan.model_validate_json(Path(path).read_bytes())
        findings = Path(path).parent / Path(plan.findings_file).name
        digest = hashlib.sha256(findings.read_bytes()).hexdigest()
    except (OSError, ValidationError):
        raise UsageError(f"no repair plan at {path}", remedy="`clindex reconcile` writes one and prints its path.") from None
    if digest != plan.findings_sha256 or not hmac.compare_digest(plan.seal, plan.sealed_by(secret)):
        raise GuardRefusedError(
            f"plan {plan.run_id} was changed since it was written, or is another home's", remedy="Run `clindex reconcile` for a new plan."
        )
    return plan, findings


def world_of(tx: Connection) -> dict[str, object]:
    """Return what a plan was made for: it is refused when this differs later."""
    newest, document = index_state.newest_change(tx), documents.newest_change(tx)
    return {
        "newest_change": newest.isoformat() if newest else None,
        "newest_document": document.isoformat() if document else None,
        "documents": documents.live_count(tx),
        "expected": chunk_store.expected_count(tx),
    }


def refuse_moved_world(services: Services, plan: RepairPlan) -> None:
    """Refuse a plan when truth or index changed after it was made.

    Raises:
        GuardRefusedError: They did.
    """
    with services.index.session() as index, services.db.read() as tx:
        now, points = world_of(tx), index.count()
    if now != plan.world or points != plan.points:
        raise GuardRefusedError(
            f"plan {plan.run_id} was made for {plan.points} points; the index or the database has changed since",
            remedy="Run `clindex reconcile` for a new plan.",
        )


def apply_plan(services: Services, path: str, *, approved: bool) -> RepairPlan:
    """Carry a plan out: delete what is not expected, rewrite payloads, re-index the rest.

    Raises:
        GuardRefusedError: It deletes too large a share and nobody approved it, it was changed, or the world has moved. Nothing was changed.
    """
    plan, findings = read_plan(path, secret=ensure_site_secret(services.settings, services.db))
    refuse_moved_world(services, plan)
    if not approved:
        refuse_large_deletion(services.settings, plan.delete_points, plan.points, what=f"plan {plan.run_id} deletes points of the index")
    payload, index, replaced = _documents(findings)
    removed = _delete(services, (point for point in _read(findings) if not point.expected))
    _, broken = update_payloads(services, sorted(payload - index))
    _reindex(services, sorted(index.union(broken)))
    # A point whose payload is not ours is not found by its document: what re-indexing replaced is removed by id.
    removed += _delete(services, (point for point in _read(findings) if point.point_id in replaced))
    log_event("plan_applied", run_id=plan.run_id, deleted=removed, reindexed=len(index), payloads=len(payload))
    return plan


def _read(findings: Path) -> Iterator[Finding]:
    with findings.open("rb") as lines:
        for line in lines:
            entry = orjson.loads(line)
            point = entry["point_id"]
            yield Finding(
                DriftClass(entry["class"]),
                UUID(point) if isinstance(point, str) else point,
                UUID(entry["document_id"]) if entry["document_id"] else None,
                expected=entry["expected"],
            )


def _documents(findings: Path) -> tuple[set[UUID], set[UUID], set[UUID | int]]:
    """Return documents whose payloads to rewrite, documents to re-index, and points that re-indexing replaces."""
    payload: set[UUID] = set()
    index: set[UUID] = set()
    replaced: set[UUID | int] = set()
    for finding in _read(findings):
        if not finding.expected or finding.document_id is None:
            continue
        if finding.drift is DriftClass.PAYLOAD_DRIFT:
            payload.add(finding.document_id)
            continue
        index.add(finding.document_id)
        if finding.drift not in _EXPECTED_ONLY and finding.point_id is not None:
            replaced.add(finding.point_id)
    return payload, index, replaced


def _delete(services: Services, findings: Iterator[Finding]) -> int:
    """Delete points by id, but for those that truth expects: a document that could not be indexed anew keeps what is live of it."""
    ids = [finding.point_id for finding in findings if finding.point_id is not None]
    removed = 0
    with services.index.session() as index:
        for start in range(0, len(ids), _DELETE_BATCH):
            batch = ids[start : start + _DELETE_BATCH]
            known = [key for key in batch if isinstance(key, UUID)]
            with services.db.read() as tx:
                expected = chunk_store.rows_by_point(tx, known, collection=services.collection)
            gone = [key for key in batch if key not in expected]
            index.delete_points(gone)
            left = len(index.retrieve([key for key in known if key not in expected]))
            if left:
                raise WriteVerificationError(f"{left} of {len(gone)} points are still there after their deletion")
            removed += len(gone)
    return removed


def _reindex(services: Services, documents: list[UUID]) -> None:
    if not documents:
        return
    run_id = begin_run(services, reason="repair")
    summary = IndexSummary(run_id=str(run_id))
    finished = False
    try:
        for done in index_batches(services, run_id, batches(documents, services.settings.index_batch_documents), force=True):
            summary += done
        finished = True
    finally:
        end_run(services, run_id, summary, finished=finished)
