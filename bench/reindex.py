"""Re-index beside the live collection while another process searches: what readers saw, what was embedded, how long the switches took.

python -m bench.reindex --points 100000

Invented studies; a hash stands in the place of the dense model, so that all times but the model's are real. The changed chunker cuts prose
into smaller pieces: criteria come from the cache, prose is new, and the texts of the two collections can be told apart.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from datetime import date
from pathlib import Path
from typing import Any, Final

from sqlalchemy import and_, select

from bench.memory import peak_mb
from pipeline.domain.identifiers import text_hash
from pipeline.jobs.index import run_index
from pipeline.jobs.ingest import ingest
from pipeline.jobs.init import initialise
from pipeline.jobs.reindex.build import fill, open_candidate
from pipeline.jobs.reindex.gate import judge
from pipeline.jobs.reindex.preview import preview
from pipeline.jobs.reindex.promote import promote, roll_back
from pipeline.search.request import SearchRequest
from pipeline.search.search import search
from pipeline.settings import Settings
from pipeline.stages.sources.files import StudyFiles
from pipeline.storage.tables import chunks, index_state
from pipeline.testing.night_jobs import hashing_services
from pipeline.testing.studies import study_record

CRITERIA: Final = 28
SENTENCES: Final = 36  # about 720 words of prose: five pieces of 180 tokens, or sixteen of 60
CHUNKS: Final = 41  # a study, as it comes out
CHANGED: Final = {"prose_target_tokens": 60}
QUERIES: Final = (
    "serum urate at screening",
    "renal function below the limit",
    "visit with measurement of joint pain",
    "allergy to the drug",
)
ANSWERS_SECONDS: Final = 5.0
PAUSE_SECONDS: Final = 0.02  # of the reader between two searches: it shares two cores with what is measured
TODAY: Final = date(2031, 5, 17)


def main() -> int:
    """Run the measurement and print one JSON object; with ``--search`` be the reader."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=100_000)
    parser.add_argument("--models", type=Path, default=None)
    parser.add_argument("--search", type=Path, default=None, help="(the reader) home whose live collection is searched")
    parser.add_argument("--answers", type=Path, default=None, help="(the reader) where answers go; it ends when the file beside it appears")
    options = parser.parse_args()
    if options.search is not None:
        return _read(Settings(home=options.search, models_path=options.models), options.answers)
    with tempfile.TemporaryDirectory() as name:
        settings = Settings(home=Path(name) / "home", models_path=options.models or Path(name) / "models")
        print(json.dumps(measure(settings, Path(name), options.points), indent=2))
    return 0


def measure(settings: Settings, folder: Path, points: int) -> dict[str, Any]:
    """Fill a home, then build, judge, promote and move back while a reader searches."""
    initialise(settings)
    source = folder / "studies.jsonl"
    with source.open("w", encoding="utf-8") as stream:
        for number in range(max(1, points // CHUNKS)):
            stream.write(json.dumps(_study(number)) + "\n")
    clock = _Clock()
    with hashing_services(settings, exact_tokens=True) as services:
        ingest(services, StudyFiles([source], settings))
        clock.passed("ingest")
        first = run_index(services)
        clock.passed("first_index")
    reader = _Reader(settings, folder / "answers.jsonl")
    changed = settings.model_copy(update=CHANGED)
    with hashing_services(changed, exact_tokens=True) as services:
        foreseen = preview(services)
        clock.passed("preview")
        record = open_candidate(services, reason="bench")
        built = fill(services, record)
        clock.passed("build")
        verdict = judge(services, record)
        clock.passed("gate")
        switched = promote(services, record, verdict=verdict)
    clock.passed("promote")
    time.sleep(ANSWERS_SECONDS)  # of the new collection
    clock.passed("wait")
    with hashing_services(changed, exact_tokens=True) as services:
        back = roll_back(services)
    clock.passed("move_back")
    time.sleep(ANSWERS_SECONDS)  # and of the old one again
    answers = reader.stop()
    return {
        "points_before": first.points_written,
        "points_after": built.points_written,
        "preview": foreseen.model_dump(mode="json", include={"points", "texts_to_embed", "minutes", "sampled", "documents"}),
        "texts_embedded": built.embedded,
        "texts_from_cache": built.cached,
        "gate": {one.name: one.state for one in verdict.checks},
        "switch_seconds": switched.switch_seconds,
        "move_back_seconds": back.switch_seconds,
        "seconds": clock.seconds,
        "peak_rss_mb": peak_mb(),
        **_judged(settings, answers, back.live, back.previous),
    }


class _Clock:
    """Seconds by step."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.monotonic()

    def passed(self, step: str) -> None:
        now = time.monotonic()
        self.seconds[step], self._last = round(now - self._last, 2), now
        print(f"{step}: {self.seconds[step]} s", file=sys.stderr, flush=True)


def _study(number: int) -> dict[str, Any]:
    """An invented study of some forty chunks; criteria repeat between studies, as they do in the registry, and prose does not."""
    lines = [f"* Criterion {line} of group {number % 50}: serum urate above {line % 9} mg/dL at screening" for line in range(CRITERIA)]
    half = CRITERIA // 2
    criteria = "\n".join(["Inclusion Criteria:", "", *lines[:half], "", "Exclusion Criteria:", "", *lines[half:]])
    prose = " ".join(
        f"At visit {visit} of study {number} each participant reports joint pain and takes the tablet as it was handed out, "
        "and urate is measured again."
        for visit in range(SENTENCES)
    )
    return study_record(
        number,
        eligibilityModule={"eligibilityCriteria": criteria, "sex": "ALL", "healthyVolunteers": False, "stdAges": ["ADULT"]},
        descriptionModule={"briefSummary": f"Study {number} asks whether uritrol lowers urate.", "detailedDescription": prose},
    )


class _Reader:
    """A process that searches until it is stopped."""

    def __init__(self, settings: Settings, answers: Path) -> None:
        self._answers = answers
        command = [sys.executable, "-m", "bench.reindex", "--search", str(settings.home), "--answers", str(answers)]
        self._process = subprocess.Popen([*command, "--models", str(settings.models_folder)])
        while not answers.exists() and self._process.poll() is None:
            time.sleep(0.1)

    def stop(self) -> list[dict[str, Any]]:
        self._answers.with_suffix(".stop").touch()
        if self._process.wait() != 0:
            raise RuntimeError("the reader ended with an error")
        return [json.loads(line) for line in self._answers.read_text(encoding="utf-8").splitlines()]


def _read(settings: Settings, path: Path) -> int:
    stop = path.with_suffix(".stop")
    with hashing_services(settings, exact_tokens=True) as services, path.open("w", encoding="utf-8") as stream:
        while not stop.exists():
            for query in QUERIES:
                start = time.monotonic()
                answer: dict[str, Any] = {"hits": [], "failure": None}
                try:
                    for hit in search(services, SearchRequest(query=query, limit=20), today=TODAY).hits:
                        answer["hits"] += [(hit.document_id, text_hash(text)) for text in (hit.text, *(one.text for one in hit.related))]
                except Exception as error:  # noqa: BLE001 - its class is counted
                    answer["failure"] = type(error).__name__
                stream.write(json.dumps({**answer, "seconds": round(time.monotonic() - start, 4)}) + "\n")
                stream.flush()
                time.sleep(PAUSE_SECONDS)
    return 0


def _judged(settings: Settings, answers: list[dict[str, Any]], old: str, new: str) -> dict[str, Any]:
    """Count answers that failed, that showed nothing, and whose hits are not all of one collection."""
    texts = {name: _texts(settings, name) for name in (old, new)}
    of = {old: 0, new: 0}
    mixed = 0
    for answer in answers:
        fits = [name for name, known in texts.items() if all(text in known[document] for document, text in answer["hits"])]
        mixed += not fits
        if len(fits) == 1:
            of[fits[0]] += 1
    seconds = sorted(answer["seconds"] for answer in answers)
    return {
        "searches": len(answers),
        "failed": sum(answer["failure"] is not None for answer in answers),
        "empty": sum(not answer["hits"] and answer["failure"] is None for answer in answers),
        "mixed": mixed,
        "certainly_of_the_old": of[old],
        "certainly_of_the_new": of[new],
        "search_seconds": {"median": seconds[len(seconds) // 2], "p99": seconds[int(len(seconds) * 0.99)], "longest": seconds[-1]},
    }


def _texts(settings: Settings, name: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    live = and_(index_state.c.document_id == chunks.c.document_id, index_state.c.live_generation == chunks.c.generation)
    query = select(chunks.c.document_id, chunks.c.text).join(index_state, live).where(index_state.c.collection == name)
    with hashing_services(settings, exact_tokens=True) as services, services.db.read() as tx:
        for row in tx.execution_options(yield_per=5000).execute(query):
            found[str(row.document_id)].add(text_hash(row.text))
    return found


if __name__ == "__main__":
    sys.exit(main())
