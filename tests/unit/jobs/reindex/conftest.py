"""A home of a few studies, with a hash in the place of the dense model: collections are made and moved, not searched for meaning."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from pipeline.jobs.index import run_index
from pipeline.jobs.ingest import ingest
from pipeline.jobs.init import initialise
from pipeline.settings import Settings
from pipeline.stages.sources.files import StudyFiles
from pipeline.testing.homes import copy_of
from pipeline.testing.night_jobs import hashing_services
from pipeline.wiring import Services

# The first few, and three with lead-ins that another chunker cuts elsewhere.
STUDIES = (1, 2, 3, 4, 5, 38, 51, 53)
CUT = 20  # characters of a lead-in

Open = Callable[[Settings], AbstractContextManager[Services]]


@pytest.fixture(scope="session")
def small_sample(tmp_path_factory: pytest.TempPathFactory, models: Path, root: Path) -> Path:
    """The home, indexed. Read only."""
    folder = tmp_path_factory.mktemp("small")
    incoming = folder / "incoming"
    incoming.mkdir()
    for number in STUDIES:
        shutil.copy(root / "samples" / "trials" / f"NCT990000{number:02d}.json", incoming)
    settings = Settings(home=folder / "home", models_path=models)
    initialise(settings)
    with hashing_services(settings) as services:
        ingest(services, StudyFiles([incoming], settings))
        run_index(services)
    return settings.home


@pytest.fixture
def small(small_sample: Path, models: Path, work: Path) -> Settings:
    """Settings of a fresh copy."""
    return copy_of(Settings(home=small_sample, models_path=models), work / "home")


@pytest.fixture
def changed(small: Settings) -> Settings:
    """The same home's settings with another chunker."""
    return small.model_copy(update={"parent_context_characters": CUT})
