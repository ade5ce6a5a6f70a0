from __future__ import annotations

import os
import stat
import threading
import time
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import func, insert, select, text, update

from pipeline.domain.errors import (
    ConfigurationError,
    HomeNotInitialisedError,
    StoreCorruptError,
    StoreRejectedError,
    StoreUnavailableError,
)
from pipeline.storage import engine as engine_module
from pipeline.storage import runs
from pipeline.storage.engine import Database
from pipeline.storage.tables import meta
from pipeline.storage.tables import runs as runs_table


def _value(db: Database, key: str) -> str | None:
    with db.read() as tx:
        return tx.execute(select(meta.c.value).where(meta.c.key == key)).scalar_one_or_none()


def test_a_transaction_is_committed_when_its_block_ends_and_rolled_back_when_it_raises(db: Database) -> None:
    with db.begin() as tx:
        tx.execute(insert(meta).values(key="a", value="1"))

    def change_and_die() -> None:
        with db.begin() as tx:
            tx.execute(update(meta).values(value="2"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        change_and_die()
    assert _value(db, "a") == "1"


def test_a_reader_sees_one_state_while_another_connection_writes(db: Database) -> None:
    with db.begin() as tx:
        tx.execute(insert(meta).values(key="a", value="old"))
    with db.read() as reader:
        query = select(meta.c.value)
        assert reader.execute(query).scalar_one() == "old"
        with db.begin() as writer:
            writer.execute(update(meta).values(value="new"))
        assert reader.execute(query).scalar_one() == "old"
    assert _value(db, "a") == "new"


def test_writing_in_a_reading_transaction_is_refused(db: Database) -> None:
    with pytest.raises((StoreRejectedError, StoreUnavailableError)), db.read() as tx:
        tx.execute(insert(meta).values(key="a", value="1"))
    assert _value(db, "a") is None
    with db.begin() as tx:  # and the connection can write again afterwards
        tx.execute(insert(meta).values(key="a", value="1"))


def test_two_writers_that_read_before_they_write_queue_and_both_succeed(db: Database) -> None:
    with db.begin() as tx:
        tx.execute(insert(meta).values(key="count", value="0"))
    ready = threading.Barrier(2)
    failures: list[BaseException] = []

    def add_ten() -> None:
        try:
            ready.wait()
            for _ in range(10):
                with db.begin() as tx:
                    count = int(tx.execute(select(meta.c.value).with_for_update()).scalar_one())
                    time.sleep(0.002)
                    tx.execute(update(meta).values(value=str(count + 1)))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=add_ten) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert _value(db, "count") == "20"


def test_a_lock_held_for_too_long_is_a_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "BUSY_TIMEOUT_SECONDS", 0.05)
    db = Database.open(f"sqlite:///{tmp_path / 'truth.sqlite'}")
    db.prepare()
    with db.begin(), pytest.raises(StoreUnavailableError, match="locked"), db.begin():
        pass


def test_sqlite_is_opened_with_wal_full_sync_and_foreign_keys(tmp_path: Path) -> None:
    db = Database.open(f"sqlite:///{tmp_path / 'truth.sqlite'}")
    db.prepare()
    with db.begin() as tx:
        found = [tx.execute(text(f"PRAGMA {name}")).scalar_one() for name in ("journal_mode", "synchronous", "foreign_keys")]
    assert found == ["wal", 2, 1]


def test_a_new_sqlite_file_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        db = Database.open(f"sqlite:///{tmp_path / 'home' / 'truth.sqlite'}")
        db.prepare()
        with db.begin() as tx:
            tx.execute(text("CREATE TABLE t (a INTEGER)"))
            names = sorted(path.name for path in (tmp_path / "home").iterdir())
            modes = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "home").iterdir()}
    finally:
        os.umask(old)
    assert names == ["truth.sqlite", "truth.sqlite-shm", "truth.sqlite-wal"]
    assert modes == {0o600}
    assert stat.S_IMODE((tmp_path / "home").stat().st_mode) == 0o700


def test_a_missing_sqlite_file_is_never_made_by_reading_or_writing(tmp_path: Path) -> None:
    db = Database.open(f"sqlite:///{tmp_path / 'truth.sqlite'}")
    for enter in (db.read, db.begin):
        with pytest.raises(HomeNotInitialisedError), enter():
            pass
    assert list(tmp_path.iterdir()) == []


def test_a_missing_table_says_what_to_do(empty_db: Database) -> None:
    empty_db.prepare()
    with pytest.raises(HomeNotInitialisedError) as refusal, empty_db.read() as tx:
        tx.execute(select(meta))
    assert refusal.value.remedy == "run clindex init"


@pytest.mark.parametrize("rubbish", [b"not a database at all" * 100, b"SQLite format 3\x00" + b"\xff" * 8000])
def test_a_damaged_sqlite_file_is_told_apart_from_a_passing_fault(tmp_path: Path, rubbish: bytes) -> None:
    path = tmp_path / "truth.sqlite"
    path.write_bytes(rubbish)
    with pytest.raises(StoreCorruptError), Database.open(f"sqlite:///{path}").read() as tx:
        tx.execute(text("SELECT * FROM sqlite_master")).all()
    assert path.read_bytes() == rubbish


def test_a_full_disk_says_to_free_space_and_leaves_the_old_state(tmp_path: Path) -> None:
    path = tmp_path / "truth.sqlite"
    db = Database.open(f"sqlite:///{path}")
    db.prepare()
    with db.begin() as tx:
        tx.execute(text("CREATE TABLE t (a TEXT)"))

    def outgrow() -> None:
        with db.begin() as tx:
            tx.execute(text("PRAGMA max_page_count = 4"))  # the file may not grow: SQLite reports SQLITE_FULL as on a full disk
            tx.execute(text("INSERT INTO t VALUES ('invented patient text' || hex(zeroblob(100000)))"))

    with pytest.raises(StoreUnavailableError, match="disk is full") as failure:
        outgrow()
    assert "free space" in str(failure.value.remedy)
    assert "invented" not in str(failure.value)
    with db.read() as tx:
        assert tx.execute(text("SELECT count(*) FROM t")).scalar_one() == 0


def test_a_refused_value_stands_in_no_message(db: Database) -> None:
    with db.begin() as tx:
        tx.execute(insert(meta).values(key="Jane Q. Invented", value="1"))
    with pytest.raises(StoreRejectedError) as refusal, db.begin() as tx:
        tx.execute(insert(meta).values(key="Jane Q. Invented", value="secret words"))
    error = refusal.value
    assert error.__suppress_context__
    assert error.__cause__ is None
    assert "Jane" not in str(error)
    assert "secret words" not in str(error)
    assert "meta" in str(error)  # the constraint is named


def test_a_row_without_its_parent_is_refused(db: Database, now: datetime) -> None:
    with pytest.raises(StoreRejectedError), db.begin() as tx:
        runs.add_outcomes(tx, uuid4(), [runs.RunOutcome("fetch", "failure", "not_json")])


def test_an_unreachable_server_is_transient_and_its_password_is_not_shown() -> None:
    db = Database.open("postgresql+psycopg://user:hunter2secret@127.0.0.1:1/none")
    with pytest.raises(StoreUnavailableError) as failure, db.begin():
        pass
    assert "hunter2secret" not in repr(failure.value) + str(failure.value)


@pytest.mark.parametrize("url", ["", "no url", "nosuchdatabase://x", "postgresql+nosuchdriver://u:hunter2secret@h/d"])
def test_an_unusable_url_is_a_configuration_error_that_does_not_quote_it(url: str) -> None:
    with pytest.raises(ConfigurationError) as failure:
        Database.open(url)
    assert "hunter2secret" not in str(failure.value)


def test_moments_come_back_aware_in_utc_with_microseconds(db: Database) -> None:
    given = datetime(2031, 5, 17, 23, 30, 0, 654321, tzinfo=timezone(timedelta(hours=-7)))
    with db.begin() as tx:
        run_id = runs.start_run(tx, "index", given)
    with db.read() as tx:
        found = tx.execute(select(runs_table.c.started_at)).scalar_one()
        earlier = tx.execute(select(func.count()).where(runs_table.c.started_at < given + timedelta(seconds=1))).scalar_one()
    assert found == given
    assert found.tzinfo is UTC
    assert (earlier, run_id is not None) == (1, True)


def test_a_moment_without_a_zone_is_refused(db: Database) -> None:
    with pytest.raises(StoreRejectedError, match="ValueError"), db.begin() as tx:
        runs.start_run(tx, "index", datetime(2031, 5, 17))


def test_a_text_that_cannot_be_encoded_is_refused_without_being_quoted(db: Database) -> None:
    with pytest.raises(StoreRejectedError) as refusal, db.begin() as tx:
        tx.execute(insert(meta).values(key="a", value="Jane Invented \ud800"))
    assert refusal.value.__suppress_context__
    assert "Jane" not in str(refusal.value)
    assert _value(db, "a") is None
