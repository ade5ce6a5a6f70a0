"""Peak memory of this process."""

from __future__ import annotations

import threading
from pathlib import Path
from types import TracebackType
from typing import Final

_SAMPLE_SECONDS: Final = 0.05


def peak_mb() -> int:
    """Return the peak resident memory in MiB.

    From ``/proc``, not ``getrusage``: its ``ru_maxrss`` starts with the parent's memory when a large process starts this one.
    """
    return _status_mb("VmHWM:")


class OwnMemory:
    """Samples this process's own (anonymous) memory while it is entered.

    Resident memory also counts pages of mapped files, such as the index's: the kernel keeps them while there is room, as it keeps any file
    that was read, and takes them back when memory is wanted.
    """

    def __init__(self) -> None:
        self.peak_mb = 0
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> OwnMemory:
        """Begin to sample."""
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """End."""
        self._end.set()
        self._thread.join()

    def _watch(self) -> None:
        while True:
            self.peak_mb = max(self.peak_mb, _status_mb("RssAnon:"))
            if self._end.wait(_SAMPLE_SECONDS):
                return


def _status_mb(name: str) -> int:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(name):
            return int(line.split()[1]) // 1024
    raise OSError(f"no {name} in /proc/self/status")
