"""A reader's process that says all it knows: it prints the file, leaves a temporary file, and quotes what it cannot read in its errors.

Stands in for libraries that do so. What it says must stop at the process that started it.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from typing import Any

from pipeline.domain.reading import ReadFile
from pipeline.stages.extract import child, readers
from pipeline.testing.canaries import PATIENT

read = readers.read


def loud(data: bytes, media_type: str, *options: Any) -> ReadFile:
    """Read a file, loudly."""
    os.write(1, PATIENT.encode())
    os.write(2, PATIENT.encode())
    handle, _ = tempfile.mkstemp(prefix="reader")
    os.write(handle, PATIENT.encode())
    if b"Breaks the reader" in data:
        raise ValueError(f"cannot read {PATIENT}")
    return read(data, media_type, *options)


def telling(answer: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """Tell what an error says, not its class alone."""

    def tell(data: bytes, *others: Any) -> dict[str, Any]:
        try:
            loud(data, "")
        except ValueError as error:
            return {"crash": str(error)}
        except Exception:
            return answer(data, *others)
        return answer(data, *others)

    return tell


readers.read = loud
if "CANARY_TELLS" in os.environ:
    child._answer = telling(child._answer)
sys.exit(child.main())
