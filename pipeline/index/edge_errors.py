"""Qdrant Edge's errors in our words. It raises bare ``Exception`` whose text may quote a payload: only its kind is read, never passed on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pipeline.domain.errors import (
    ClindexError,
    StoreBusyError,
    StoreCorruptError,
    StoreUnavailableError,
    WriteVerificationError,
)

REBUILD = "the vectors can be rebuilt: clindex init --rebuild-index, then clindex index"


@contextmanager
def edge_errors(action: str) -> Iterator[None]:
    """Turn what Edge raises while it does ``action`` (a verb phrase for people) into one of our errors.

    Raises:
        StoreBusyError: The shard is open elsewhere.
        StoreUnavailableError: The disk is full or not readable for us.
        StoreCorruptError: Anything else: what is on disk cannot be used.
    """
    try:
        yield
    except (ClindexError, GeneratorExit, KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException as error:  # noqa: BLE001  # Edge has no classes of its own, and a Rust panic is no Exception
        raise _translate(error, action) from None


def _translate(error: BaseException, action: str) -> BaseException:
    if isinstance(error, TypeError | ValueError):
        return ValueError(f"cannot {action}: a value is of a type that the index does not take")
    text = str(error)
    if "WouldBlock" in text or "temporarily unavailable" in text:
        return StoreBusyError(f"cannot {action}: the embedded index is open in another process that took no lock")
    if "No space left" in text or "os error 28" in text:
        return StoreUnavailableError(f"cannot {action}: no space is left on the disk", remedy="free some space, then run again")
    if "Permission denied" in text or "os error 13" in text:
        return StoreUnavailableError(f"cannot {action}: this user may not read or write the index's folder")
    if "Vector dimension error" in text:
        return ValueError(f"cannot {action}: a vector has the wrong dimension")
    if "No point with id" in text:
        return WriteVerificationError(f"cannot {action}: a point is not in the index")
    return StoreCorruptError(f"cannot {action}: the embedded index is damaged", remedy=REBUILD)
