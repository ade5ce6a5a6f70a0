"""The night on which nothing changed: studies a second of ingesting and indexing a file again. Also peak memory of the first ingestion.

python -m bench.unchanged --from studies.jsonl.gz
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

from bench.memory import peak_mb
from pipeline.jobs.index import run_index
from pipeline.jobs.ingest import ingest
from pipeline.jobs.init import initialise
from pipeline.settings import Settings
from pipeline.stages.sources.files import StudyFiles
from pipeline.wiring import open_services


def main() -> int:
    """Run and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--from", dest="source", type=Path, required=True)
    parser.add_argument("--models", type=Path, default=None)
    parser.add_argument("--home", type=Path, default=None, help="a home that has indexed this file already (else one is made: slow)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        home = options.home or Path(name) / "home"
        settings = Settings(home=home, models_path=options.models or home / "models")
        initialise(settings)
        with open_services(settings) as services:
            first = ingest(services, StudyFiles([options.source], settings))
            after_ingest = peak_mb()
            indexed = run_index(services)
            start = time.monotonic()
            again = ingest(services, StudyFiles([options.source], settings))
            middle = time.monotonic()
            unchanged = run_index(services)
            end = time.monotonic()
    print(
        json.dumps(
            {
                "studies": again.seen,
                "first_ingest_seconds": first.seconds,
                "peak_rss_mb_after_ingest": after_ingest,
                "peak_rss_mb": peak_mb(),
                "first_points_written": indexed.points_written,
                "unchanged": again.unchanged,
                "embedded_again": unchanged.embedded,
                "written_again": unchanged.points_written,
                "ingest_again_seconds": round(middle - start, 3),
                "index_again_seconds": round(end - middle, 3),
                "studies_per_second_ingest": round(again.seen / (middle - start)),
                "studies_per_second_index": round(again.seen / (end - middle)),
                "studies_per_second": round(again.seen / (end - start)),
            },
            indent=2,
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
