"""Gives back the pages of mapped files that a long scan touched: the embedded index is mapped into memory, and a scan reads all of it.

The kernel would take them back when memory is wanted; a container's limit, and whoever watches resident memory, sees them until then.
"""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path
from typing import Final

# Linux: drops the pages of a shared file mapping from the process; what was written to them stays in the page cache (madvise(2)).
_DONTNEED: Final = 4
_MAPS: Final = Path("/proc/self/maps")


def release_mapped(folder: Path) -> int:
    """Give back pages of files below ``folder`` that are mapped shared. Returns how many bytes of mappings that was; 0 where it cannot be done."""
    if sys.platform != "linux":
        return 0
    released = 0
    libc = ctypes.CDLL(None, use_errno=True)
    for start, size in _shared_mappings(folder):
        if libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(size), _DONTNEED) == 0:
            released += size
    return released


def _shared_mappings(folder: Path) -> list[tuple[int, int]]:
    prefix = f"{folder.resolve()}/"
    found = []
    for line in _MAPS.read_text(encoding="utf-8", errors="replace").splitlines():
        fields = line.split(maxsplit=5)  # address, permissions, offset, device, inode, path
        if len(fields) == 6 and fields[1].endswith("s") and fields[5].startswith(prefix):
            start, end = (int(part, 16) for part in fields[0].split("-"))
            found.append((start, end - start))
    return found
