"""Planted drift: recall and false alarms of the deep comparison by kind of fault, and what a repair leaves untouched.

python -m bench.drift --points 100000 --faults 50
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import numpy as np
import orjson

from pipeline.domain.errors import GuardRefusedError
from pipeline.jobs.index import run_index
from pipeline.jobs.ingest import ingest
from pipeline.jobs.init import initialise
from pipeline.jobs.reconcile import run_reconcile
from pipeline.jobs.summaries import ReconcileSummary
from pipeline.settings import Settings
from pipeline.stages.sources.files import StudyFiles
from pipeline.storage import index_state
from pipeline.testing.drift import KINDS
from pipeline.testing.embedder import HashEmbedder
from pipeline.testing.studies import study_record
from pipeline.wiring import Services, open_services

_BATCH = 1000
CHUNKS = 37  # a study: CRITERIA of each kind, and its other parts
CRITERIA = 15


@dataclass(frozen=True, slots=True)
class Planted:
    """One fault: its kind, the document it was planted at, the points that are to be found."""

    kind: str
    document: str
    points: tuple[UUID | int, ...]


def main() -> int:
    """Build a home, plant, compare deep, repair, compare again; print one JSON object. Ends with 1 where anything is not as it must be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, required=True)
    parser.add_argument("--faults", type=int, default=50, help="of each kind, each at a document of its own")
    parser.add_argument("--models", type=Path, default=None)
    parser.add_argument("--no-repair", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        settings = Settings(home=Path(name) / "home", models_path=options.models or Path(name) / "models")
        initialise(settings)
        with open_services(settings) as services:
            services.embedder = HashEmbedder(services.dimensions)  # planted drift is found by marks, whatever made the vectors
            fill(services, options.points, Path(name) / "studies.jsonl")
            result = measure(services, options.faults, repair=not options.no_repair)
    print(json.dumps(result, indent=2))
    return 0 if result["right"] else 1


def fill(services: Services, points: int, path: Path) -> None:
    """Ingest and index invented studies that become about so many points: repair must be able to write each of them anew."""
    with path.open("wb") as lines:
        for number in range(points // CHUNKS):
            criteria = ["Inclusion Criteria:", *_criteria(number, "at least"), "Exclusion Criteria:", *_criteria(number, "more than")]
            module = {"eligibilityCriteria": "\n\n".join(criteria), "sex": "ALL"}
            lines.write(orjson.dumps(study_record(number, eligibilityModule=module)) + b"\n")
    ingest(services, StudyFiles([path], services.settings))
    run_index(services)
    with services.index.session() as index:
        index.settle()


def _criteria(number: int, word: str) -> Iterator[str]:
    return (f"* Marker {item} of study {number} {word} {item + number % 90} mg/dL at visit {item}" for item in range(1, CRITERIA + 1))


def measure(services: Services, faults: int, *, repair: bool) -> dict[str, object]:
    """Plant, find and repair."""
    if not run_reconcile(services, deep=True).clean:
        raise RuntimeError("the home is not clean before anything was planted")
    planted = plant(services, faults)
    spared = {one.document for one in planted}
    before = fingerprint_of_others(services, spared)
    began = time.monotonic()
    found = run_reconcile(services, deep=True)
    seconds = time.monotonic() - began
    result = judge(planted, found) | {"seconds": round(seconds, 1)}
    if repair:
        began = time.monotonic()
        repaired = repair_approved(services)
        result["repair"] = {
            "clean": repaired.clean,
            "seconds": round(time.monotonic() - began, 1),
            "left": {name: count for name, count in repaired.classes.items() if count and name != "ok"},
            "untouched_points_untouched": fingerprint_of_others(services, spared) == before,
        }
        result["right"] = result["right"] and repaired.clean and fingerprint_of_others(services, spared) == before
    return result


def repair_approved(services: Services) -> ReconcileSummary:
    """Repair; where a guard refuses, as a person who has read the plan."""
    try:
        return run_reconcile(services, repair=True, deep=True)
    except GuardRefusedError:
        plan = run_reconcile(services, deep=True).plan
        return run_reconcile(services, approve=plan, deep=True)


def plant(services: Services, faults: int) -> list[Planted]:
    """Plant each kind of fault at documents of its own, at a point somewhere within each."""
    points: dict[str, list[UUID | int]] = {}
    with services.index.session() as index:
        for point in index.scan(batch_size=5000):
            points.setdefault(str(point.payload["document_id"]), []).append(point.id)
        documents = sorted(points)
        if len(documents) < faults * len(KINDS):
            raise ValueError(f"{faults} faults of {len(KINDS)} kinds need {faults * len(KINDS)} documents; there are {len(documents)}")
        chosen = documents[:: len(documents) // (faults * len(KINDS))]
        planted = []
        for number, document in enumerate(chosen[: faults * len(KINDS)]):
            kind = list(KINDS)[number % len(KINDS)]
            own = points[document]
            (point,) = index.retrieve([own[number % len(own)]], vectors=True)
            planted.append(Planted(kind, document, tuple(KINDS[kind].plant(index, point))))
    return planted


def judge(planted: list[Planted], summary: ReconcileSummary) -> dict[str, object]:
    """Compare what was planted with what was found, point by point and class by class."""
    wanted = {str(point): (one.kind, KINDS[one.kind].drift.value) for one in planted for point in one.points}
    found = {str(line["point_id"]): str(line["class"]) for line in findings(summary)}
    # A whole document that is missing is counted as one in the summary; its points are listed as missing points.
    as_class = {"missing_document": "missing_point"}
    right = {point for point, (_, drift) in wanted.items() if found.get(point) == as_class.get(drift, drift)}
    by_kind = Counter(kind for kind, _ in wanted.values())
    right_by_kind = Counter(wanted[point][0] for point in right)
    expected = Counter(drift for _, drift in wanted.values())
    counted = {name: count for name, count in summary.classes.items() if count and name != "ok"}
    return {
        "points": summary.found,
        "planted": {"faults": len(planted), "kinds": len(by_kind), "points": len(wanted)},
        "recall": {kind: round(right_by_kind[kind] / count, 4) for kind, count in by_kind.items()},
        "false_alarms": len(set(found) - set(wanted)),
        "classes": counted,
        "sums_close": summary.sums_close,
        "right": len(right) == len(wanted) and set(found) == set(wanted) and counted == dict(expected) and summary.sums_close,
    }


def findings(summary: ReconcileSummary) -> Iterator[dict[str, object]]:
    """Yield the lines of a summary's plan."""
    if summary.plan is None:
        return
    head = Path(summary.plan)
    with (head.parent / json.loads(head.read_text(encoding="utf-8"))["findings_file"]).open("rb") as lines:
        for line in lines:
            yield orjson.loads(line)


def fingerprint_of_others(services: Services, documents: set[str]) -> str:
    """Return a hash of every point, payload and vector, of documents at which nothing was planted."""
    whole = hashlib.blake2b(digest_size=16)
    with services.db.read() as tx:
        known = {str(row.document_id) for row in index_state.scan(tx, collection=services.collection)} - documents
    with services.index.session() as index:
        for point in index.scan(batch_size=_BATCH, vectors=True):
            if isinstance(point.id, UUID) and str(point.payload.get("document_id")) in known:
                whole.update(point.id.bytes)
                whole.update(orjson.dumps(point.payload, option=orjson.OPT_SORT_KEYS))
                if point.vectors is not None:
                    whole.update(np.asarray(point.vectors.dense, dtype=np.float32).tobytes())
                    whole.update(repr(point.vectors.sparse and (point.vectors.sparse.indices, point.vectors.sparse.values)).encode())
    return whole.hexdigest()


if __name__ == "__main__":
    sys.exit(main())
