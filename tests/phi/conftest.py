"""Homes without trials, and the canary flow run once for every guard."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.settings import Settings
from pipeline.testing.canaries import write_notes
from pipeline.testing.canary_fhir import write_resources
from pipeline.testing.canary_files import write_files
from pipeline.testing.homes import copy_home

FLOW = Path(__file__).with_name("canary_flow.py")
FILE_FLOW = Path(__file__).with_name("file_flow.py")
FHIR_FLOW = Path(__file__).with_name("fhir_flow.py")

Flows = Callable[..., dict[str, Path]]


@pytest.fixture(scope="session")
def empty_home(tmp_path_factory: pytest.TempPathFactory, models: Path) -> Path:
    """An initialised home without documents. Copy it to write."""
    from pipeline.jobs.init import initialise

    settings = Settings(home=tmp_path_factory.mktemp("empty") / "home", models_path=models)
    initialise(settings)
    return settings.home


@pytest.fixture(scope="session")
def run_flows(tmp_path_factory: pytest.TempPathFactory, empty_home: Path, models: Path, root: Path) -> Flows:
    """Run the flow with each of the named guards off; returns the folder of each, with ``home`` and ``shown``."""

    def run(*guards: str) -> dict[str, Path]:
        return _run(FLOW, write_notes, guards, tmp_path_factory.mktemp("flows"), empty_home, models, root)

    return run


@pytest.fixture(scope="session")
def run_file_flows(tmp_path_factory: pytest.TempPathFactory, empty_home: Path, models: Path, root: Path) -> Flows:
    """Run the flow of files with pages with each of the named guards off; returns the folder of each."""

    def run(*guards: str) -> dict[str, Path]:
        return _run(FILE_FLOW, _write_ward, guards, tmp_path_factory.mktemp("flows"), empty_home, models, root)

    return run


@pytest.fixture(scope="session")
def run_fhir_flows(tmp_path_factory: pytest.TempPathFactory, empty_home: Path, models: Path, root: Path) -> Flows:
    """Run the flow of FHIR resources with each of the named guards off; returns the folder of each."""

    def run(*guards: str) -> dict[str, Path]:
        return _run(FHIR_FLOW, write_resources, guards, tmp_path_factory.mktemp("flows"), empty_home, models, root)

    return run


def _write_ward(folder: Path) -> None:
    ward = folder / "Oddfellow ward"
    ward.mkdir(parents=True)
    write_files(ward)


def _run(
    flow: Path, write: Callable[[Path], object], guards: tuple[str, ...], folder: Path, empty_home: Path, models: Path, root: Path
) -> dict[str, Path]:
    for guard in guards:
        copy_home(empty_home, folder / guard / "home")
        write(folder / guard / "in")
    environment = {**os.environ, "CLINDEX_MODELS_PATH": str(models), "COLUMNS": "200", "PYTHONPATH": str(root)}
    subprocess.run([sys.executable, str(flow), str(folder), *guards], env=environment, check=True, timeout=1800)
    return {guard: folder / guard for guard in guards}
