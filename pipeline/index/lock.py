"""The operating-system lock around the embedded index, and who holds it.

Qdrant Edge is damaged by a second process that merely tries to open it, so this lock is taken first, always. It goes with its
process: a holder that is killed blocks nobody. Two lock files make the turns fair: who wants the index takes the *turn* first and keeps
it while waiting, so that a holder who comes back at once finds the turn taken and waits behind. It also tells a holder who keeps the
index open between queries that somebody waits.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from pipeline.domain.errors import StoreBusyError
from pipeline.processes import host_name, is_alive, process_start

# A waiting process looks this often; a lock test costs some 10 µs, and 20 ms are little beside opening the index (0.2 s and more).
POLL_SECONDS: Final = 0.02

# Programs whose first argument is a subcommand's name. Of any other, arguments may hold text that belongs in no message.
_PROGRAMS_WITH_SUBCOMMANDS: Final = frozenset({"clindex", "airflow"})
_SUBCOMMAND: Final = re.compile(r"[a-z][a-z-]{0,24}\Z", re.ASCII)


def command_name() -> str:
    """Return this process's program and subcommand, without any further argument."""
    program = Path(sys.argv[0]).name if sys.argv and sys.argv[0] else "python"
    if program in _PROGRAMS_WITH_SUBCOMMANDS and len(sys.argv) > 1 and _SUBCOMMAND.match(sys.argv[1]):
        return f"{program} {sys.argv[1]}"
    return program


class IndexLock:
    """An exclusive lock between processes. Not for threads: one object a process (see ``store.shared_store``)."""

    def __init__(self, folder: Path, name: str) -> None:
        self._lock = _file_lock(folder / f"{name}.lock")
        self._turn = _file_lock(folder / f"{name}.turn.lock")
        self._holder_file = folder / f"{name}.holder.json"

    @property
    def is_held(self) -> bool:
        """Whether this process holds it."""
        return bool(self._lock.is_locked)

    def acquire(self, timeout_seconds: float) -> None:
        """Take the lock, waiting at most ``timeout_seconds``.

        Raises:
            StoreBusyError: Somebody else held it all the time; says who, as far as that is known.
        """
        deadline = time.monotonic() + timeout_seconds
        try:
            with self._turn.acquire(timeout=timeout_seconds, poll_interval=POLL_SECONDS):
                self._lock.acquire(timeout=max(0.0, deadline - time.monotonic()), poll_interval=POLL_SECONDS)
        except Timeout:
            raise StoreBusyError(
                f"the embedded index is in use: {describe_holder(self._holder_file)}; waited {timeout_seconds:g} s",
                remedy="wait until it has finished, or stop it; CLINDEX_LOCK_TIMEOUT_SECONDS sets how long to wait",
            ) from None
        _write_holder(self._holder_file)

    def release(self) -> None:
        """Let the next one have it."""
        with suppress(FileNotFoundError):
            self._holder_file.unlink()
        self._lock.release()

    def somebody_waits(self) -> bool:
        """Whether another process wants the lock, or nobody can any more because its folder was removed. Makes no file and no folder."""
        try:
            turn = os.open(self._turn.lock_file, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return True
        try:
            fcntl.flock(turn, fcntl.LOCK_EX | fcntl.LOCK_NB)
            fcntl.flock(turn, fcntl.LOCK_UN)  # not left to closing: a child forked meanwhile would keep it
        except BlockingIOError:
            return True
        finally:
            os.close(turn)
        return False


def _file_lock(path: Path) -> FileLock:
    # No soft lock where the file system has no real one: a file that merely exists would outlive a killed holder.
    return FileLock(path, mode=0o600, thread_local=False, fallback_to_soft=False, preserve_lock_file=True)


def _write_holder(path: Path) -> None:
    holder = {
        "pid": os.getpid(),
        "started": process_start(os.getpid()),
        "command": command_name(),
        "host": host_name(),
        "since": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    beside.write_text(json.dumps(holder), encoding="utf-8")
    beside.replace(path)


def describe_holder(path: Path) -> str:
    """Say who holds the lock: program, process id, host and since when. What a dead process left behind is not believed."""
    try:
        holder = json.loads(path.read_text(encoding="utf-8"))
        pid, host = int(holder["pid"]), str(holder["host"])
        command, since, started = str(holder["command"]), str(holder["since"]), holder["started"]
    except (OSError, ValueError, KeyError, TypeError):
        return "by a process that has not said who it is"
    if host == host_name() and not is_alive(pid, started):
        return f"by an unknown process (the last one known, {pid}, has ended)"
    return f"by {command} (process {pid} on {host}, since {since})"
