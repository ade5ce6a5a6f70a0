"""The three questions the page answers first, in plain sentences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.domain.vocabulary import RunKind
from pipeline.jobs.report.model import DriftFacts, FailureGroup, RunFacts, RunReport
from pipeline.jobs.report.wording import counted, duration, label, listed, moment


@dataclass(frozen=True, slots=True)
class Answer:
    """A question, its answer in a word or two, and the sentences behind it."""

    question: str
    short: str
    sentences: tuple[str, ...]
    good: bool


def headline(report: RunReport) -> str:
    """Return the whole report in one sentence."""
    if not report.runs.ingestions and report.documents.live == 0:
        return "This home is empty: nothing has been ingested yet."
    match report.verdict.index_and_database:
        case "different":
            return "The index differs from the database."
        case "unproven":
            return "It is not proven that the index equals the database."
        case "equal" if report.verdict.state == "ok":
            return "The index equals the database, and nothing was left out."
        case _:
            return "The index equals the database, but something was left out."


def answers(report: RunReport) -> list[Answer]:
    """Return the three answers."""
    return [_equal(report), _came_in(report), _failed(report)]


def _equal(report: RunReport) -> Answer:
    question = "Is the index equal to the database?"
    drift = report.drift
    if drift is None:
        return Answer(question, "Not known", ("No reconciliation has ended yet. Run `clindex reconcile`.",), good=False)
    sentences = (_compared(drift), *_repaired(drift))
    match report.verdict.index_and_database:
        case "equal":
            return Answer(question, "Yes", (*sentences, "Nothing has changed since."), good=True)
        case "different":
            return Answer(question, "No", (*sentences, "Read the plan that it wrote, then run `clindex reconcile --repair`."), good=False)
        case _:
            return Answer(question, "Not known", (*sentences, "Something has changed since: run `clindex reconcile`."), good=False)


def _compared(drift: DriftFacts) -> str:
    agree = drift.classes["ok"]
    looked = f"At {moment(drift.finished_at)} the index was read whole: {counted(drift.expected, 'point')} expected, {drift.found:,} found"
    return f"{looked}, all equal." if drift.clean else f"{looked}, {agree:,} of them equal."


def _repaired(drift: DriftFacts) -> Iterator[str]:
    done = [f"{count:,} {label(name).lower()}" for name, count in drift.repaired.items() if count]
    if done:
        yield f"Repaired before that: {listed(done)}."


def _came_in(report: RunReport) -> Answer:
    question = "What came in?"
    runs = report.runs.ingestions
    if not runs:
        return Answer(
            question,
            "Nothing yet",
            ("No ingestion has run yet. Run `clindex ingest trials`, `clindex ingest documents` or `clindex ingest fhir`.",),
            good=False,
        )
    totals = {name: sum(run.counts.get(name, 0) for run in runs) for name in ("new", "changed", "tombstoned")}
    fresh = [f"{count:,} {'deleted' if name == 'tombstoned' else name}" for name, count in totals.items() if count]
    ended = all(run.finished_at for run in runs)
    short = listed(fresh) if fresh else "Nothing new" if ended else "Not ended"
    sentences = [sentence for run in runs for sentence in _ingested(run)]
    return Answer(question, short, (*sentences, *_indexed(report.runs.index)), good=all(run.state == "success" for run in runs))


def _ingested(run: RunFacts) -> Iterator[str]:
    counts = run.counts
    name = {RunKind.INGEST_DOCUMENTS: "ingestion of documents", RunKind.INGEST_FHIR: "ingestion of FHIR documents"}.get(
        RunKind(run.kind), "ingestion"
    )
    if "seen" not in counts:
        yield f"The {name} begun {moment(run.started_at)} left no summary ({run.state})."
        return
    yield (
        f"The {name} of {moment(run.started_at)} saw {counted(counts['seen'], 'record')} in {duration(run.seconds)}: "
        f"{counts.get('new', 0):,} new, {counts.get('changed', 0):,} changed, {counts.get('unchanged', 0):,} unchanged, "
        f"{counts.get('tombstoned', 0):,} deleted."
    )
    if run.flags.get("complete") is False:
        yield "Its listing was not complete, so nothing was taken as deleted."


def _indexed(run: RunFacts | None) -> Iterator[str]:
    if run is None:
        yield "Nothing has been indexed yet. Run `clindex index`."
        return
    counts = run.counts
    if "chunks" not in counts:
        yield f"The indexing begun {moment(run.started_at)} left no summary ({run.state})."
        return
    yield (
        f"The indexing of {moment(run.started_at)} wrote {counted(counts['chunks'], 'chunk')} of "
        f"{counted(counts.get('documents.indexed', 0), 'document')} in {duration(run.seconds)}: "
        f"{counted(counts.get('embedded', 0), 'text')} embedded, {counts.get('cached', 0):,} from the cache. "
        f"{counted(counts.get('documents.skipped', 0), 'document')} needed nothing."
    )


def _failed(report: RunReport) -> Answer:
    question = "What failed?"
    groups = report.failures
    broken = [label(run.kind).lower() for run in report.runs.all if run.state == "failed"]
    sentences = [f"The last {kind} run broke off with an error." for kind in broken]
    if not groups:
        short = "A whole run" if broken else "Nothing"
        if not broken:
            sentences.append(
                "The last runs recorded no failure." if report.runs.ingestions or report.runs.index else "Nothing has run yet."
            )
        return Answer(question, short, tuple(sentences), good=not broken)
    total = sum(group.count for group in groups)
    sentences += [
        f"In the last {run} run: {listed([_group_words(group) for group in groups if group.run == run])}." for run in _kinds(groups)
    ]
    return Answer(question, counted(total, "failure"), (*sentences, "They are listed below; the other records went on."), good=False)


def _group_words(group: FailureGroup) -> str:
    return f"{group.count:,}\u00a0× {label(group.category).lower()}"


def _kinds(groups: list[FailureGroup]) -> list[str]:
    return list(dict.fromkeys(group.run for group in groups))
