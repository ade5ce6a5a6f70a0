"""Pages of mapped files leave the process, and what was written to them does not get lost."""

from __future__ import annotations

import mmap
import sys
from pathlib import Path

import pytest

from pipeline.index.mapped import release_mapped

MEGABYTES = 8


def resident(name: str) -> int:
    """Kilobytes of a mapping that are resident."""
    inside = False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        if name in line:
            inside = True
        elif inside and line.startswith("Rss:"):
            return int(line.split()[1])
    raise AssertionError("not mapped")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells and takes")
def test_pages_are_given_back_and_writes_stay(tmp_path: Path):
    path = tmp_path / "pages" / "segment"
    path.parent.mkdir()
    path.write_bytes(bytes(MEGABYTES * 2**20))
    with path.open("r+b") as stream, mmap.mmap(stream.fileno(), 0) as mapped:
        for place in range(0, len(mapped), mmap.PAGESIZE):
            mapped[place] = 7
        assert resident(str(path)) == MEGABYTES * 1024
        assert release_mapped(path.parent) == MEGABYTES * 2**20
        assert resident(str(path)) == 0
        assert set(mapped[:: mmap.PAGESIZE]) == {7}
    assert path.read_bytes()[0] == 7


def test_other_folders_are_left_alone(tmp_path: Path):
    assert release_mapped(tmp_path) == 0
