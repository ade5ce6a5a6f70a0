"""The shipped queries against the samples: what they name is there, what they call gold stands in a chunk, and lookups are always right."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from pipeline.jobs.evaluate import job
from pipeline.jobs.evaluate.judged import JudgedQuery
from pipeline.jobs.evaluate.names import AMBIGUOUS, names_in
from pipeline.jobs.evaluate.reading import read_queries
from pipeline.jobs.evaluate.run import How
from pipeline.jobs.index import run_index
from pipeline.jobs.ingest import ingest
from pipeline.settings import Settings
from pipeline.stages.sources.documents import DocumentFiles
from pipeline.storage.tables import chunks
from pipeline.testing.homes import copy_home
from pipeline.wiring import Services, open_services, reader_id

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def whole(sample_home: Path, models: Path, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    """A home that holds all samples."""
    folder = tmp_path_factory.mktemp("evaluated") / "home"
    copy_home(sample_home, folder)
    with open_services(Settings(home=folder, models_path=models)) as services:
        paths = [root / "samples" / "documents" / name for name in ("public", "ward")]
        ingest(services, DocumentFiles(paths, services.settings, secret=services.secret, reader_version=reader_id(services.settings)))
        run_index(services)
        yield services


@pytest.fixture(scope="module")
def shipped(root: Path) -> list[JudgedQuery]:
    return read_queries(root / "samples" / "evaluation" / "queries.jsonl")


def test_every_document_that_the_queries_name_is_there(whole: Services, shipped: list[JudgedQuery]):
    assert names_in(whole, {name for query in shipped for name in query.names}).missing == {}
    assert job.holds_samples(whole)


def test_every_gold_passage_stands_in_a_chunk_of_a_document_that_answers(whole: Services, shipped: list[JudgedQuery]):
    names = names_in(whole, {name for query in shipped for name in query.names})
    with whole.db.read() as tx:
        texts: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for row in tx.execute(select(chunks.c.document_id, chunks.c.section, chunks.c.text)):
            texts[str(row.document_id)].append((row.section, row.text))
    lost = [
        (query.query_id, passage)
        for query in shipped
        for passage in query.passages
        if not any(passage.fits(*chunk) for name in query.labels for chunk in texts[names.ids[name]])
    ]
    assert lost == []


def test_a_file_is_known_by_its_path_by_the_end_of_it_and_by_its_name_alone(whole: Services):
    spelt = ["public/ems/1410-anaphylaxis.pdf", "ems/1410-anaphylaxis.pdf", "1410-anaphylaxis.pdf"]
    found = names_in(whole, [*spelt, "0-anaphylaxis.pdf", "ward/1410-anaphylaxis.pdf"])
    assert len({found.ids[name] for name in spelt}) == 1
    assert set(found.missing) == {"0-anaphylaxis.pdf", "ward/1410-anaphylaxis.pdf"}


def test_a_name_that_two_files_have_means_neither(whole: Services, tmp_path: Path):
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "same.txt").write_text(f"A note of the {folder} ward about gout.", encoding="utf-8")
    ingest(whole, DocumentFiles([tmp_path / "first", tmp_path / "second"], whole.settings, secret=whole.secret))
    assert names_in(whole, ["same.txt"]).missing == {"same.txt": AMBIGUOUS}
    assert set(names_in(whole, ["first/same.txt", "second/same.txt"]).ids) == {"first/same.txt", "second/same.txt"}


def test_lookups_of_identifiers_are_right_and_absent_ones_are_refused(whole: Services, shipped: list[JudgedQuery]):
    lookups = [query for query in shipped if query.groups["intent"] == "protocol_lookup"]
    floors = {"success@1": 1.0, "recall@3": 1.0, "refusal": 1.0}
    summary = job.evaluate_home(whole, lookups, How(mode="full", limit=10, url=False, floors=floors, allow_missing=False))
    assert [(floor.metric, floor.value) for floor in summary.below] == []
