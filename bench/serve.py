"""Searches over HTTP on a home that is there: percentiles of one client, without and with re-ranking, and searches a second of several.

python -m bench.serve --home FOLDER [--models FOLDER] [--queries 200] [--clients 8] [--slots 1 --slots 2]

The server is a process of its own (``clindex serve``) on a free port of this machine; every query is another one, so that neither cache helps.
What is measured is the whole way: HTTP, access, search, the log of searches, JSON. ``--home`` is written to (log, keys): give it a copy.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import httpx

from pipeline.settings import Settings
from pipeline.wiring import open_services

# Words of invented questions: none is taken from anywhere. Five of them make queries that no cache has seen.
WORDS: Final = [
    "pregnancy",
    "seizure",
    "asthma",
    "metformin",
    "fracture",
    "troponin",
    "aspirin",
    "stroke",
    "sepsis",
    "diabetes",
    "hypertension",
    "children",
    "elderly",
    "dose",
    "contraindication",
    "exclusion",
    "inclusion",
    "biopsy",
    "melanoma",
    "lymphoma",
    "renal",
    "hepatic",
    "cardiac",
    "pulmonary",
    "infusion",
    "oral",
    "intravenous",
    "weekly",
    "randomized",
    "placebo",
    "trauma",
    "airway",
    "burn",
    "overdose",
    "naloxone",
    "epinephrine",
    "cardiac-arrest",
    "hypoglycemia",
    "fever",
    "infant",
    "transplant",
    "dialysis",
    "anticoagulant",
    "surgery",
    "radiation",
]
PERCENTILES: Final = (50, 95, 99)


def main() -> int:
    """Measure, and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--models", type=Path, default=None)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--slots", type=int, action="append")
    parser.add_argument("--limit", type=int, default=10)
    options = parser.parse_args()
    settings = Settings(home=options.home, models_path=options.models)
    with open_services(settings) as services:
        live = services.live()
        with live.index.session() as index:
            points = index.count()
    found = [_measured(settings, options, slots) for slots in options.slots or [settings.serve_slots]]
    print(json.dumps({"points": points, "queries": options.queries, "cores": len(os.sched_getaffinity(0)), "runs": found}, indent=1))
    return 0


def _measured(settings: Settings, options: argparse.Namespace, slots: int) -> dict[str, Any]:
    asked = random.Random(slots)
    with _served(settings, slots) as url, httpx.Client(base_url=url, timeout=60) as client:
        for _ in range(10):
            _search(client, _query(asked), "full", options.limit)
        alone = {
            name: _percentiles([_search(client, _query(asked), mode, options.limit) for _ in range(options.queries)])
            for name, mode in (("without re-ranking", "fused"), ("with re-ranking", "full"))
        }
        together = {
            name: _together(url, [_query(asked) for _ in range(options.queries)], mode, options)
            for name, mode in (("without re-ranking", "fused"), ("with re-ranking", "full"))
        }
    return {"slots": slots, "milliseconds_of_one_client": alone, f"{options.clients}_clients": together}


def _together(url: str, queries: list[str], mode: str, options: argparse.Namespace) -> dict[str, float]:
    local = threading.local()

    def search(query: str) -> float:
        if not hasattr(local, "client"):
            local.client = httpx.Client(base_url=url, timeout=60)
        return _search(local.client, query, mode, options.limit)

    start = time.monotonic()
    with ThreadPoolExecutor(options.clients) as pool:
        taken = list(pool.map(search, queries))
    return {"searches_a_second": round(len(queries) / (time.monotonic() - start), 1), **_percentiles(taken)}


def _search(client: httpx.Client, query: str, mode: str, limit: int) -> float:
    start = time.monotonic()
    answer = client.post("/search", json={"query": query, "mode": mode, "limit": limit})
    answer.raise_for_status()
    return time.monotonic() - start


def _query(asked: random.Random) -> str:
    return " ".join(asked.sample(WORDS, 5))


def _percentiles(seconds: list[float]) -> dict[str, float]:
    cuts = statistics.quantiles(seconds, n=100, method="inclusive")
    return {f"p{percent}": round(cuts[percent - 1] * 1000, 1) for percent in PERCENTILES}


@contextmanager
def _served(settings: Settings, slots: int) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {
        **os.environ,
        "CLINDEX_HOME": str(settings.home),
        "CLINDEX_SERVE_SLOTS": str(slots),
        "CLINDEX_OPEN_ACCESS": "operator",
        "CLINDEX_REQUESTS_PER_MINUTE": "1000000",
    }
    if settings.models_path:
        environment["CLINDEX_MODELS_PATH"] = str(settings.models_path)
    server = subprocess.Popen([sys.executable, "-m", "pipeline.cli.main", "serve", "--port", str(port)], env=environment, stdout=sys.stderr)
    try:
        url = f"http://127.0.0.1:{port}"
        _wait(url, server)
        yield url
    finally:
        server.terminate()
        server.wait(30)


def _wait(url: str, server: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        if server.poll() is not None:
            raise SystemExit("the server has ended")
        with suppress(httpx.HTTPError):
            if httpx.get(f"{url}/health", timeout=5).is_success:
                return
        time.sleep(0.2)
    raise SystemExit("the server does not answer")


if __name__ == "__main__":
    sys.exit(main())
