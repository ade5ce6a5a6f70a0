"""Processes by number, start and host: whether the one that wrote its number down still runs. Numbers are used again; starts are not."""

from __future__ import annotations

import os
import socket
from pathlib import Path


def host_name() -> str:
    """Return this machine's name."""
    return socket.gethostname()


def process_start(pid: int) -> int | None:
    """Return a process's start in clock ticks since boot (Linux, proc(5): field 22 of ``stat``), ``None`` elsewhere or if there is none."""
    try:
        line = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
        return int(line.rpartition(")")[2].split()[19])
    except (OSError, ValueError, IndexError):
        return None


def is_alive(pid: int, started: object) -> bool:
    """Whether a process of this machine runs, and is the one that started then (``None``: not known, so any is believed)."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass  # somebody else's process: it runs
    now = process_start(pid)
    return now is None or started is None or now == started
