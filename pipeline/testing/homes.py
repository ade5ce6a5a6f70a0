"""Copies of homes: a test writes to its own."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

from pipeline.settings import Settings


def copy_home(home: Path, target: Path) -> None:
    """Copy a home that nobody has open."""
    shutil.copytree(home, target, copy_function=_copy_without_holes)


def copy_of(settings: Settings, target: Path) -> Settings:
    """Copy a home and return the settings of the copy."""
    copy_home(settings.home, target)
    return settings.model_copy(update={"home": target})


def _copy_without_holes(source: str, target: str) -> None:
    """Copy the parts of a file that hold data. The embedded index reserves 260 MB of which 12 hold any."""
    with open(source, "rb", buffering=0) as reader, open(target, "wb") as writer:
        size = writer.truncate(os.fstat(reader.fileno()).st_size)
        place = 0
        while place < size:
            try:
                place = os.lseek(reader.fileno(), place, os.SEEK_DATA)
            except OSError as error:
                if error.errno == errno.ENXIO:  # a hole up to the end
                    break
                raise
            end = os.lseek(reader.fileno(), place, os.SEEK_HOLE)
            reader.seek(place)
            writer.seek(place)
            writer.write(reader.read(end - place))
            place = end
    shutil.copystat(source, target)
