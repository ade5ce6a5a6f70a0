"""Questions with the documents that answer them, named by file or by reference number, into document ids of a home."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

from sqlalchemy import select

from pipeline.jobs.document_show import show_document
from pipeline.storage.documents import DocumentRow, load_documents
from pipeline.storage.tables import documents
from pipeline.wiring import Services

#: Ours, over the protocols of one county by their reference numbers; those with ``clean`` are another one, misspelt.
OWN = Path(__file__).parent / "queries.jsonl"

_DOSING = frozenset({"medication_dosing", "pediatric", "pediatric_specific"})


@dataclass(frozen=True, slots=True)
class Judged:
    """A question and what answers it.

    Attributes:
        drug: Whose dose is asked for; ``None``: no dose is, or the set does not say.
        clean: Number of the question that this one misspells.
    """

    query_id: str
    text: str = field(repr=False)
    intent: str
    relevant: frozenset[UUID]
    drug: str | None = None
    clean: str | None = None

    @property
    def may_want_dose(self) -> bool:
        """Whether its kind of question asks for doses."""
        return self.intent in _DOSING


def load(path: Path, services: Services) -> list[Judged]:
    """Return the questions of a file of JSON lines: query_id, text, intent, relevant, and where known drug and clean.

    Raises:
        SystemExit: A document that a question names is not in the home.
    """
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    known = _names(services, by_file=any("." in name and name.lower().endswith(".pdf") for row in rows for name in row["relevant"]))
    missing = sorted({name for row in rows for name in row["relevant"]} - set(known))
    if missing:
        raise SystemExit(f"{path.name}: not in the home: {', '.join(missing)}")
    return [
        Judged(
            query_id=row["query_id"],
            text=row["text"],
            intent=row["intent"],
            relevant=frozenset(known[name] for name in row["relevant"]),
            drug=row.get("drug"),
            clean=row.get("clean"),
        )
        for row in rows
    ]


def _names(services: Services, *, by_file: bool) -> Mapping[str, UUID]:
    with services.db.read() as tx:
        ids = [row.document_id for row in tx.execute(select(documents.c.document_id).where(documents.c.tombstoned_at.is_(None)))]
        rows: dict[UUID, DocumentRow] = load_documents(tx, ids)
    names = {row.facets.reference_number: one for one, row in rows.items() if row.facets.reference_number}
    if by_file:
        names |= {Path(str(show_document(services, one, where=True)["file"])).name: one for one in ids}
    return names
