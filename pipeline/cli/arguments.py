"""What several commands take: ids of documents."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import typer


def document_id(value: str) -> UUID:
    """Return a document id as typed.

    Raises:
        BadParameter: It is none.
    """
    try:
        return UUID(value)
    except ValueError:
        raise typer.BadParameter("a document id is a UUID; `clindex search --json` and `clindex quarantine list` show them") from None


def document_ids(values: Sequence[str] | None) -> list[UUID] | None:
    """Return document ids as typed; ``None`` where none was: all documents."""
    return [document_id(value) for value in values] if values else None
