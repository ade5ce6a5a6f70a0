"""Peak memory of this process."""

from __future__ import annotations

from pathlib import Path


def peak_mb() -> int:
    """Return the peak resident memory in MiB.

    From ``/proc``, not ``getrusage``: its ``ru_maxrss`` starts with the parent's memory when a large process starts this one.
    """
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) // 1024
    raise OSError("no VmHWM in /proc/self/status")
