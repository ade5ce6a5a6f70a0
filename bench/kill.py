"""Kills `clindex index` at random moments and checks what is left: issue "no reader ever sees half a document".

A home is indexed with version A of N studies. Then every study's text is edited (version B) and `clindex index` is started again and
again on a copy of that home, each time killed with SIGKILL at a random moment, searched, restarted to the end, and compared with the
index of a run that was never killed.

    python -m bench.kill --from studies.jsonl.gz --studies 200 --kills 30
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from sqlalchemy import and_, select

from pipeline.domain.identifiers import is_nct_id
from pipeline.jobs.index import run_index
from pipeline.jobs.ingest import ingest
from pipeline.jobs.init import initialise
from pipeline.jobs.reconcile import run_reconcile
from pipeline.search.request import SearchRequest
from pipeline.search.search import search
from pipeline.settings import Settings
from pipeline.stages.sources.files import StudyFiles
from pipeline.storage.tables import chunks, index_state
from pipeline.testing.drift import Snapshot, snapshot
from pipeline.testing.homes import copy_of
from pipeline.wiring import Services, open_services

MARK = "versionb"  # stands in nearly every chunk of version B
QUERIES = ("breast cancer", "age 18 years or older", "pregnant or breastfeeding", "history of stroke", MARK, "randomised trial")


def main() -> int:
    """Run the experiment and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--from", dest="source", type=Path, required=True)
    parser.add_argument("--studies", type=int, default=200)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--models", type=Path, default=None, help="folder of a verified model export, made where absent")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = experiment(options, Path(folder))
    print(json.dumps(result, indent=2))
    return 1 if result["unequal"] or result["mixed"] or result["not_clean"] else 0


def experiment(options: argparse.Namespace, folder: Path) -> dict[str, object]:
    """Return counts of everything that must be 0, and of what happened."""
    studies = read_studies(options.source, options.studies)
    write(folder / "a.jsonl", studies)
    write(folder / "b.jsonl", [edited(study) for study in studies])
    base = Settings(home=folder / "base", models_path=options.models or folder / "models", cache_url=f"sqlite:///{folder / 'cache.sqlite'}")
    initialise(base)
    with open_services(base) as services:
        ingest(services, StudyFiles([folder / "a.jsonl"], base))
        run_index(services)
        ingest(services, StudyFiles([folder / "b.jsonl"], base))  # truth is B, the index is A
    whole = copy_of(base, folder / "whole")
    start = time.monotonic()
    subprocess.run(command(), env=environment(whole), check=True, stdout=subprocess.DEVNULL)  # fills the cache
    shutil.rmtree(whole.home)
    whole = copy_of(base, folder / "whole")
    start = time.monotonic()
    subprocess.run(command(), env=environment(whole), check=True, stdout=subprocess.DEVNULL)
    duration = time.monotonic() - start
    with open_services(base) as services:
        old = texts_by_document(services)
    with open_services(whole) as services:
        goal, new = snapshot(services), texts_by_document(services)
    versions = Versions(old, new)
    rng = random.Random(options.seed)
    tally: dict[str, int] = defaultdict(
        int, unequal=0, mixed=0, not_clean=0, killed=0, ended_before_kill=0, searches=0, hits=0, versions_seen_together=0
    )
    while tally["killed"] < options.kills:
        one_kill(copy_of(base, folder / "killed"), goal, versions, rng.uniform(0.3, duration), tally)
        shutil.rmtree(folder / "killed")
        print(f"kill {tally['killed']}/{options.kills}: {dict(tally)}", file=sys.stderr)
    return {"studies": len(studies), "points": sum(goal.values()), "kills": options.kills, "unkilled_seconds": round(duration, 1), **tally}


@dataclass(frozen=True)
class Versions:
    """Every chunk text of each document, in both versions."""

    old: dict[str, set[str]]
    new: dict[str, set[str]]

    def mixed(self, document: str, texts: list[str]) -> bool:
        """Whether texts of one answer cannot all be of one version."""
        return not (set(texts) <= self.old[document] or set(texts) <= self.new[document])


def texts_by_document(services: Services) -> dict[str, set[str]]:
    """Return the live chunk texts of each document."""
    live = chunks.join(
        index_state,
        and_(index_state.c.document_id == chunks.c.document_id, index_state.c.live_generation == chunks.c.generation),
    )
    found: dict[str, set[str]] = defaultdict(set)
    with services.db.read() as tx:
        for row in tx.execute(select(chunks.c.document_id, chunks.c.text).select_from(live)):
            found[str(row.document_id)].add(row.text)
    return found


def one_kill(home: Settings, goal: Snapshot, versions: Versions, after_seconds: float, tally: dict[str, int]) -> None:
    """Start, kill, search, restart to the end, compare."""
    process = subprocess.Popen(command(), env=environment(home), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(after_seconds)
    if process.poll() is None:
        os.kill(process.pid, signal.SIGKILL)
        tally["killed"] += 1
    else:
        tally["ended_before_kill"] += 1
    process.wait()
    with open_services(home) as services:
        look(services, versions, tally)
    restarted = subprocess.Popen(command(), env=environment(home), stdout=subprocess.DEVNULL)
    with open_services(home) as services:
        while restarted.poll() is None:
            look(services, versions, tally)
    if restarted.returncode != 0:
        tally["not_clean"] += 1
    with open_services(home) as services:
        look(services, versions, tally)
        if snapshot(services) != goal:
            tally["unequal"] += 1
        if not run_reconcile(services).clean:
            tally["not_clean"] += 1


def look(services: Services, versions: Versions, tally: dict[str, int]) -> None:
    """Search, and count documents of which one answer shows texts of both versions."""
    seen = set()
    for query in QUERIES:
        result = search(services, SearchRequest(query=query, limit=20), today=date(2026, 1, 1))
        tally["searches"] += 1
        tally["hits"] += len(result.hits)
        for hit in result.hits:
            texts = [hit.text, *(other.text for other in hit.related)]
            tally["mixed"] += versions.mixed(hit.document_id, texts)
            seen.add(any(MARK in text for text in texts))
    tally["versions_seen_together"] += len(seen) > 1


def read_studies(path: Path, count: int) -> list[dict[str, object]]:
    """Return the first studies of a JSON Lines file, or of a folder of study files."""
    if path.is_dir():
        return [json.loads(file.read_text(encoding="utf-8")) for file in sorted(path.glob("*.json"))[:count]]
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        studies = [json.loads(line) for _, line in zip(range(count), lines, strict=False)]
    return [study for study in studies if is_nct_id(study["protocolSection"]["identificationModule"]["nctId"])]


def edited(study: dict[str, object]) -> dict[str, object]:
    """Return version B: the mark stands in every sentence and every line that becomes a chunk."""
    copy = json.loads(json.dumps(study))
    mark(copy["protocolSection"])
    return copy  # type: ignore[no-any-return]


def mark(section: dict[str, dict[str, object]]) -> None:
    """Put the mark into every text that is chunked."""
    import re

    def every_line(text: str) -> str:
        return "\n".join(
            f"{line} {MARK}" if line.strip() and not re.search(r"criteria|:\s*$", line, re.IGNORECASE) else line
            for line in text.split("\n")
        )

    def every_sentence(text: str) -> str:
        return re.sub(r"([.!?])(\s|$)", rf" {MARK}\1\2", text) + f" {MARK}"

    section["identificationModule"]["briefTitle"] = f"{section['identificationModule'].get('briefTitle')} {MARK}"
    eligibility = section.get("eligibilityModule", {})
    if isinstance(eligibility.get("eligibilityCriteria"), str):
        eligibility["eligibilityCriteria"] = every_line(str(eligibility["eligibilityCriteria"]))
    if isinstance(eligibility.get("studyPopulation"), str):
        eligibility["studyPopulation"] = every_sentence(str(eligibility["studyPopulation"]))
    for name in ("briefSummary", "detailedDescription"):
        if isinstance(section.get("descriptionModule", {}).get(name), str):
            section["descriptionModule"][name] = every_sentence(str(section["descriptionModule"][name]))
    for module, lists in (
        ("armsInterventionsModule", ("armGroups", "interventions")),
        ("outcomesModule", ("primaryOutcomes", "secondaryOutcomes", "otherOutcomes")),
    ):
        for name in lists:
            for item in section.get(module, {}).get(name, []):  # type: ignore[attr-defined]
                for key in ("label", "name", "measure", "description"):
                    if isinstance(item.get(key), str):
                        item[key] = every_sentence(item[key])


def write(path: Path, studies: list[dict[str, object]]) -> None:
    """Write JSON Lines."""
    path.write_text("".join(json.dumps(study) + "\n" for study in studies), encoding="utf-8")


def command() -> list[str]:
    """The command that is killed."""
    return [sys.executable, "-m", "pipeline.cli.main", "index", "--json"]


def environment(home: Settings) -> dict[str, str]:
    """The environment of a home."""
    return {
        **os.environ,
        "CLINDEX_HOME": str(home.home),
        "CLINDEX_MODELS_PATH": str(home.models_folder),
        "CLINDEX_CACHE_URL": home.cache,
        "CLINDEX_INDEX_BATCH_DOCUMENTS": "16",
    }


if __name__ == "__main__":
    sys.exit(main())
