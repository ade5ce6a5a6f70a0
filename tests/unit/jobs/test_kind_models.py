"""A kind of documents with a model of its own: vectors of their own name, in the same collection, searched, reconciled and deleted alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from pydantic import ValidationError

from pipeline.domain.errors import ForeignModelError
from pipeline.domain.points import DENSE, StoredVectors
from pipeline.domain.vocabulary import DriftClass
from pipeline.jobs.index import run_index
from pipeline.jobs.ingest import ingest
from pipeline.jobs.init import initialise
from pipeline.jobs.nightly import document_source
from pipeline.jobs.reconcile import run_reconcile
from pipeline.jobs.reindex.candidate import run_candidate
from pipeline.search.request import SearchRequest
from pipeline.search.search import search
from pipeline.settings import Settings
from pipeline.stages.sources.files import StudyFiles
from pipeline.testing.tiny_model import TINY_DIMENSIONS, make_tiny_model
from pipeline.wiring import Services, open_services

TODAY = date(2031, 5, 17)
ASKED = SearchRequest(query="age at least 18 years", limit=50)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("tiny") / "model"
    make_tiny_model(folder, seed=0, window=256)
    return str(folder)


@pytest.fixture
def plain(tmp_path: Path, models: Path) -> Settings:
    return Settings(home=tmp_path / "home", models_path=models)


@pytest.fixture
def mixed(plain: Settings, tiny: str) -> Settings:
    return plain.model_copy(update={"kind_models": {"ems_protocol": tiny}})


@pytest.fixture
def services(mixed: Settings, root: Path) -> Iterator[Services]:
    initialise(mixed)
    with open_services(mixed) as opened:
        take(opened, root)
        yield opened


def take(services: Services, root: Path) -> None:
    ingest(services, StudyFiles([root / "samples" / "trials" / "NCT99000001.json"], services.settings))
    ingest(services, document_source(services, [str(root / "samples" / "documents" / "public" / "ems")], kind="ems_protocol"))
    run_index(services)


def names_by_kind(services: Services) -> dict[str, set[tuple[str, int]]]:
    found: dict[str, set[tuple[str, int]]] = {}
    with services.index.session() as index:
        for point in index.scan(vectors=True):
            assert point.vectors is not None
            found.setdefault(point.payload["kind"], set()).add((point.vectors.vector, len(point.vectors.dense or ())))
    return found


def test_each_kind_has_vectors_of_its_model_and_one_search_finds_both(services: Services):
    (small,) = services.further
    assert names_by_kind(services) == {"trial": {(DENSE, 384)}, "ems_protocol": {(small.vector, TINY_DIMENSIONS)}}
    kinds = {hit.kind for hit in search(services, ASKED, today=TODAY).hits}
    assert kinds == {"trial", "ems_protocol"}
    dense = search(services, ASKED.model_copy(update={"mode": "dense", "kinds": ("ems_protocol",)}), today=TODAY).hits
    assert {hit.kind for hit in dense} == {"ems_protocol"}


def test_a_second_run_embeds_nothing_and_everything_agrees(services: Services):
    assert run_index(services, force=True).embedded == 0
    assert run_reconcile(services, deep=True).clean


def test_a_vector_under_the_name_of_another_model_is_found(services: Services):
    (small,) = services.further
    with services.index.session() as index:
        point = next(one for one in index.scan(vectors=True) if one.payload["kind"] == "ems_protocol")
        index.restore([replace(point, vectors=StoredVectors([1.0] + [0.0] * 383, point.vectors and point.vectors.sparse, DENSE))])
    found = run_reconcile(services, deep=True)
    assert found.classes[DriftClass.MISSING_DENSE] == 1
    assert run_reconcile(services, deep=True, repair=True).clean
    assert names_by_kind(services)["ems_protocol"] == {(small.vector, TINY_DIMENSIONS)}


def test_naming_a_model_for_a_kind_later_asks_for_a_candidate_which_goes_live(plain: Settings, mixed: Settings, root: Path):
    initialise(plain)
    with open_services(plain) as opened:
        take(opened, root)
        assert names_by_kind(opened) == {kind: {(DENSE, 384)} for kind in ("trial", "ems_protocol")}
    with open_services(mixed) as opened:
        with pytest.raises(ForeignModelError):
            run_index(opened)
        assert search(opened, ASKED, today=TODAY).hits  # by the live collection's models
        done = run_candidate(opened, reason="a model for protocols", go_live=True)
        assert done.promoted is not None, done.verdict
        (small,) = opened.further
    with open_services(mixed) as opened:
        assert names_by_kind(opened.live())["ems_protocol"] == {(small.vector, TINY_DIMENSIONS)}
        assert run_index(opened).points_written == 0
    with open_services(plain) as opened, pytest.raises(ForeignModelError):
        run_index(opened)


def test_a_kind_that_does_not_exist_is_refused(plain: Settings, tiny: str):
    with pytest.raises(ValidationError, match="kinds of documents that do not exist"):
        Settings(home=plain.home, kind_models={"protocl": tiny})
