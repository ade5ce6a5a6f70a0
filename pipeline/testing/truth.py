"""Damages truth the way people and restores do: everything forgotten, as if the database were made anew."""

from __future__ import annotations

from sqlalchemy import delete

from pipeline.storage.study_tables import studies
from pipeline.storage.tables import chunk_accounts, chunks, documents, index_state
from pipeline.wiring import Services


def empty_truth(services: Services) -> None:
    """Forget every document, behind everybody's back. The index stays as it is."""
    with services.db.begin() as tx:
        for table in (chunks, chunk_accounts, index_state, studies, documents):
            tx.execute(delete(table))
