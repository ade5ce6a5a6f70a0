"""Collects the report's figures: a handful of grouped queries in one reading snapshot."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, Protocol

from sqlalchemy import Connection

from pipeline.domain.errors import ModelError
from pipeline.domain.ports import TokenCounter
from pipeline.domain.vocabulary import DriftClass, ParseOutcome, RunKind, Section
from pipeline.jobs.deletion.facts import deletion_facts, hold_facts
from pipeline.jobs.evaluate.trend import evaluation_trend
from pipeline.jobs.feedback import feedback_facts
from pipeline.jobs.freshness import freshness
from pipeline.jobs.report import queries
from pipeline.jobs.report.fhir import fhir_facts
from pipeline.jobs.report.model import (
    ChunkFacts,
    Count,
    CountAndShare,
    DocumentFacts,
    DriftFacts,
    EmbeddingFacts,
    FailureExample,
    FailureGroup,
    HomeFacts,
    LengthBin,
    LengthFacts,
    LossFacts,
    NoticeCount,
    RunFacts,
    RunReport,
    Runs,
    SourceFacts,
    StageSeconds,
    UnknownValue,
    UnknownValues,
)
from pipeline.jobs.report.pages import page_facts
from pipeline.jobs.report.privacy import privacy_facts
from pipeline.jobs.report.quality import quality_facts
from pipeline.jobs.report.verdict import judge
from pipeline.jobs.summaries import SourceSide
from pipeline.settings import Settings
from pipeline.storage import runs as run_store
from pipeline.storage.engine import Database
from pipeline.storage.migrations import current_revision
from pipeline.storage.runs import Run
from pipeline.storage.studies import notice_counts, unknown_values

LAST_RUNS: Final = (
    RunKind.INGEST,
    RunKind.INGEST_DOCUMENTS,
    RunKind.LOAD_FHIR,
    RunKind.INGEST_FHIR,
    RunKind.INDEX,
    RunKind.RECONCILE,
)
EXAMPLES: Final = 50  # records named for each reason of failure: enough to see a pattern; the database has all
SHOWN_VALUES: Final = 100  # unknown codes named; a healthy registry has none, a broken one may have one in each record
SHOWN_SOURCES: Final = 20  # listings named; a home that is asked for single ids gathers many scopes
BINS: Final = 16  # bars up to the window: 16 tokens each at a window of 256
NEAR_WINDOW: Final = 0.9  # share of the window above which a chunk is close to being split


class ReportHome(Protocol):
    """What the report needs of a home (``Services`` has it)."""

    @property
    def settings(self) -> Settings:
        """The home's settings."""
        ...

    @property
    def db(self) -> Database:
        """Its truth."""
        ...

    @property
    def tokens(self) -> TokenCounter:
        """Its model's tokenizer."""
        ...


def collect(services: ReportHome, *, now: datetime | None = None) -> RunReport:
    """Return the report of a home as it stands. Reads only; memory does not grow with the home.

    Args:
        services: The home.
        now: The report's time, for tests.
    """
    window = _window(services)
    revision = current_revision(services.db)
    with services.db.read() as tx:
        last = {kind: run_store.latest_run(tx, kind) for kind in LAST_RUNS}
        runs = Runs(**{kind.value: _run_facts(run) if run else None for kind, run in last.items()})
        recent = [run for kind in LAST_RUNS if kind != RunKind.RECONCILE and (run := last[kind]) is not None]
        lengths_found = queries.chunk_lengths(tx)
        documents, loss, drift = _documents(tx), _loss(tx), _drift(tx)
        lengths = measure_lengths(lengths_found, window)
        outcomes = queries.accounts_by(tx, "outcome")
        pages, gone = page_facts(tx), deletion_facts(tx)
        sides, quality = _source_sides(tx), quality_facts(tx)
        return RunReport(
            created_at=now or datetime.now(UTC),
            verdict=judge(
                runs=runs,
                documents=documents,
                lengths=lengths,
                loss=loss,
                drift=drift,
                pages=pages,
                deletions=gone,
                sources=sides,
                quality=quality,
            ),
            home=_home(services, revision),
            sources=[SourceFacts(**row) for row in queries.source_states(tx, SHOWN_SOURCES)],
            runs=runs,
            seconds_by_stage=[part for run in last.values() if run for part in _stage_seconds(run)],
            documents=documents,
            chunks=_chunks(lengths_found),
            lengths=lengths,
            parse_outcomes=_parse_outcomes(outcomes),
            formats=_counts(queries.formats_met(tx)),
            languages=_counts(queries.accounts_by(tx, "language")),
            loss=loss,
            drift=drift,
            failures=[group for run in recent for group in _failures(tx, run)],
            notices=_notices(tx, recent),
            unknown_values=_unknown(tx),
            embedding=_embedding(queries.last_ended(tx, "index")),
            privacy=privacy_facts(tx),
            pages=pages,
            source_sides=sides,
            freshness=freshness(tx, objective_hours=services.settings.status_max_age_hours, now=now or datetime.now(UTC)),
            deletions=gone,
            holds=hold_facts(tx),
            evaluations=evaluation_trend(tx),
            quality=quality,
            fhir=fhir_facts(tx),
            feedback=feedback_facts(tx),
        )


def measure_lengths(found: Sequence[tuple[str, int, int]], window: int | None) -> LengthFacts:
    """Return the histogram of (section, tokens, chunks): bins of equal width up to the window, one more for what exceeds it."""
    by_length: Counter[int] = Counter()
    for _, tokens, count in found:
        by_length[tokens] += count
    longest = max(by_length, default=0)
    limit = window or longest
    width = max(1, -(-limit // BINS))
    bins = [
        LengthBin(first=first, last=last, count=sum(by_length[tokens] for tokens in range(first, last + 1)))
        for first in range(1, limit + 1, width)
        for last in [min(first + width - 1, limit)]
    ]
    over = sum(count for tokens, count in by_length.items() if tokens > limit)
    if over:
        bins.append(LengthBin(first=limit + 1, last=longest, count=over))
    near = sum(count for tokens, count in by_length.items() if tokens > NEAR_WINDOW * limit) if window else 0
    near_window = _share(near, sum(by_length.values()))
    return LengthFacts(window=window, bins=bins, longest=longest, near_window=near_window, over_window=over)


def _window(services: ReportHome) -> int | None:
    try:
        return services.tokens.window
    except ModelError:  # a report must be possible where just the model is what is broken
        return None


def _home(services: ReportHome, revision: str | None) -> HomeFacts:
    settings = services.settings
    return HomeFacts(
        folder=os.fsencode(settings.home.absolute()).decode("utf-8", "replace"),
        database=services.db.dialect,
        schema_revision=revision,
        index="server" if settings.qdrant_url else "embedded",
        collection=settings.collection,
        model=settings.model,
    )


def _run_facts(run: Run) -> RunFacts:
    flat = dict(_flat(run.counts))
    return RunFacts(
        run_id=str(run.run_id),
        kind=run.kind,
        state=run.state,
        started_at=run.started_at,
        finished_at=run.finished_at,
        seconds=(run.finished_at - run.started_at).total_seconds() if run.finished_at else None,
        counts={name: value for name, value in flat.items() if isinstance(value, int) and not isinstance(value, bool)},
        flags={name: value for name, value in flat.items() if isinstance(value, bool)},
    )


def _flat(counts: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    """Name nested counts ``outer.inner``; lists and words are left out."""
    found: list[tuple[str, Any]] = []
    for name, value in counts.items():
        found += _flat(value, f"{prefix}{name}.") if isinstance(value, Mapping) else [(prefix + name, value)]
    return found


def _stage_seconds(run: Run) -> list[StageSeconds]:
    seconds = run.counts.get("seconds")
    if not isinstance(seconds, Mapping):
        return []
    return [StageSeconds(run=run.kind, stage=stage, seconds=round(float(value), 3)) for stage, value in seconds.items()]


def _documents(tx: Connection) -> DocumentFacts:
    by_state = queries.documents_by_state(tx)
    return DocumentFacts(
        live=sum(count for state, count in by_state.items() if state not in ("deleting", "deleted")),
        kind=_counts(queries.documents_by_kind(tx)),
        by_state=by_state,
        overall_status=_counts(queries.studies_by(tx, "overall_status")),
        study_type=_counts(queries.studies_by(tx, "study_type")),
        phase=_counts(queries.studies_by_phase(tx)),
    )


def _chunks(found: Sequence[tuple[str, int, int]]) -> ChunkFacts:
    by_section: Counter[str] = Counter()
    for section, _, count in found:
        by_section[section] += count
    return ChunkFacts(total=sum(by_section.values()), by_section={name.value: by_section[name.value] for name in Section})


def _parse_outcomes(found: queries.Counts) -> dict[str, CountAndShare]:
    """Of trials only: a note has no eligibility text that could be understood."""
    counts = {name: count for name, count in found if name != ParseOutcome.NOT_A_TRIAL}
    whole = sum(counts.values())
    return {name.value: _share(counts.get(name.value, 0), whole) for name in ParseOutcome if name is not ParseOutcome.NOT_A_TRIAL}


def _loss(tx: Connection) -> LossFacts:
    return LossFacts(**queries.loss_totals(tx), by_reason=queries.dropped_by_reason(tx))


def _drift(tx: Connection) -> DriftFacts | None:
    run = queries.last_ended(tx, "reconcile")
    if run is None:
        return None
    counts = run.counts
    looked_at = run.finished_at if counts.get("repaired") else run.started_at  # a repair's own changes are followed by a second look
    changed = queries.last_change(tx)
    classes = counts.get("classes", {})
    return DriftFacts(
        run_id=str(run.run_id),
        finished_at=run.finished_at,
        current=changed is None or (looked_at is not None and changed <= looked_at),
        clean=counts.get("clean", False),
        sums_close=counts.get("sums_close", False),
        expected=counts.get("expected", 0),
        found=counts.get("found", 0),
        classes={name.value: classes.get(name.value, 0) for name in DriftClass},
        repaired=counts.get("repaired", {}),
    )


def _source_sides(tx: Connection) -> list[SourceSide]:
    run = queries.last_ended(tx, "reconcile")
    return [] if run is None else [SourceSide.model_validate(one) for one in run.counts.get("sources", [])]


def _failures(tx: Connection, run: Run) -> list[FailureGroup]:
    groups = []
    for stage, category, count in queries.failure_groups(tx, run.run_id):
        named = queries.failure_examples(tx, run.run_id, stage, category, EXAMPLES)
        examples = [FailureExample(source_key=key, origin=origin) for key, origin in named]
        groups.append(FailureGroup(run=run.kind, stage=stage, category=category, count=count, examples=examples))
    return groups


def _notices(tx: Connection, recent: Sequence[Run]) -> list[NoticeCount]:
    standing = notice_counts(tx)
    noticed = queries.run_notices(tx, [run.run_id for run in recent])
    return [
        NoticeCount(category=name, studies=standing.get(name, 0), last_runs=noticed.get(name, 0)) for name in sorted({*standing, *noticed})
    ]


def _unknown(tx: Connection) -> UnknownValues:
    found = unknown_values(tx)
    shown = [UnknownValue(field=field, value=value, studies=count) for field, value, count in found[:SHOWN_VALUES]]
    return UnknownValues(distinct=len(found), shown=shown)


def _embedding(run: Run | None) -> EmbeddingFacts | None:
    if run is None:
        return None
    embedded, cached = int(run.counts.get("embedded", 0)), int(run.counts.get("cached", 0))
    return EmbeddingFacts(embedded=_share(embedded, embedded + cached), cached=_share(cached, embedded + cached))


def _counts(found: queries.Counts) -> list[Count]:
    return [Count(value=value, count=count) for value, count in found]


def _share(count: int, whole: int) -> CountAndShare:
    return CountAndShare(count=count, share=count / whole if whole else 0.0)
