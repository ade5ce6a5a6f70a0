"""Checksums of model files."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

from pipeline.domain.errors import ModelError


def sha256_of_file(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, in constant memory; a file that has not changed is read once a process.

    Raises:
        ModelError: The file cannot be read.
    """
    try:
        status = path.stat()
        return _sha256(path, status.st_mtime_ns, status.st_size, status.st_ino)
    except OSError:
        raise ModelError(f"The model file {path.name} cannot be read", remedy="Run clindex init.") from None


@lru_cache(maxsize=64)
def _sha256(path: Path, _modified: int, _size: int, _inode: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def verify(path: Path, expected: str, *, remedy: str) -> None:
    """Check that a file is the one it should be.

    Raises:
        ModelError: It cannot be read, or its SHA-256 is another.
    """
    if sha256_of_file(path) != expected:
        raise ModelError(f"The model file {path.name} fails its checksum", remedy=remedy)
