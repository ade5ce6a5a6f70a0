"""What truth keeps of a site's file beside its document: pages, pictures, numbers that name it, and rows of its tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Table, and_, delete, func, insert, select

from pipeline.domain.reading import ReadFigure, ReadPage
from pipeline.domain.tables import TableRow
from pipeline.domain.vocabulary import Provenance
from pipeline.storage.collections import in_collection
from pipeline.storage.tables import document_figures, document_identifiers, document_pages, index_state, table_rows

_IN_BATCH = 500


@dataclass(frozen=True, slots=True)
class IdentifierRow:
    """One number that names a document."""

    scheme: str
    value: str
    provenance: Provenance
    page: int | None
    own: bool


@dataclass(frozen=True, slots=True)
class FigureRow:
    """One picture; ``image_sha256`` names it in landing, ``None``: it was classified out."""

    figure: ReadFigure
    image_sha256: str | None


def replace_pages(tx: Connection, document_id: UUID, pages: Sequence[ReadPage]) -> None:
    """Keep the account of a document's pages in place of the one before."""
    rows = []
    for page in pages:
        values = asdict(page)
        values["page"] = values.pop("number")
        rows.append({**values, "outcome": page.outcome.value, **_codes(page)})
    _replace(tx, document_pages, document_id, rows)


def count_pages(tx: Connection, ids: Sequence[UUID]) -> int:
    """Return how many pages these documents had when they were read last."""
    total = 0
    for start in range(0, len(ids), _IN_BATCH):
        batch = document_pages.c.document_id.in_(ids[start : start + _IN_BATCH])
        total += int(tx.execute(select(func.count()).select_from(document_pages).where(batch)).scalar_one())
    return total


def _codes(page: ReadPage) -> dict[str, str | None]:
    return {"reason": page.reason.value if page.reason else None, "failure": page.failure.value if page.failure else None}


def replace_figures(tx: Connection, document_id: UUID, figures: Sequence[FigureRow]) -> None:
    """Keep what is known of a document's pictures in place of what was."""
    rows = []
    for position, row in enumerate(figures, start=1):
        one = row.figure
        rows.append(
            {
                "position": position,
                "number": one.number,
                "page": one.page,
                "kind": one.kind.value,
                "width": one.width,
                "height": one.height,
                "image_sha256": row.image_sha256,
                "on_redacted_page": one.on_redacted_page,
                "captioned_by": one.captioned_by,
                "vision_tokens": one.vision_tokens,
            }
        )
    _replace(tx, document_figures, document_id, rows)


def replace_identifiers(tx: Connection, document_id: UUID, found: Sequence[IdentifierRow]) -> None:
    """Keep the numbers that name a document in place of those before. The same number twice is kept once, the first."""
    rows = {(one.scheme, one.value): one for one in reversed(found)}
    _replace(tx, document_identifiers, document_id, [{**asdict(one), "provenance": one.provenance.value} for one in rows.values()])


def insert_table_rows(tx: Connection, document_id: UUID, generation: int, rows: Sequence[TableRow]) -> None:
    """Keep the rows of the tables of a document's generation."""
    if rows:
        tx.execute(
            insert(table_rows),
            [{**asdict(row), "cells": list(row.cells), "generation": generation, "document_id": document_id} for row in rows],
        )


def load_table_rows(tx: Connection, document_id: UUID, *, collection: str | None = None) -> list[TableRow]:
    """Return the rows of a document's tables of its generation that is live in a collection, in order, names of columns first."""
    live = and_(index_state.c.document_id == table_rows.c.document_id, index_state.c.live_generation == table_rows.c.generation)
    query = (
        select(table_rows)
        .join(index_state, live)
        .where(table_rows.c.document_id == document_id, in_collection(collection))
        .order_by(table_rows.c.table_number, table_rows.c.number)
    )
    return [TableRow(row.table_number, row.number, row.page, tuple(row.cells)) for row in tx.execute(query)]


def load_identifiers(tx: Connection, document_id: UUID) -> list[IdentifierRow]:
    """Return the numbers that name a document."""
    names = document_identifiers.c
    query = select(document_identifiers).where(names.document_id == document_id).order_by(names.scheme, names.value)
    return [IdentifierRow(row.scheme, row.value, Provenance(row.provenance), row.page, row.own) for row in tx.execute(query)]


def load_figures(tx: Connection, document_id: UUID) -> list[dict[str, Any]]:
    """Return what is known of a document's pictures, in order of the pages; those that were classified out have number 0."""
    query = select(document_figures).where(document_figures.c.document_id == document_id).order_by(document_figures.c.position)
    return [{name: value for name, value in row._mapping.items() if name != "document_id"} for row in tx.execute(query)]


def _replace(tx: Connection, table: Table, document_id: UUID, rows: Sequence[dict[str, Any]]) -> None:
    tx.execute(delete(table).where(table.c.document_id == document_id))
    if rows:
        tx.execute(insert(table), [{**row, "document_id": document_id} for row in rows])
