"""What truth knows of one document: kind, state, numbers, pages. Its file's place, which may name a person, only where it is asked for."""

from __future__ import annotations

from dataclasses import asdict
from uuid import UUID

from pipeline.domain.errors import RecordError, StoreCorruptError, UsageError
from pipeline.domain.site_files import LandedFile
from pipeline.domain.vocabulary import Source
from pipeline.jobs.report.pages import page_rows
from pipeline.json_bytes import read_json
from pipeline.storage import index_state
from pipeline.storage.documents import load_documents, payload_hashes
from pipeline.storage.file_rows import load_figures, load_identifiers
from pipeline.wiring import Services


def show_document(services: Services, document_id: UUID, *, where: bool = False) -> dict[str, object]:
    """Return what is known of a document.

    Args:
        services: The home.
        document_id: Which.
        where: Say which file of the site it is.

    Raises:
        UsageError: Truth does not know it.
    """
    with services.db.read() as tx:
        about = load_documents(tx, [document_id]).get(document_id)
        if about is None:
            raise UsageError("truth does not know this document", remedy="`clindex search --json` and reports show ids.")
        state = index_state.get_many(tx, [document_id])[document_id]
        identifiers = load_identifiers(tx, document_id)
        pages = page_rows(tx, document_id)
        figures = load_figures(tx, document_id)
        payload = payload_hashes(tx, [document_id])[document_id]
    shown: dict[str, object] = {
        "document_id": str(document_id),
        "source": about.source,
        "source_key": about.source_key,
        "kind": about.kind,
        "state": state.state.value,
        "deleted": about.tombstoned,
        "chunks": state.live_chunks,
        "facets": {name: value for name, value in asdict(about.facets).items() if value},
        "identifiers": [asdict(one) for one in identifiers],
        "pages": pages,
        "figures": figures,
    }
    return {**shown, "file": _file(services, payload) if about.source == Source.DOCUMENTS else None} if where else shown


def _file(services: Services, payload_sha256: str) -> str | None:
    """Return the path that the manifest in landing holds; ``None``: landing has lost it."""
    try:
        return LandedFile.of(read_json(services.landing.get(payload_sha256))).path
    except (KeyError, ValueError, RecordError, StoreCorruptError):
        return None
