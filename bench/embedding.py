"""Chunks a second of every way to run the packaged model, its memory, and its time to import and load.

    python -m bench.embedding --from studies.jsonl.gz --texts 300 --rounds 2

Texts are lines of eligibility criteria and brief summaries. Each backend runs in a process of its own; of several rounds the best
counts, as other work on the machine only ever slows one down. CPU seconds count all threads, spinning ones too.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bench.kill import read_studies
from pipeline.stages.embed.catalog import MINILM
from pipeline.stages.embed.export import export_packaged_model
from pipeline.stages.embed.tokens import ModelTokenCounter

Way = Callable[[list[str]], object]
SEED = 5
BACKENDS = ("onnx", "sentence-transformers")
STUDIES = 100_000  # all there are


def main() -> int:
    """Run both backends and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--from", dest="source", type=Path, required=True)
    parser.add_argument("--texts", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument(
        "--threads", type=int, default=0, help="0: as many as there are cores; with 1, CPU seconds are fair on a busy machine"
    )
    parser.add_argument("--models", type=Path, default=None)
    parser.add_argument("--backend", choices=BACKENDS, default=None)
    options = parser.parse_args()
    if options.backend:
        texts = read_texts(options.source, options.texts)
        print(json.dumps(one_backend(options.backend, texts, options)))
        return 0
    with tempfile.TemporaryDirectory() as name:
        models = options.models or Path(name)
        export_packaged_model(models / MINILM.name)
        results = {backend: run_backend(backend, options, models) for backend in BACKENDS}
    print(json.dumps({"texts": describe(read_texts(options.source, options.texts)), **results}, indent=2))
    return 0


def read_texts(source: Path, count: int) -> list[str]:
    """Return distinct texts within the window, in an order that a seed fixes."""
    texts: list[str] = []
    for study in read_studies(source, STUDIES):
        section: Any = study["protocolSection"]
        lines = section.get("eligibilityModule", {}).get("eligibilityCriteria", "").split("\n")
        texts += [*(line.strip() for line in lines), section.get("descriptionModule", {}).get("briefSummary", "")]
    counter = tokenizer()
    unique = sorted({text for text in texts if len(text) > 8})
    fitting = [text for text, tokens in zip(unique, counter.count_many(unique), strict=True) if tokens <= counter.window]
    random.Random(SEED).shuffle(fitting)
    return fitting[:count]


def tokenizer() -> ModelTokenCounter:
    return ModelTokenCounter(MINILM.folder / "tokenizer.json", window=MINILM.identity.window)


def describe(texts: list[str]) -> dict[str, float]:
    lengths = tokenizer().count_many(texts)
    return {"count": len(texts), "mean_tokens": round(float(np.mean(lengths)), 1), "max_tokens": max(lengths)}


def run_backend(backend: str, options: argparse.Namespace, models: Path) -> Any:
    arguments = [
        "--from",
        str(options.source),
        "--texts",
        str(options.texts),
        "--rounds",
        str(options.rounds),
        "--models",
        str(models),
        "--threads",
        str(options.threads),
    ]
    run = subprocess.run(
        [sys.executable, "-m", "bench.embedding", *arguments, "--backend", backend], check=True, capture_output=True, text=True
    )
    return json.loads(run.stdout)


def one_backend(backend: str, texts: list[str], options: argparse.Namespace) -> dict[str, Any]:
    """Import and load a backend, then time every way."""
    start = time.monotonic()
    ways = onnx_ways(options.models / MINILM.name, options.threads) if backend == "onnx" else sentence_transformer_ways(options.threads)
    first = next(iter(ways.values()))
    first(["warm up"])
    ready = time.monotonic() - start
    memory = peak_mb()
    ordered = sorted(texts, key=len)
    best = {name: (float("inf"), float("inf")) for name in ways}
    for _ in range(options.rounds):
        for name, way in ways.items():
            wall, cpu = time.monotonic(), time.process_time()
            way(ordered)
            spent = time.monotonic() - wall, time.process_time() - cpu
            best[name] = min(best[name][0], spent[0]), min(best[name][1], spent[1])
    return {
        "seconds_until_first_vector": round(ready, 2),
        "peak_rss_mb": memory,
        "chunks_a_second": {name: round(len(texts) / wall, 1) for name, (wall, _) in best.items()},
        "chunks_a_cpu_second": {name: round(len(texts) / cpu, 1) for name, (_, cpu) in best.items()},
    }


def onnx_ways(folder: Path, threads: int) -> dict[str, Way]:
    """Ways to run the export; the product's own comes first. Text counts a batch are for comparison."""
    from pipeline.stages.embed.onnx_backend import DEFAULT_BATCH_TOKENS, OnnxEmbedder

    default = OnnxEmbedder(folder, threads=threads)
    ways: dict[str, Way] = {f"{DEFAULT_BATCH_TOKENS} tokens a batch (default)": default.embed_documents}
    for tokens in (1024, 2048):
        ways[f"{tokens} tokens a batch"] = OnnxEmbedder(folder, batch_tokens=tokens, threads=threads).embed_documents
    whole = OnnxEmbedder(folder, batch_tokens=sys.maxsize, threads=threads)
    for size in (1, 8, 32, 128):
        ways[f"{size} texts a batch"] = by_count(whole.embed_documents, size)
    return ways


def by_count(embed: Way, size: int) -> Way:
    """Return ``embed`` called on every ``size`` texts."""
    return lambda texts: [embed(texts[start : start + size]) for start in range(0, len(texts), size)]


def sentence_transformer_ways(threads: int) -> dict[str, Way]:
    from pipeline.stages.embed.sentence_transformer_backend import SentenceTransformerEmbedder

    embedder = SentenceTransformerEmbedder(MINILM.name, device="cpu", threads=threads)
    return {
        "32 texts a batch (default)": embedder.embed_documents,
        "a plain loop": lambda texts: [embedder.embed_query(text) for text in texts],
    }


def peak_mb() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


if __name__ == "__main__":
    sys.exit(main())
