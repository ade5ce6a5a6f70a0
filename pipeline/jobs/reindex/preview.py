"""What building a candidate would take, before it is begun: documents, pages to read, texts to embed, points, minutes, room on the disk.

Up to ``EXACT_DOCUMENTS`` every document is prepared as it would be (nothing is embedded or written); of more, an even sample is, and said so.
"""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from uuid import UUID

from pipeline.domain.errors import GuardRefusedError, RecordError, StoreCorruptError
from pipeline.domain.identifiers import text_hash
from pipeline.domain.site_files import LandedFile
from pipeline.domain.vocabulary import PUBLIC_KINDS, DocumentKind, Source
from pipeline.jobs.index_plan import batches, plan_index
from pipeline.jobs.prepare import prepare
from pipeline.jobs.readings import has_reading
from pipeline.jobs.reindex.build import free_name
from pipeline.jobs.reindex.rates import measured_rates
from pipeline.jobs.reindex.summaries import CandidatePreview
from pipeline.json_bytes import read_json
from pipeline.observability import ProgressReporter
from pipeline.storage import file_rows, index_state
from pipeline.storage.documents import payload_hashes
from pipeline.storage.index_state import IndexRow
from pipeline.wiring import Services

EXACT_DOCUMENTS: Final = 500  # prepared at some 5 to 20 a second: a minute
_BATCH: Final = 64
# Index and truth together, of 100,000 points of 384 numbers: vectors 1.5 KB, payload and its indexes 1.5 KB, log, a chunk row with its text.
_BYTES_A_POINT: Final = 6_000
_BYTES_A_COLLECTION: Final = 160 * 2**20  # log segments and the index's first segments, before there is a point


def preview(services: Services) -> CandidatePreview:
    """Say what a candidate for the present settings would take. Reads only."""
    candidate = services.candidate()
    missing_yet = None if candidate is None else set(plan_index(services.at(candidate)).index)  # a killed build goes on where it was
    with services.db.read() as tx:
        rows = [
            row
            for row in index_state.scan(tx, collection=services.collection)
            if not row.tombstoned and (missing_yet is None or row.document_id in missing_yet)
        ]
        rates = measured_rates(tx)
    unread, pages = _unread(services, rows)
    ready = [row for row in rows if row.document_id not in unread]
    sample = ready if len(ready) <= EXACT_DOCUMENTS else ready[:: -(-len(ready) // EXACT_DOCUMENTS)]
    points, missing = _prepared(services, sample)
    scale = len(ready) / len(sample) if sample else 1.0
    # What a file that must be read anew will hold is not known: as much as it holds now, and none of it in the cache.
    anew = sum(row.live_chunks for row in rows if row.document_id in unread)
    points, missing = round(points * scale) + anew, round(missing * scale) + anew
    return CandidatePreview(
        collection=candidate.name if candidate else _name(services),
        model=services.model_fingerprint,
        documents=len(rows),
        sampled=len(sample),
        pages_to_read=pages,
        points=points,
        texts_to_embed=missing,
        minutes=round(rates.seconds(pages=pages, texts=missing, points=points) / 60, 2),
        rates={name: round(value, 2) for name, value in rates.values.items()},
        measured=rates.measured,
        bytes_needed=_BYTES_A_COLLECTION + points * _BYTES_A_POINT,
        bytes_free=None if services.settings.qdrant_url else _free(services.settings.index_folder),
    )


def require_room(found: CandidatePreview) -> None:
    """Refuse to begin what would fill the disk half-way.

    Raises:
        GuardRefusedError: There is too little room.
    """
    if not found.fits:
        raise GuardRefusedError(
            f"{found.bytes_needed // 2**20} MB are needed and {(found.bytes_free or 0) // 2**20} MB are free",
            remedy="Free some space, or `clindex reindex --retire` what is kept of earlier collections.",
        )


def _name(services: Services) -> str:
    with services.db.read() as tx:
        return free_name(tx, services.settings.collection, set(services.catalog.names()))


def _free(folder: Path) -> int:
    there = next(one for one in (folder, *folder.absolute().parents) if one.exists())
    return shutil.disk_usage(there).free


def _prepared(services: Services, rows: Sequence[IndexRow]) -> tuple[int, int]:
    """Return how many points documents become, and how many of their distinct texts the cache does not know."""
    points = 0
    seen: set[tuple[str, str]] = set()
    missing = 0
    with ProgressReporter("preview documents", total=len(rows)) as progress:
        for batch in batches([row.document_id for row in rows], _BATCH):
            wanted = set(batch)
            done, _ = prepare(services, [row for row in rows if row.document_id in wanted])
            by_model: dict[str, set[str]] = defaultdict(set)
            for item in done:
                model = services.fingerprint_of(item.document.kind)
                by_model[model].update(text_hash(chunk.embed_text) for chunk in item.chunked.chunks)
                points += len(item.chunked.chunks)
            for model, hashes in by_model.items():
                new = {one for one in hashes if (model, one) not in seen}
                seen |= {(model, one) for one in new}
                missing += len(new) - len(services.cache.get_many(new, fingerprint=model))
            progress.advance(len(batch))
    return points, missing


def _unread(services: Services, rows: Sequence[IndexRow]) -> tuple[set[UUID], int]:
    """Return the files that this version of the reader has not read, and how many pages they have."""
    files = [row for row in rows if row.source == Source.DOCUMENTS]
    with services.db.read() as tx:
        payloads = payload_hashes(tx, [row.document_id for row in files])
    unread: set[UUID] = set()
    for row in files:
        try:
            landed = LandedFile.of(read_json(services.landing.get(payloads[row.document_id])))
        except (KeyError, ValueError, RecordError, StoreCorruptError):
            continue  # it will fail by name when it is indexed
        if not has_reading(services, landed, vision=DocumentKind(row.kind) in PUBLIC_KINDS):
            unread.add(row.document_id)
    with services.db.read() as tx:
        pages = file_rows.count_pages(tx, [row.document_id for row in files if row.document_id in unread])
    return unread, pages
