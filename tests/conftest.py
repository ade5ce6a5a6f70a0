"""Fixtures that every test may use."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository's root."""
    return ROOT


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The optional folder of real data beside the repository; tests that need it skip where it is absent."""
    folder = ROOT.parent / "shared"
    if not (folder / "data").is_dir():
        pytest.skip("no real data beside the repository")
    return folder
