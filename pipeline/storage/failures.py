"""Translates a driver's errors into ours. A driver's message may quote the values that were written, so none is passed on."""

from __future__ import annotations

import sqlite3
from typing import Final

from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError

from pipeline.domain.errors import (
    ClindexError,
    HomeNotInitialisedError,
    StoreCorruptError,
    StoreRejectedError,
    StoreUnavailableError,
)

_DISK_FULL_REMEDY: Final = "free space on the database's disk and run the same command again; the transaction was rolled back whole"

# PostgreSQL: appendix A of its manual. MySQL: the server error reference.
_POSTGRES_DISK_FULL: Final = "53100"
_POSTGRES_NO_TABLE: Final = "42P01"
_MYSQL_DISK_FULL: Final = (1021, 1114, 3)
_MYSQL_NO_TABLE: Final = 1146


def translated(error: DBAPIError, dialect: str) -> ClindexError:
    """Return our error for a driver's, naming its class, its code and the constraint, never a value."""
    if dialect == "sqlite":
        return _sqlite(error)
    code = _code(error)
    if code == _POSTGRES_DISK_FULL or code in _MYSQL_DISK_FULL:
        return StoreUnavailableError("the database's disk is full", remedy=_DISK_FULL_REMEDY)
    if code in (_POSTGRES_NO_TABLE, _MYSQL_NO_TABLE):
        return _no_schema()
    if isinstance(error, OperationalError | InterfaceError):
        return StoreUnavailableError(f"the database did not answer ({_name(error)} {code or 'without a code'})")
    return _rejected(error, constraint=getattr(getattr(error.orig, "diag", None), "constraint_name", None), code=code)


def _sqlite(error: DBAPIError) -> ClindexError:
    code = getattr(error.orig, "sqlite_errorcode", None)
    primary = code & 0xFF if isinstance(code, int) else None  # the low byte of an extended result code
    if primary == sqlite3.SQLITE_FULL:
        return StoreUnavailableError("the database's disk is full", remedy=_DISK_FULL_REMEDY)
    if primary in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return StoreCorruptError("the database file is damaged or is not SQLite", remedy="restore it from a backup")
    if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreUnavailableError("another process kept the database locked for too long", remedy="wait for it to end, then try again")
    if primary in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PERM):
        return StoreUnavailableError(f"the database file cannot be used ({getattr(error.orig, 'sqlite_errorname', '')})")
    message = str(error.orig)
    if primary == sqlite3.SQLITE_ERROR and message.startswith("no such table"):
        return _no_schema()
    # SQLite names the columns of a failed constraint after a colon, and no value.
    constraint = message.partition(": ")[2] if primary == sqlite3.SQLITE_CONSTRAINT else None
    return _rejected(error, constraint=constraint, code=getattr(error.orig, "sqlite_errorname", None))


def _rejected(error: DBAPIError, *, constraint: str | None, code: str | int | None) -> StoreRejectedError:
    details = ", ".join(str(detail) for detail in (_name(error), code, constraint) if detail)
    return StoreRejectedError(f"the database refused a statement ({details})")


def _no_schema() -> HomeNotInitialisedError:
    return HomeNotInitialisedError("the database lacks a table", remedy="run clindex init")


def _name(error: DBAPIError) -> str:
    return type(error.orig).__name__


def _code(error: DBAPIError) -> str | int | None:
    sqlstate = getattr(error.orig, "sqlstate", None)
    if isinstance(sqlstate, str):
        return sqlstate
    arguments = getattr(error.orig, "args", ())
    return arguments[0] if arguments and isinstance(arguments[0], int) else None
