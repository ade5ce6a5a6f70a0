"""Insert-or-update and insert-or-ignore for many rows, on SQLite, PostgreSQL and MySQL/MariaDB."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Insert, Table
from sqlalchemy.dialects import mysql, postgresql, sqlite

Row = Mapping[str, Any]


def insert_or_update(tx: Connection, table: Table, rows: Sequence[Row], *, keys: Sequence[str], update: Sequence[str]) -> None:
    """Insert rows; where a row with the same ``keys`` (primary key or a unique constraint) exists, set its ``update`` columns."""
    if rows:
        tx.execute(upsert_statement(tx.dialect.name, table, keys=keys, update=update), list(rows))


def insert_or_ignore(tx: Connection, table: Table, rows: Sequence[Row], *, keys: Sequence[str]) -> None:
    """Insert rows; a row with the same ``keys`` that exists stays as it is. Every other violation is still an error."""
    insert_or_update(tx, table, rows, keys=keys, update=())


def upsert_statement(dialect: str, table: Table, *, keys: Sequence[str], update: Sequence[str]) -> Insert:
    """Return the statement that ``insert_or_update`` runs; without ``update`` columns an existing row is left alone."""
    if dialect in ("mysql", "mariadb"):
        statement = mysql.insert(table)
        # INSERT IGNORE would also swallow bad types and missing parents: a key set to itself changes nothing and hides nothing.
        changes = {name: statement.inserted[name] for name in update} or {keys[0]: table.c[keys[0]]}
        return statement.on_duplicate_key_update(changes)
    insert = sqlite.insert(table) if dialect == "sqlite" else postgresql.insert(table)
    if not update:
        return insert.on_conflict_do_nothing(index_elements=list(keys))
    return insert.on_conflict_do_update(index_elements=list(keys), set_={name: insert.excluded[name] for name in update})
