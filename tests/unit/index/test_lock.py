"""Who holds the lock, and what is not believed."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.domain.errors import StoreBusyError
from pipeline.index.lock import IndexLock, command_name, describe_holder


def _holder(path: Path, **changes: object) -> Path:
    holder = {
        "pid": os.getpid(),
        "started": None,
        "command": "clindex index",
        "host": socket.gethostname(),
        "since": "2026-01-01T00:00:00+00:00",
    }
    path.write_text(json.dumps({**holder, **changes}))
    return path


def _pid_of_an_ended_process() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_names_command_process_host_and_time(tmp_path: Path) -> None:
    said = describe_holder(_holder(tmp_path / "h"))
    assert said == f"by clindex index (process {os.getpid()} on {socket.gethostname()}, since 2026-01-01T00:00:00+00:00)"


def test_what_an_ended_process_left_behind_is_not_believed(tmp_path: Path) -> None:
    assert "has ended" in describe_holder(_holder(tmp_path / "h", pid=_pid_of_an_ended_process()))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells when a process started")
def test_another_process_with_a_used_id_is_not_taken_for_the_holder(tmp_path: Path) -> None:
    assert "has ended" in describe_holder(_holder(tmp_path / "h", started=1))


def test_a_process_of_another_host_is_named_unseen(tmp_path: Path) -> None:
    assert "process 1 on elsewhere" in describe_holder(_holder(tmp_path / "h", pid=1, host="elsewhere", started=5))


@pytest.mark.parametrize("content", [None, "", "{", "[]", '{"pid": "x"}', '{"pid": 1}'])
def test_an_unreadable_note_is_no_error(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "h"
    if content is not None:
        path.write_text(content)
    assert describe_holder(path) == "by a process that has not said who it is"


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["/usr/bin/clindex", "search", "a patient's words"], "clindex search"),
        (["/usr/bin/clindex", "--json", "search"], "clindex"),
        (["clindex", "A Name"], "clindex"),
        (["airflow", "standalone"], "airflow standalone"),
        (["/srv/x/script.py", "secret"], "script.py"),
        ([""], "python"),
        ([], "python"),
    ],
)
def test_a_command_is_named_without_its_arguments(monkeypatch: pytest.MonkeyPatch, argv: list[str], expected: str) -> None:
    monkeypatch.setattr(sys, "argv", argv)
    assert command_name() == expected


def test_one_at_a_time_and_waiting_is_seen(tmp_path: Path) -> None:
    first, second = IndexLock(tmp_path, "x"), IndexLock(tmp_path, "x")
    first.acquire(1)
    assert not first.somebody_waits()
    with pytest.raises(StoreBusyError, match=f"process {os.getpid()}"):
        second.acquire(0.1)
    assert first.is_held
    assert not second.is_held
    first.release()
    second.acquire(1)
    assert second.is_held
    second.release()


def test_the_note_of_a_holder_goes_with_its_hold(tmp_path: Path) -> None:
    lock = IndexLock(tmp_path, "x")
    lock.acquire(1)
    assert json.loads((tmp_path / "x.holder.json").read_text())["pid"] == os.getpid()
    lock.release()
    assert not (tmp_path / "x.holder.json").exists()


def test_asking_whether_somebody_waits_makes_nothing(tmp_path: Path) -> None:
    lock = IndexLock(tmp_path / "gone", "clindex")

    assert lock.somebody_waits()
    assert not (tmp_path / "gone").exists()
