"""The connection to the truth: one write transaction or one reading snapshot at a time, with foreign errors translated."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, StatementError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from pipeline.domain.errors import ConfigurationError, HomeNotInitialisedError, StoreRejectedError, StoreUnavailableError
from pipeline.storage import truth_version
from pipeline.storage.failures import translated

# A writer waits for another one: the longest write transaction is one batch of documents, a few seconds.
BUSY_TIMEOUT_SECONDS: Final = 60.0

_WRITING: Final = "clindex_writing"


class Database:
    """A relational database. Every connection is used inside ``begin`` or ``read`` and belongs to one thread."""

    def __init__(self, engine: Engine, path: Path | None) -> None:
        self._engine = engine
        self._path = path

    @classmethod
    def open(cls, url: str) -> Database:
        """Open a database by SQLAlchemy URL. Nothing is connected to or made yet.

        Raises:
            ConfigurationError: The URL cannot be read or names an unknown driver.
        """
        try:
            parsed = make_url(url)
            path = _sqlite_path(parsed)
            engine = create_engine(parsed, hide_parameters=True, pool_pre_ping=path is None, **_engine_options(parsed))
        except (ArgumentError, NoSuchModuleError, ModuleNotFoundError):
            raise ConfigurationError(
                "the database URL cannot be used", remedy="write it as sqlite:///file, postgresql+psycopg://… or mysql+pymysql://…"
            ) from None
        if parsed.get_backend_name() == "sqlite":
            _listen_sqlite(engine, path)
        truth_version.watch(engine)
        return cls(engine, path)

    @property
    def dialect(self) -> str:
        """``sqlite``, ``postgresql``, ``mysql`` or ``mariadb``."""
        return self._engine.dialect.name

    @property
    def path(self) -> Path | None:
        """The SQLite file, or ``None`` for a server or for memory."""
        return self._path

    def prepare(self) -> None:
        """Make a missing SQLite file (0600) and its folder (0700), so that connecting can succeed. Other databases are left alone."""
        if self._path is not None and not self._path.exists():
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600))

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """Run one write transaction: committed when the block ends, rolled back when it raises. On SQLite writers queue up.

        Raises:
            HomeNotInitialisedError: The SQLite file or a table does not exist.
            StoreUnavailableError: The database does not answer, is locked for too long, or its disk is full.
            StoreRejectedError: A constraint or a type refused what was written.
            StoreCorruptError: The file is not a readable SQLite database.
        """
        with self._transaction(writing=True) as connection:
            yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Run one reading transaction that sees a single state of the database. Writing in it is refused. Raises as ``begin``."""
        with self._transaction(writing=False) as connection:
            yield connection

    def scour(self) -> None:
        """Rewrite an SQLite file and empty its log, so that no byte of deleted rows can be read from them. A server's own vacuum does that.

        It takes about as long as copying the file, and its size again on the disk. Writers wait meanwhile.

        ``PRAGMA secure_delete`` is not enough: pages that were split still held 2 of 1,650 deleted texts.

        Raises:
            StoreUnavailableError: The disk is full, or others read or write all the time; what was deleted stays deleted.
        """
        if self._path is None:
            return
        try:
            connection = self._engine.raw_connection()
            try:
                cursor = connection.cursor()
                cursor.execute("PRAGMA query_only=OFF")
                cursor.execute("VACUUM")
                blocked: int = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
                cursor.close()
            finally:
                connection.close()
        except sqlite3.Error as error:
            raise translated(DBAPIError(None, None, error), self.dialect) from None
        except DBAPIError as error:
            raise translated(error, self.dialect) from None
        if blocked:
            raise StoreUnavailableError(
                "the database is read all the time: its log could not be emptied", remedy="run the same again later"
            )

    def dispose(self) -> None:
        """Close all idle connections."""
        self._engine.dispose()

    @contextmanager
    def _transaction(self, *, writing: bool) -> Iterator[Connection]:
        try:
            with self._engine.connect() as connection:
                connection.execution_options(**_transaction_options(self.dialect, writing=writing))
                with connection.begin():
                    yield connection
                    if writing:
                        truth_version.renew(connection)
        except DBAPIError as error:
            raise translated(error, self.dialect) from None
        except StatementError as error:
            raise StoreRejectedError(f"a value does not fit its column ({type(error.orig).__name__})") from None
        except UnicodeEncodeError:  # raised by the drivers themselves; it carries the whole text
            raise StoreRejectedError("a text holds what UTF-8 cannot (a lone surrogate)") from None
        except PoolTimeoutError:
            raise StoreUnavailableError("all database connections are in use", remedy="run fewer tasks at a time") from None


def _sqlite_path(url: URL) -> Path | None:
    if url.get_backend_name() != "sqlite" or url.database in (None, "", ":memory:"):
        return None
    return Path(str(url.database))


def _engine_options(url: URL) -> dict[str, Any]:
    if url.get_backend_name() == "sqlite":
        return {"connect_args": {"timeout": BUSY_TIMEOUT_SECONDS}}
    return {}


def _transaction_options(dialect: str, *, writing: bool) -> dict[str, Any]:
    if dialect == "sqlite":
        return {_WRITING: writing}
    if writing:
        return {"isolation_level": "READ COMMITTED"}
    options: dict[str, Any] = {"isolation_level": "REPEATABLE READ"}
    if dialect == "postgresql":
        options["postgresql_readonly"] = True
    return options


def _listen_sqlite(engine: Engine, path: Path | None) -> None:
    """Let us, not the driver, begin transactions: a write takes its lock at once, so two writers queue and never deadlock."""

    @event.listens_for(engine, "do_connect")
    def refuse_missing(*_: object) -> None:
        if path is not None and not path.exists():
            raise HomeNotInitialisedError("the database file does not exist", remedy="run clindex init")

    @event.listens_for(engine, "connect")
    def configure(connection: Any, _: object) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writing = connection.get_execution_options().get(_WRITING, False)
        connection.exec_driver_sql(f"PRAGMA query_only={'OFF' if writing else 'ON'}")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")
