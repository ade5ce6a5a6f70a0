"""Reconciliation on synthetic points: seconds and peak memory of the plain one, the deep one and the check at every start.

python -m bench.reconcile --points 100000 --points 1000000
python -m bench.reconcile --points 1000000 --keep FOLDER   # builds the home there, or measures the one that is there
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from uuid import UUID

import numpy as np
from sqlalchemy import insert

from pipeline.domain.chunks import Chunk, Span
from pipeline.domain.digest import digest_of
from pipeline.domain.documents import Facets
from pipeline.domain.identifiers import document_id, fingerprint, point_id
from pipeline.domain.points import Point, SparseVector, payload_hash
from pipeline.domain.recipe import fingerprint_of
from pipeline.domain.vector_marks import dense_marks, sparse_marks
from pipeline.domain.vocabulary import DocumentKind, Section
from pipeline.jobs.init import initialise
from pipeline.jobs.payloads import build_payload
from pipeline.settings import Settings
from pipeline.storage import chunks as chunk_store
from pipeline.storage.chunks import ChunkRow
from pipeline.storage.tables import documents, index_state
from pipeline.wiring import Services, open_services

CHUNKS = 40  # a document: the mean of real studies
DOCUMENTS_A_BATCH = 100
SETTLE_EVERY = 5000  # documents
FACETS = Facets("NCT99000001", "RECRUITING", "2026-01-01", "INTERVENTIONAL", ("PHASE2",), ("Condition A", "Condition B"))


def main() -> int:
    """Build homes of the sizes asked for, check each in processes of their own, and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, action="append", required=True)
    parser.add_argument("--models", type=Path, default=None)
    parser.add_argument("--keep", type=Path, default=None, help="folder of a home that is built once and kept (one size)")
    parser.add_argument("--repeat", type=int, default=1)
    options = parser.parse_args()
    results = []
    for points in options.points:
        with tempfile.TemporaryDirectory() as name:
            settings = Settings(home=options.keep or Path(name) / "home", models_path=options.models or Path(name) / "models")
            built = 0.0 if settings.home.exists() else build(settings, points)
            runs = {mode: [measure(settings, mode) for _ in range(options.repeat)] for mode in MODES}
            results.append({"points": points, "build_seconds": round(built, 1), **runs})
            print(results[-1], file=sys.stderr)
    print(json.dumps(results, indent=2))
    return 0


def build(settings: Settings, points: int) -> float:
    """Make a home of so many points. Returns the seconds it took."""
    start = time.monotonic()
    initialise(settings)
    with open_services(settings) as services:
        fill(services, points // CHUNKS)
        with services.index.session() as index:
            index.settle()
    return time.monotonic() - start


def fill(services: Services, count: int) -> None:
    """Write synthetic documents and their points, equal on both sides."""
    rng = np.random.default_rng(1)
    dense = rng.standard_normal((256, services.dimensions)).astype(np.float32)
    dense /= np.linalg.norm(dense, axis=1, keepdims=True)
    recipe = services.recipe(DocumentKind.TRIAL, "clinicaltrials.gov").id
    for start in range(0, count, DOCUMENTS_A_BATCH):
        batch = [f"SYN{number:08d}" for number in range(start, min(start + DOCUMENTS_A_BATCH, count))]
        write(services, batch, dense, recipe)
        if start % SETTLE_EVERY == 0:
            with services.index.session() as index:
                index.settle()


def write(services: Services, keys: list[str], dense: np.ndarray, recipe: str) -> None:
    """Write one batch of documents to truth and index."""
    now = datetime.now(UTC)
    content = fingerprint("content")
    facets_hash = fingerprint("facets")
    live = fingerprint_of(content, recipe)
    rows: list[ChunkRow] = []
    points: list[Point] = []
    ids: list[UUID] = []
    digests: list[str] = []
    sparse = [SparseVector((ordinal, 1000 + ordinal), (1.0, 0.5)) for ordinal in range(1, CHUNKS + 1)]
    of_dense, of_sparse = dense_marks(dense).tolist(), sparse_marks(sparse)
    for key in keys:
        document = document_id("clinicaltrials.gov", key)
        ids.append(document)
        for ordinal in range(1, CHUNKS + 1):
            chunk = Chunk(
                Section.INCLUSION_CRITERION,
                ordinal,
                False,
                "synthetic criterion",
                "synthetic criterion",
                "eligibility_criteria",
                Span(0, 19),
                5,
            )
            point = point_id(document, generation=1, section=chunk.section.value, ordinal=ordinal)
            payload = build_payload(
                document_id=document, source="clinicaltrials.gov", source_key=key, kind="trial", generation=1, fingerprint=live,
                model=services.model_fingerprint, facets=FACETS, chunk=chunk, text_hash="0" * 64,
            )  # fmt: skip
            vector = len(points) % len(dense)
            rows.append(ChunkRow(point, document, 1, chunk, "0" * 64, payload_hash(payload), of_dense[vector], of_sparse[ordinal - 1]))
            points.append(Point(point, dense[vector], sparse[ordinal - 1], payload))
        digests.append(digest_of((row.point_id, row.payload_hash) for row in rows[-CHUNKS:]))
    with services.db.begin() as tx:
        tx.execute(
            insert(documents),
            [
                {
                    "document_id": document, "source": "clinicaltrials.gov", "source_key": key, "kind": "trial", "title": key,
                    "payload_sha256": "0" * 64, "content_hash": content, "facets_hash": facets_hash, "facets": {}, "updated_at": now, "seen_at": now,
                }
                for document, key in zip(ids, keys, strict=True)
            ],
        )  # fmt: skip
        tx.execute(
            insert(index_state),
            [
                {
                    "document_id": document, "collection": services.collection, "state": "live", "generation": 1, "live_generation": 1, "live_fingerprint": live,
                    "live_facets_hash": facets_hash, "live_recipe": recipe, "live_chunks": CHUNKS, "live_digest": digest, "live_without_terms": 0,
                    "attempts": 0, "updated_at": now,
                }
                for document, digest in zip(ids, digests, strict=True)
            ],
        )  # fmt: skip
        chunk_store.insert_generation(tx, rows)
    with services.index.session() as index:
        index.upsert(points)


MODES: Final = {
    "start_check": "start_check(services)",
    "plain": "run_reconcile(services)",
    "deep": "run_reconcile(services, deep=True)",
}

_CODE: Final = """
import json, sys, time
from bench.memory import OwnMemory, peak_mb
from pipeline.settings import Settings
from pipeline.wiring import open_services
from pipeline.jobs.reconcile import run_reconcile
from pipeline.jobs.start_check import start_check
with open_services(Settings(home=sys.argv[1], models_path=sys.argv[2])) as services:
    began = time.monotonic()
    with OwnMemory() as own:
        result = CALL
    seconds = time.monotonic() - began
    kept = result.model_dump(include={"clean", "verdict", "depth", "expected", "found", "points_read", "documents_checked"})
    print(json.dumps({**kept, "seconds": round(seconds, 2), "peak_rss_mb": peak_mb(), "peak_own_mb": own.peak_mb}))
"""


def measure(settings: Settings, mode: str) -> dict[str, object]:
    """Check in a fresh process; return what it found, its own time and its peak memory."""
    code = _CODE.replace("CALL", MODES[mode])
    done = subprocess.run(
        [sys.executable, "-c", code, str(settings.home), str(settings.models_folder)], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout.strip().splitlines()[-1])  # type: ignore[no-any-return]


if __name__ == "__main__":
    sys.exit(main())
