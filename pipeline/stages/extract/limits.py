"""What a reader may use: memory and time; set by the child on itself before it sees the file."""

from __future__ import annotations

import os
import resource
from dataclasses import dataclass
from math import ceil
from typing import Final

#: What a child exits with when not even a message could be sent for want of memory.
OUT_OF_MEMORY: Final = 77


@dataclass(frozen=True, slots=True)
class Limits:
    """``memory_bytes``: address space of the child, and of each process that it starts. ``seconds``: of the clock on the wall."""

    memory_bytes: int
    seconds: float


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0))


def restrict(limits: Limits) -> None:
    """Hold this process to its limits.

    The parent's clock ends what takes too long; the limit of processor time (every core busy for the whole of it) ends what runs on without a
    parent. Nothing is dumped: a core file would hold the document.
    """
    _lower(resource.RLIMIT_AS, limits.memory_bytes)
    _lower(resource.RLIMIT_CPU, ceil(limits.seconds) * cores() + 1)
    _lower(resource.RLIMIT_CORE, 0)


def _lower(what: int, value: int) -> None:
    _, hard = resource.getrlimit(what)
    bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(what, (bound, bound))


def peak_bytes() -> int:
    """Return the peak of resident memory: this process's, and its largest child's as often as may run at once.

    From ``/proc``: ``ru_maxrss`` of a new process starts with the memory of the one that started it. That of the children does too, so this
    is an upper bound.
    """
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    with open("/proc/self/status", encoding="ascii") as status:
        own = next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))
    return own + children * cores()
