from __future__ import annotations

import pytest
from sqlalchemy import select
from sqlalchemy.dialects import mysql
from sqlalchemy.schema import CreateIndex, CreateTable

import pipeline.storage.proof_tables
import pipeline.storage.study_tables  # noqa: F401
from pipeline.domain.errors import StoreRejectedError
from pipeline.storage import meta
from pipeline.storage.engine import Database
from pipeline.storage.tables import METADATA, chunk_accounts
from pipeline.storage.tables import meta as table
from pipeline.storage.upsert import insert_or_ignore, insert_or_update, upsert_statement


def _rows(db: Database) -> dict[str, str]:
    with db.read() as tx:
        return dict(tx.execute(select(table.c.key, table.c.value)).all())


def test_existing_rows_are_updated_and_new_ones_inserted(db: Database) -> None:
    with db.begin() as tx:
        insert_or_update(tx, table, [{"key": "a", "value": "1"}], keys=["key"], update=["value"])
        insert_or_update(tx, table, [{"key": "a", "value": "2"}, {"key": "b", "value": "3"}], keys=["key"], update=["value"])
        insert_or_update(tx, table, [], keys=["key"], update=["value"])
    assert _rows(db) == {"a": "2", "b": "3"}


def test_ignoring_keeps_existing_rows_as_they_are(db: Database) -> None:
    with db.begin() as tx:
        insert_or_ignore(tx, table, [{"key": "a", "value": "1"}], keys=["key"])
        insert_or_ignore(tx, table, [{"key": "a", "value": "2"}, {"key": "b", "value": "3"}], keys=["key"])
    assert _rows(db) == {"a": "1", "b": "3"}


def test_ignoring_does_not_swallow_other_violations(db: Database) -> None:
    with pytest.raises(StoreRejectedError), db.begin() as tx:
        insert_or_ignore(tx, table, [{"key": "a", "value": None}], keys=["key"])


def test_a_fact_that_may_be_set_once_keeps_its_first_value(db: Database) -> None:
    with db.begin() as tx:
        assert meta.get(tx, "a") is None
        assert meta.put_once(tx, "a", "1") == "1"
        assert meta.put_once(tx, "a", "2") == "1"
        meta.put(tx, "a", "3")
        assert meta.get(tx, "a") == "3"


def _mysql(statement: object) -> str:
    return " ".join(str(statement.compile(dialect=mysql.dialect())).split())  # type: ignore[attr-defined]


def test_upserts_compile_for_mysql() -> None:
    update = _mysql(upsert_statement("mysql", table, keys=["key"], update=["value"]))
    ignore = _mysql(upsert_statement("mariadb", table, keys=["key"], update=[]))
    assert update.endswith("ON DUPLICATE KEY UPDATE value = VALUES(value)") or "ON DUPLICATE KEY UPDATE value = new.value" in update
    assert ignore.endswith("ON DUPLICATE KEY UPDATE `key` = meta.`key`")


@pytest.mark.parametrize("name", sorted(METADATA.tables))
def test_every_table_compiles_for_mysql_with_bytewise_collation_and_keys_that_fit(name: str) -> None:
    one = METADATA.tables[name]
    made = _mysql(CreateTable(one))
    assert made.endswith("ENGINE=InnoDB CHARSET=utf8mb4 COLLATE utf8mb4_bin")
    for index in one.indexes:
        _mysql(CreateIndex(index))
    keys = [one.primary_key.columns, *[constraint.columns for constraint in one.constraints if hasattr(constraint, "columns")]]
    for columns in [*keys, *[index.columns for index in one.indexes]]:
        size = sum(4 * getattr(column.type, "length", None) if getattr(column.type, "length", None) else 32 for column in columns)
        assert size <= 3072, f"{name}: InnoDB's longest key has 3,072 bytes"
        assert all(not str(column.type).startswith("TEXT") for column in columns), f"{name}: MySQL cannot index a TEXT whole"


def test_moments_keep_microseconds_on_mysql() -> None:
    assert "updated_at DATETIME(6)" in _mysql(CreateTable(METADATA.tables["index_state"]))
    assert "by_reason JSON" in _mysql(CreateTable(chunk_accounts))
