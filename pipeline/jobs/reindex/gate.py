"""The promotion gate: one verdict on a candidate, of named checks. It reads; only the verdict is kept."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Final
from uuid import UUID

from pipeline.domain.errors import GuardRefusedError
from pipeline.domain.vocabulary import DocumentState, DriftClass, RunKind
from pipeline.jobs.audit.phi import run_audit
from pipeline.jobs.drift.detect import detect
from pipeline.jobs.reindex.build import behind
from pipeline.jobs.reindex.judgements import TOLERANCE, figures, judgements, ndcg_change
from pipeline.jobs.reindex.recall import filtered_recall
from pipeline.jobs.reindex.summaries import GateCheck, Verdict
from pipeline.observability import log_event
from pipeline.storage import collections, index_state, runs
from pipeline.storage.collections import CollectionRecord
from pipeline.wiring import Services, utc_now

Check = Callable[[Services, CollectionRecord, UUID], GateCheck]


def judge(services: Services, record: CollectionRecord) -> Verdict:
    """Judge a candidate by all checks and keep the verdict with it; a failed check spares the later ones nothing."""
    start = time.monotonic()
    with services.db.begin() as tx:
        run_id = runs.start_run(tx, RunKind.REINDEX, utc_now())
    verdict: Verdict | None = None
    try:
        checks = [check(services, record, run_id) for check in CHECKS]
        verdict = Verdict(
            collection=record.name,
            passed=all(one.state != "failed" for one in checks),
            checks=checks,
            judged_at=utc_now().isoformat(),
            seconds=round(time.monotonic() - start, 3),
        )
    finally:
        state: runs.RunState = "failed" if verdict is None else "success" if verdict.passed else "incomplete"
        counts = verdict.model_dump(mode="json") if verdict else {}
        with services.db.begin() as tx:
            runs.finish_run(tx, run_id, state, counts, utc_now())
            if verdict is not None:
                collections.keep_verdict(tx, record.name, counts)
    log_event("candidate_judged", collection=record.name, passed=verdict.passed, failed=",".join(one.name for one in verdict.failed))
    return verdict


def refusal_of(verdict: Verdict) -> GuardRefusedError:
    """Return the error that names each check that a candidate failed."""
    return GuardRefusedError(
        f"the gate stands against {verdict.collection}: " + "; ".join(f"{one.name}: {one.detail}" for one in verdict.failed),
        remedy="Mend what it names and build again (`clindex reindex --candidate`, or the DAG), or remove it: `clindex reindex --abandon`.",
    )


def _caught_up(services: Services, record: CollectionRecord, _: UUID) -> GateCheck:
    count = behind(services, record)
    return _check("caught_up", count == 0, f"{count} documents are not in it as truth has them now", behind=count)


def _complete(services: Services, record: CollectionRecord, _: UUID) -> GateCheck:
    with services.db.read() as tx:
        count = collections.lost(tx, record.name)
    return _check("complete", count == 0, f"{count} documents are live now and would not be found any more", lost=count)


def _held_back(services: Services, record: CollectionRecord, _: UUID) -> GateCheck:
    with services.db.read() as tx:
        now = index_state.state_counts(tx).get(DocumentState.QUARANTINED.value, 0)
        then = index_state.state_counts(tx, collection=record.name).get(DocumentState.QUARANTINED.value, 0)
    detail = f"the gate for identifiers holds back {then} documents, {now} of the live collection (`clindex quarantine list`)"
    return _check("quarantined", then <= now, detail, candidate=then, live=now)


def _reconciled(services: Services, record: CollectionRecord, run_id: UUID) -> GateCheck:
    tally, _ = detect(services.at(record), run_id, deep=True)
    drift = {name.value: count for name, count in tally.classes.items() if count and name is not DriftClass.OK}
    detail = f"{tally.found} points found, {tally.expected} expected; not ok: {drift or 'none'}"
    return _check("reconciliation", tally.sums_close and not drift, detail, found=tally.found, expected=tally.expected, **drift)


def _recall(services: Services, record: CollectionRecord, _: UUID) -> GateCheck:
    found, least = filtered_recall(services.at(record)), services.settings.candidate_min_recall
    detail = (
        f"recall@10 of {found.queries} queries in {found.filters} filters: mean {found.mean:.3f}, "
        f"lowest {found.lowest:.3f} ({found.worst or '-'}), asked for {least:g}"
    )
    numbers = {name: value for name, value in asdict(found).items() if name != "worst"}
    return _check("filtered_recall", found.lowest >= least, detail, **numbers)


def _phi(services: Services, record: CollectionRecord, _: UUID) -> GateCheck:
    audit = run_audit(services.at(record))
    detail = (
        f"{audit.leaked_documents} of {audit.documents} documents leak; "
        f"{audit.chunks} chunks and {audit.points} payloads were read (audit run {audit.run_id})"
    )
    return _check("phi_audit", audit.clean, detail, documents=audit.documents, points=audit.points, leaked=audit.leaked_documents)


def _evaluated(services: Services, record: CollectionRecord, _: UUID) -> GateCheck:
    judged = judgements(services)
    if not judged:
        return GateCheck(
            name="evaluation", state="skipped", detail="no judgements (CLINDEX_EVALUATION_QUERIES and CLINDEX_EVALUATION_QRELS)"
        )
    now, then, change = ndcg_change(figures(services.live(), judged), figures(services.at(record), judged))
    detail = (
        f"nDCG@10 over {change.queries} queries: {then:.4f}, of the live collection {now:.4f}; "
        f"change {change.value:+.4f} ({change.low:+.4f} to {change.high:+.4f}), {change.wins} better, {change.losses} worse"
    )
    numbers = {"queries": change.queries, "candidate": round(then, 6), "live": round(now, 6), "wins": change.wins, "losses": change.losses}
    return _check("evaluation", change.value >= -TOLERANCE, detail, **numbers)


def _check(name: str, passed: bool, detail: str, **numbers: float) -> GateCheck:
    return GateCheck(
        name=name, state="passed" if passed else "failed", detail=detail, numbers={key: float(one) for key, one in numbers.items()}
    )


CHECKS: Final[tuple[Check, ...]] = (_caught_up, _complete, _held_back, _reconciled, _recall, _evaluated, _phi)
