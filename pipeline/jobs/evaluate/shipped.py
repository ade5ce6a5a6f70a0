"""The query set that the repository ships with its samples; it is asked where a home holds the samples and no other set is named."""

from __future__ import annotations

from pathlib import Path

from pipeline.domain.errors import UsageError

SHIPPED = Path(__file__).resolve().parents[3] / "samples" / "evaluation" / "queries.jsonl"


def shipped_queries() -> Path:
    """Return the shipped set.

    Raises:
        UsageError: This package was installed without the repository.
    """
    if not SHIPPED.is_file():
        raise UsageError("no queries were named, and the shipped ones are not here", remedy="Name a file: --queries FILE --qrels FILE.")
    return SHIPPED
