"""What a source listed and what truth holds, made by hand: for tests of freshness and of the comparison with sources."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from pipeline.domain.documents import Document, Facets
from pipeline.domain.identifiers import document_id
from pipeline.domain.ports import SourceVersion
from pipeline.domain.study import Status, Study
from pipeline.domain.vocabulary import DocumentKind, RunKind, Source
from pipeline.storage import crawls, documents, runs
from pipeline.storage.crawls import CrawlState, ListedRecord
from pipeline.storage.engine import Database
from pipeline.storage.runs import RunOutcome
from pipeline.storage.studies import replace_study

TRIALS = Source.CLINICALTRIALS_GOV.value
_MAX_AGE = timedelta(hours=1)


def sha_of(letter: str) -> str:
    """Return what stands for the hash of some bytes."""
    return letter * 64


def hold(
    db: Database, key: str, letter: str = "a", *, at: datetime, source: str = TRIALS, root: str | None = None, status: str | None = None
) -> UUID:
    """Let truth hold a record with these bytes; with a ``status``, a study."""
    made = Document(document_id(source, key), source, key, DocumentKind.TRIAL, "Invented", (), Facets(), "c" * 32, "f" * 32)
    with db.begin() as tx:
        documents.upsert_document(tx, made, sha_of(letter), at, root=root)
        if status is not None:
            replace_study(tx, made.document_id, Study(key, status=Status(overall_status=status)))
    return made.document_id


def listed(
    db: Database,
    named: dict[str, str],
    *,
    at: datetime,
    scope: str = "all",
    source: str = TRIALS,
    state: CrawlState = "complete",
    outcomes: tuple[RunOutcome, ...] = (),
) -> UUID:
    """Let a source list these records (key to the letter of their bytes), as a run of ingestion does that takes none; returns the crawl."""
    with db.begin() as tx:
        run_id = runs.start_run(tx, RunKind.INGEST, at)
        version = SourceVersion(None, None)
        crawl = crawls.open_crawl(tx, source=source, scope=scope, parameters_hash="p", version=version, now=at, max_age=_MAX_AGE)
        records = [ListedRecord(key, sha_of(letter), position=number) for number, (key, letter) in enumerate(named.items())]
        crawls.add_page(tx, crawl.crawl_id, records, failed=0, next_token=None, total=len(named), now=at)
        crawls.close_crawl(tx, crawl.crawl_id, state, at)
        runs.add_outcomes(tx, run_id, outcomes)
        runs.finish_run(tx, run_id, "success", {"crawl_id": str(crawl.crawl_id)}, at)
    return crawl.crawl_id
