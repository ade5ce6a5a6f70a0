"""Several processes and one embedded index. A shard that a second process merely tries to open is damaged: the outer lock must prevent it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pipeline.domain.errors import StoreBusyError
from pipeline.index.edge import EdgeIndex
from pipeline.testing.points import make_points, make_spec

PREAMBLE = """
import os, sys, time
from pathlib import Path
from pipeline.domain.errors import StoreBusyError
from pipeline.index.edge import EdgeIndex
from pipeline.testing.points import make_points, make_spec
folder = Path(sys.argv[1])
def open_index(seconds=30.0, **options):
    return EdgeIndex(folder, lock_timeout_seconds=seconds, batch_bytes=1 << 20, **options)
def say(word):
    print(word, flush=True)
"""


class Child:
    """Another process that runs a few lines and says words."""

    def __init__(self, folder: Path, code: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", PREAMBLE + code, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def expect(self, word: str) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline().strip() == word

    def tell(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def end(self) -> int:
        return self.process.wait(timeout=60)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "index"
    open_index(folder).create(make_spec())
    return folder


@pytest.fixture
def start(folder: Path):
    children: list[Child] = []

    def start(code: str) -> Child:
        children.append(Child(folder, code))
        return children[-1]

    yield start
    for child in children:
        child.process.kill()
        child.process.wait()


def open_index(folder: Path, *, seconds: float = 30.0, linger: bool = False) -> EdgeIndex:
    return EdgeIndex(folder, lock_timeout_seconds=seconds, batch_bytes=1 << 20, linger=linger)


def test_the_second_process_is_told_who_holds_it_and_the_first_stays_healthy(folder: Path, start) -> None:
    with open_index(folder).session() as index:
        index.upsert(make_points(1, range(1, 11)))
        second = start("""
started = time.monotonic()
try:
    open_index(seconds=0.5).count()
except StoreBusyError as error:
    say("busy"); say(str(error)); say(error.remedy); say("bounded" if time.monotonic() - started < 10 else "late")
""")
        second.expect("busy")
        message = second.process.stdout.readline()
        assert f"process {os.getpid()} " in message
        assert re.search(r"since 20\d\d-\d\d-\d\dT", message)
        assert "CLINDEX_LOCK_TIMEOUT_SECONDS" in second.process.stdout.readline()
        second.expect("bounded")
        assert second.end() == 0
        index.upsert(make_points(2, range(1, 11)))
        assert index.count() == 20
    assert open_index(folder).count() == 20
    with open_index(folder).session() as index:
        index.upsert(make_points(3, range(1, 3)))
    assert len(list(open_index(folder).scan())) == 22


def test_a_killed_holder_blocks_nobody_and_its_last_batch_is_there(folder: Path, start) -> None:
    holder = start("""
with open_index().session() as index:
    index.upsert(make_points(1, range(1, 21)))
    say("written")
    sys.stdin.readline()
""")
    holder.expect("written")
    with pytest.raises(StoreBusyError, match=f"process {holder.process.pid} "):
        open_index(folder, seconds=0.2).count()
    holder.process.send_signal(signal.SIGKILL)
    holder.process.wait()
    started = time.monotonic()
    assert open_index(folder, seconds=10).count() == 20
    assert time.monotonic() - started < 10


def test_a_process_that_ends_without_flush_or_close_loses_nothing(folder: Path, start) -> None:
    child = start("""
session = open_index().session()
session.__enter__().upsert(make_points(1, range(1, 21)))
say("written")
os._exit(0)
""")
    child.expect("written")
    assert child.end() == 0
    index = open_index(folder)
    assert index.count() == 20
    assert {each.payload["ordinal"] for each in index.scan()} == set(range(1, 21))


def test_two_processes_that_create_it_at_once_both_succeed(tmp_path: Path) -> None:
    folder = tmp_path / "other"
    code = "say('ready'); sys.stdin.readline(); open_index().create(make_spec()); say('made'); sys.stdin.readline()"
    children = [Child(folder, code) for _ in range(2)]
    for child in children:
        child.expect("ready")
    for child in children:
        child.tell()
    for child in children:
        child.expect("made")
        child.tell()
        assert child.end() == 0
    info = open_index(folder).describe()
    assert info is not None
    assert (info.spec, info.points) == (make_spec(), 0)


def test_a_process_that_comes_back_at_once_does_not_starve_the_one_that_waits(folder: Path, start) -> None:
    busy = start("""
index = open_index()
say("going")
while True:
    with index.session():
        index.count()
""")
    busy.expect("going")
    for _ in range(3):
        assert open_index(folder, seconds=30).count() == 0
    assert busy.process.poll() is None


def test_a_lingering_process_gives_way_to_one_that_waits_and_goes_on_afterwards(folder: Path, start) -> None:
    server = start("""
index = open_index(linger=True)
say(str(index.count()))
sys.stdin.readline()
say(str(index.count()))
sys.stdin.readline()
""")
    server.expect("0")
    with open_index(folder, seconds=30).session() as index:
        index.upsert(make_points(1, range(1, 4)))
    server.tell()
    server.expect("3")
    server.tell()
    assert server.end() == 0


def test_a_lingering_process_keeps_the_shard_open_between_queries(folder: Path) -> None:
    index = open_index(folder, linger=True)
    index.count()
    shard = index._store._shard
    assert shard is not None
    index.count()
    assert index._store._shard is shard
    index._store.stop_lingering()
    assert index._store._shard is None
    assert index.count() == 0


def test_what_a_lingering_process_wrote_is_there_after_it_is_killed(folder: Path, start) -> None:
    writer = start("""
index = open_index(linger=True)
index.upsert(make_points(1, range(1, 4)))
index.delete_points([make_points(1, [1])[0].id])
assert index._store._shard is not None
say("written")
sys.stdin.readline()
""")
    writer.expect("written")
    writer.process.kill()
    writer.process.wait()
    assert open_index(folder, seconds=30).count() == 2


def test_a_lingering_process_lets_go_of_a_folder_that_was_removed_and_does_not_make_it_again(folder: Path) -> None:
    index = open_index(folder, linger=True)
    index.upsert(make_points(1, [1]))
    shutil.rmtree(folder)
    deadline = time.monotonic() + 30
    while index._store._lock.is_held:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert index._store._shard is None
    assert not folder.exists()


def test_a_closed_index_keeps_nobody_waiting(folder: Path) -> None:
    index = open_index(folder, linger=True)
    index.upsert(make_points(1, [1]))
    assert index._store._shard is not None
    index.close()
    assert index._store._shard is None
    assert not index._store._lock.is_held
    assert index.count() == 1


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_neither_shares_nor_breaks_its_parents_session(folder: Path) -> None:
    with open_index(folder).session() as index:
        index.upsert(make_points(1, range(1, 4)))
        child = os.fork()
        if child == 0:
            try:
                open_index(folder, seconds=0.2).count()
                os._exit(1)
            except StoreBusyError:
                os._exit(7)
            finally:
                os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        index.upsert(make_points(2, range(1, 4)))
        assert index.count() == 6
    assert open_index(folder).count() == 6


def test_a_thread_that_closes_within_its_own_session_does_not_wait_for_itself(folder: Path) -> None:
    outer = open_index(folder, linger=True)
    with outer.session():
        outer.upsert(make_points(1, range(1, 4)))
        open_index(folder, linger=True).close()  # another object of the same process, as a job within a job opens
        assert outer.count() == 3
    outer.close()
    assert open_index(folder).count() == 3
