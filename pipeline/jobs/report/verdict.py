"""Judges a home by its figures: a pure function, and the sentences that say why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pipeline.domain.reading import PageOutcome
from pipeline.domain.vocabulary import DocumentState, DriftClass, RunKind
from pipeline.jobs.drift.source_side import DISAGREEMENTS
from pipeline.jobs.report.model import DocumentFacts, DriftFacts, Equality, LengthFacts, LossFacts, PageFacts, RunFacts, Runs, Verdict
from pipeline.jobs.report.quality import QualityFacts
from pipeline.jobs.report.wording import DRIFT_NOUNS, counted, listed, moment
from pipeline.jobs.summaries import DeletionFacts, SourceSide

# States that a finished night leaves nothing in, and what one of them means in words.
_UNFINISHED: Final = {
    DocumentState.PENDING: "waiting to be indexed",
    DocumentState.WRITING: "half written (readers still see the version before, if there is one)",
    DocumentState.CLEANING: "live, with an older version still to be removed",
    DocumentState.DELETING: "deleted in the database, with points still to be removed",
    DocumentState.FAILED: "could not be indexed",
    DocumentState.QUARANTINED: "held back by the identifier gate",
}

_RUN_NAMES: Final = {
    RunKind.INGEST: "ingestion",
    RunKind.INGEST_DOCUMENTS: "ingestion of documents",
    RunKind.LOAD_FHIR: "load of FHIR resources",
    RunKind.INGEST_FHIR: "ingestion of FHIR documents",
    RunKind.INDEX: "indexing",
    RunKind.RECONCILE: "reconciliation",
}


def judge(
    *,
    runs: Runs,
    documents: DocumentFacts,
    lengths: LengthFacts,
    loss: LossFacts,
    drift: DriftFacts | None,
    pages: PageFacts = PageFacts(),  # noqa: B008 - frozen
    sources: Sequence[SourceSide] = (),
    deletions: DeletionFacts = DeletionFacts(),  # noqa: B008 - frozen
    quality: QualityFacts | None = None,
) -> Verdict:
    """Return the verdict: ``drift`` where index and database are known to differ, ``incomplete`` where anything is left out or unproven."""
    equality = equality_of(drift)
    reasons = [
        *_drift_reasons(drift),
        *_source_reasons(sources),
        *_run_reasons(runs),
        *_document_reasons(documents),
        *_text_reasons(lengths, loss),
        *_page_reasons(pages),
        *_deletion_reasons(deletions),
        *_quality_reasons(quality),
    ]
    state = "drift" if drift is not None and not drift.clean else "incomplete" if reasons else "ok"
    return Verdict.model_validate({"state": state, "index_and_database": equality, "reasons": reasons})


def equality_of(drift: DriftFacts | None) -> Equality:
    """Return whether the index is proven equal to the database, proven different, or neither."""
    if drift is None or not drift.current:
        return "unproven"
    return "equal" if drift.clean else "different"


def _drift_reasons(drift: DriftFacts | None) -> Iterator[str]:
    if drift is None:
        yield "No reconciliation has ended yet, so nothing proves that the index equals the database."
        return
    found = [counted(count, *DRIFT_NOUNS[DriftClass(name)]) for name, count in drift.classes.items() if count and name in DRIFT_NOUNS]
    if found:
        yield f"The last reconciliation ({moment(drift.finished_at)}) found that the index differs from the database: {listed(found)}."
    if not drift.sums_close:
        yield "The sums of the last reconciliation do not close: some point was counted in no class or in two."
    if not drift.current:
        yield "Documents or points have changed since the last reconciliation looked: run `clindex reconcile`."


def _source_reasons(sources: Sequence[SourceSide]) -> Iterator[str]:
    for side in sources:
        wrong = sum(side.classes.get(name, 0) for name in DISAGREEMENTS)
        if wrong:
            yield (
                f"{side.source} listed on {moment(side.listed_at)} what the database does not hold, or no longer what it holds: "
                f"{counted(wrong, 'document')}. The next ingestion mends it, or says why it cannot."
            )
        if not side.sums_close:
            yield f"The sums of {side.source} against the database do not close: some record was counted in no class or in two."


def _run_reasons(runs: Runs) -> Iterator[str]:
    if not runs.ingestions:
        yield "No ingestion has run yet."
    for kind, name in _RUN_NAMES.items():
        run: RunFacts | None = getattr(runs, kind)
        if run is None:
            if kind is RunKind.INDEX:
                yield f"No {name} has run yet."
        elif run.state == "running":
            yield f"The last {name}, begun {moment(run.started_at)}, is still running."
        elif run.state == "killed":
            yield f"The last {name}, begun {moment(run.started_at)}, was killed: the next one takes up what it left."
        elif run.state == "failed":
            yield f"The last {name}, begun {moment(run.started_at)}, broke off with an error."
        elif run.state == "incomplete" and kind is not RunKind.RECONCILE:
            yield f"The last {name}, begun {moment(run.started_at)}, ended incomplete: {_what_is_missing(run)}."


def _what_is_missing(run: RunFacts) -> str:
    parts = []
    for name, noun in (("failed", "record"), ("documents.failed", "document"), ("files_failed", "file")):
        if run.counts.get(name):
            parts.append(f"{counted(run.counts[name], noun)} failed")
    if run.counts.get("documents.quarantined"):
        parts.append(f"{counted(run.counts['documents.quarantined'], 'document')} held back by the identifier gate")
    if run.flags.get("complete") is False:
        parts.append("its listing was not complete, so nothing was taken as deleted")
    return listed(parts) if parts else "a part of it ended without a result, or a guard refused a deletion"


def _document_reasons(documents: DocumentFacts) -> Iterator[str]:
    for state, words in _UNFINISHED.items():
        count = documents.by_state[state.value]
        if count:
            verb = "" if state is DocumentState.FAILED else "is " if count == 1 else "are "
            yield f"{counted(count, 'document')} {verb}{words}."


def _text_reasons(lengths: LengthFacts, loss: LossFacts) -> Iterator[str]:
    if lengths.over_window:
        verb = "exceeds" if lengths.over_window == 1 else "exceed"
        yield f"{counted(lengths.over_window, 'chunk')} {verb} the model's window of {lengths.window} tokens and would be cut."
    if lengths.window is None:
        yield "The embedding model cannot be opened here, so lengths were not checked against its window."
    if loss.unexplained:
        where = counted(loss.documents_with_unexplained, "document")
        verb = "is" if loss.unexplained == 1 else "are"
        yield f"{counted(loss.unexplained, 'character')} of {where} {verb} in no chunk and in no declared drop."


def _page_reasons(pages: PageFacts) -> Iterator[str]:
    failed = pages.by_outcome.get(PageOutcome.FAILED.value, 0)
    if failed:
        yield f"{counted(failed, 'page')} of files could not be read; the other pages of their documents are indexed."
    if pages.unexplained:
        yield f"{counted(pages.unexplained, 'character')} of pages {'is' if pages.unexplained == 1 else 'are'} neither text nor declared as dropped."


def _deletion_reasons(deletions: DeletionFacts) -> Iterator[str]:
    waiting = deletions.open + deletions.erased
    if waiting:
        verb = "is" if waiting == 1 else "are"
        yield f"{counted(waiting, 'deletion')} {verb} not finished and certified: what they name is unsearchable; the next `clindex index` goes on."
    if deletions.last_verification_passed is False:
        yield "The last verification of the certificates of deletion failed: `clindex certificate verify` says what came back."


def _quality_reasons(quality: QualityFacts | None) -> Iterator[str]:
    if quality is not None and quality.blocked:
        verb = "was" if quality.blocked == 1 else "were"
        yield (
            f"{counted(quality.blocked, 'blocking expectation')} of data quality {verb} broken at the last check "
            f"({moment(quality.finished_at)}): `clindex quality` checks again."
        )
