"""Measures patient-to-trial retrieval: this project's search beside BM25, dense and fused alone, and other libraries' runs.

The home holds the collection's studies (``bench.trial_eval.studies``; ``clindex ingest``, ``clindex index``). Prints JSON.

python -m bench.trial_eval.measure FOLDER [--runs peers.json ...] [--save runs.json] [--limit 100]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.trial_eval.collection import Collection, load, texts
from bench.trial_eval.scores import differences, score
from bench.trial_eval.whole_texts import WholeTexts, cut, embedded
from pipeline.search.request import Mode, make_request
from pipeline.search.search import search
from pipeline.settings import Settings
from pipeline.wiring import Services, open_services

_QUERY_CHARACTERS = 4000  # the longest query that a request takes

Runs = dict[str, dict[str, list[str]]]


def product_runs(services: Services, collection: Collection, *, limit: int) -> tuple[Runs, dict[str, dict[str, float]]]:
    """Return the runs of the search in all modes, and the seconds that they took."""
    today = datetime.now(UTC).date()
    runs: Runs = {}
    seconds: dict[str, dict[str, float]] = {}
    for mode in Mode:
        name = f"clindex {mode.value}"
        runs[name], took = {}, []
        for query in collection.queries:
            start = time.perf_counter()
            found = search(services, make_request(query=query.text[:_QUERY_CHARACTERS], limit=limit, mode=mode), today=today)
            took.append(time.perf_counter() - start)
            runs[name][query.query_id] = [hit.nct_id for hit in found.hits if hit.nct_id]
        seconds[name] = {f"p{part}": round(float(np.percentile(took[1:], part)), 4) for part in (50, 95)}  # the first opens everything
    return runs, seconds


def whole_text_runs(services: Services, collection: Collection, folder: Path, cache: Path) -> Runs:
    """Return the runs on one text a study."""
    studies = texts(folder)
    ids = list(studies)
    documents = [cut(studies[one], services.tokens) for one in ids]
    vectors = embedded(documents, services.embedder, cache)
    index = WholeTexts(documents, vectors, services.sparse)
    _leave_for_peers(cache, dict(zip(ids, documents, strict=True)), vectors, collection, services)
    runs: Runs = {"BM25, one text a study": {}, "dense, one text a study": {}, "fused, one text a study": {}}
    for query in collection.queries:
        terms, near = index.bm25(query.text), index.dense(services.embedder.embed_query(query.text))
        for name, ranking in zip(runs, (terms.tolist(), near.tolist(), index.fused(terms, near)), strict=True):
            runs[name][query.query_id] = [ids[number] for number in ranking]
    return runs


def _leave_for_peers(
    folder: Path, studies: dict[str, str], vectors: NDArray[np.float32], collection: Collection, services: Services
) -> None:
    queries = {query.query_id: query.text for query in collection.queries}
    (folder / "texts.json").write_text(json.dumps({"studies": studies, "queries": queries}), "utf-8")
    np.savez(folder / "vectors.npz", studies=vectors, queries=np.stack([services.embedder.embed_query(text) for text in queries.values()]))


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="of the test collection")
    parser.add_argument("--runs", type=Path, nargs="*", default=[], help="JSON files of other runs, as bench.trial_eval.peers writes them")
    parser.add_argument("--cache", type=Path, default=Path(".trial_eval_cache"), help="folder of the whole texts' vectors")
    parser.add_argument("--save", type=Path, help="file that all runs are written to")
    parser.add_argument(
        "--without-whole-texts", action="store_true", help="leave out what embeds one text a study (minutes the first time)"
    )
    parser.add_argument("--limit", type=int, default=100, help="hits a query")
    options = parser.parse_args()
    collection = load(options.folder)
    with open_services(Settings()) as services:
        runs = {} if options.without_whole_texts else whole_text_runs(services, collection, options.folder, options.cache)
        ours, seconds = product_runs(services, collection, limit=options.limit)
    runs |= ours
    for file in options.runs:
        runs |= json.loads(file.read_text("utf-8"))
    if options.save:
        options.save.write_text(json.dumps(runs), "utf-8")
    compared = differences(runs, f"clindex {Mode.FULL.value}", collection)
    scores = {name: score(run, collection) for name, run in runs.items()}
    print(json.dumps({"scores": scores, "full minus other": compared, "seconds": seconds}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
