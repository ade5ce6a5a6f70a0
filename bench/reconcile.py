"""Reconciliation on synthetic points: points a second, and peak memory of the process that reconciles.

python -m bench.reconcile --points 100000 --points 1000000
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
from uuid import UUID

import numpy as np
from sqlalchemy import insert

from pipeline.domain.chunks import Chunk, Span
from pipeline.domain.documents import Facets
from pipeline.domain.identifiers import document_id, fingerprint, point_id
from pipeline.domain.points import Point, SparseVector, payload_hash
from pipeline.domain.recipe import fingerprint_of
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
    """Build homes of the sizes asked for, reconcile each in a process of its own, and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, action="append", required=True)
    parser.add_argument("--models", type=Path, default=None)
    options = parser.parse_args()
    results = []
    for points in options.points:
        with tempfile.TemporaryDirectory() as name:
            settings = Settings(home=Path(name) / "home", models_path=options.models or Path(name) / "models")
            initialise(settings)
            start = time.monotonic()
            with open_services(settings) as services:
                fill(services, points // CHUNKS)
                with services.index.session() as index:
                    index.settle()
            built = time.monotonic() - start
            results.append({**measure(settings), "build_seconds": round(built, 1)})
            print(results[-1], file=sys.stderr)
    print(json.dumps(results, indent=2))
    return 0


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
            rows.append(ChunkRow(point, document, 1, chunk, "0" * 64, payload_hash(payload)))
            points.append(Point(point, dense[len(points) % len(dense)], SparseVector((ordinal, 1000 + ordinal), (1.0, 0.5)), payload))
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
                    "live_facets_hash": facets_hash, "live_recipe": recipe, "live_chunks": CHUNKS, "attempts": 0, "updated_at": now,
                }
                for document in ids
            ],
        )  # fmt: skip
        chunk_store.insert_generation(tx, rows)
    with services.index.session() as index:
        index.upsert(points)


def measure(settings: Settings) -> dict[str, object]:
    """Reconcile in a fresh process; return its own time and peak memory."""
    code = (
        "import json,sys,time\n"
        "from bench.memory import OwnMemory, peak_mb\n"
        "from pipeline.settings import Settings\n"
        "from pipeline.wiring import open_services\n"
        "from pipeline.jobs.reconcile import run_reconcile\n"
        "s=Settings(home=sys.argv[1],models_path=sys.argv[2])\n"
        "with open_services(s) as services:\n"
        "    t=time.monotonic()\n"
        "    with OwnMemory() as own: r=run_reconcile(services)\n"
        "    d=time.monotonic()-t\n"
        "print(json.dumps({'points':r.found,'clean':r.clean,'seconds':round(d,2),'points_per_second':round(r.found/d),"
        "'peak_rss_mb':peak_mb(),'peak_own_mb':own.peak_mb}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(settings.home), str(settings.models_folder)], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout.strip().splitlines()[-1])  # type: ignore[no-any-return]


if __name__ == "__main__":
    sys.exit(main())
