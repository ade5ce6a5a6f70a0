"""Time of `clindex index` over the time of embedding the same distinct texts in one plain loop, in one run, alternating.

python -m bench.ratio --from studies.jsonl.gz --studies 150 --rounds 3
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

from sqlalchemy import select

from bench.kill import read_studies, write
from bench.memory import peak_mb
from pipeline.jobs.index import run_index
from pipeline.jobs.ingest import ingest
from pipeline.jobs.init import initialise
from pipeline.settings import Settings
from pipeline.stages.sources.files import StudyFiles
from pipeline.storage.tables import chunks
from pipeline.wiring import open_services


def main() -> int:
    """Run and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--from", dest="source", type=Path, required=True)
    parser.add_argument("--studies", type=int, default=150)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--models", type=Path, default=None)
    options = parser.parse_args()
    rounds = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder / "studies.jsonl", read_studies(options.source, options.studies))
        for number in range(options.rounds):
            rounds.append(one_round(folder / f"home{number}", options.models or folder / "models", folder / "studies.jsonl"))
            print(rounds[-1], file=sys.stderr)
    ratios = sorted(one["ratio"] for one in rounds)
    print(json.dumps({"rounds": rounds, "median_ratio": ratios[len(ratios) // 2], "peak_rss_mb": peak_mb()}, indent=2))
    return 0


def one_round(home: Path, models: Path, studies: Path) -> dict[str, float]:
    """Index into a fresh home, then embed the same distinct texts plainly with the same embedder."""
    settings = Settings(home=home, models_path=models)
    initialise(settings)
    with open_services(settings) as services:
        ingest(services, StudyFiles([studies], settings))
        services.embedder.embed_query("warm up")
        start = time.monotonic()
        summary = run_index(services)
        index_seconds = time.monotonic() - start
        with services.db.read() as tx:
            rows = tx.execute(select(chunks.c.text, chunks.c.embed_text)).all()
        texts = list(dict.fromkeys(row.embed_text or row.text for row in rows))
        start = time.monotonic()
        services.embedder.embed_documents(texts)
        loop_seconds = time.monotonic() - start
    return {
        "points": summary.points_written,
        "distinct_texts": len(texts),
        "index_seconds": round(index_seconds, 2),
        "plain_loop_seconds": round(loop_seconds, 2),
        "ratio": round(index_seconds / loop_seconds, 3),
        **{f"stage_{name}": round(value, 2) for name, value in summary.seconds.items()},
    }


if __name__ == "__main__":
    sys.exit(main())
