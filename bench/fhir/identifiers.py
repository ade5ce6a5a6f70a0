"""Looks for everything that identifies somebody in FHIR exports, in all that Clindex keeps and shows of them but the landing.

python -m bench.fhir.identifiers FOLDER ... [--show]

Names, numbers, addresses, telephone numbers, mail addresses, full dates of birth and logical ids of every Patient, RelatedPerson, Person and Practitioner, read from the
files by themselves. A word that is also an ordinary or medical one ("Shaw" is not, "Young" is), by the same word lists as the scrubber's, and a number of up to four
digits (a practitioner's number 200 and a dose of 200 mg are the same signs: decision 0008) are counted apart. Vectors are hashes of the texts: they hold no text. Exit 1 where anything is found.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import logging
import re
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pipeline.domain.fhir import RawResource
from pipeline.jobs.fhir.ingest import ingest_fhir
from pipeline.jobs.index import run_index
from pipeline.jobs.init import initialise
from pipeline.jobs.quality.job import run_quality
from pipeline.jobs.report import write_report
from pipeline.settings import Settings
from pipeline.stages.deidentify.gate.lexicon import ordinary_words
from pipeline.stages.sources.fhir.folder import FolderFeed
from pipeline.testing.embedder import HashEmbedder
from pipeline.wiring import open_services

_PEOPLE: Final = frozenset({"Patient", "RelatedPerson", "Person", "Practitioner"})
_SECRET: Final = b"of no site: it names the scope of a benchmark"
_LEAST: Final = 3  # characters; initials stand everywhere
_IDENTIFIED: Final = ("landing", "secrets")  # folders of a home that hold resources as they came, or no text


def identifying(resource: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield ``(class, value)`` of all that says who somebody is."""
    yield "ID", str(resource.get("id", ""))
    yield "BIRTH_DATE", str(resource.get("birthDate", ""))
    for name in _dicts(resource.get("name")):
        for part in (name.get("family"), *_strings(name.get("given"))):
            yield "NAME", str(part or "")
    for one in _dicts(resource.get("identifier")):
        yield "NUMBER", str(one.get("value", ""))
    for one in _dicts(resource.get("telecom")):
        yield "TELECOM", str(one.get("value", ""))
    for one in _dicts(resource.get("address")):
        for line in _strings(one.get("line")):
            yield "STREET", line


def _dicts(value: object) -> list[Mapping[str, Any]]:
    listed = value if isinstance(value, list) else [value]
    return [one for one in listed if isinstance(one, Mapping)]


def _strings(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []


def people_in(folders: list[Path]) -> dict[str, set[str]]:
    """Return every identifying value by class."""
    found: dict[str, set[str]] = defaultdict(set)
    for entry in FolderFeed(folders, secret=_SECRET).entries():
        if isinstance(entry, RawResource) and entry.value.get("resourceType") in _PEOPLE:
            for name, value in identifying(entry.value):
                if len(value.strip()) >= _LEAST:
                    found[name].add(value.strip())
    return found


def kept(home: Path, shown: str, payloads: list[str]) -> Iterator[tuple[str, str]]:
    """Yield ``(where, text)`` of all that is kept and shown."""
    yield "logs and summaries", shown
    yield "index payloads", "\n".join(payloads)
    for path in sorted(home.rglob("*")):
        if path.is_file() and not set(path.relative_to(home).parts) & set(_IDENTIFIED):
            yield path.relative_to(home).parts[0], path.read_bytes().decode("utf-8", "replace")


def occurrences(text: str, values: set[str]) -> Counter[str]:
    """Return how often each value stands in a text, not within a longer word."""
    found: Counter[str] = Counter()
    for value in values:
        if value in text:
            count = len(re.findall(rf"(?<!\w){re.escape(value)}(?!\w)", text))
            if count:
                found[value] = count
    return found


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--show", action="store_true", help="print the values that were found (synthetic data only)")
    given = parser.parse_args()
    people = people_in(given.folders)
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()) as errors:
        logging.basicConfig(level=logging.DEBUG, stream=sys.stderr)
        home = Path(folder) / "home"
        settings = Settings(home=home)
        initialise(settings)
        with open_services(settings) as services:
            services.embedder = HashEmbedder(services.dimensions, window=10_000)
            taken = ingest_fhir(services, FolderFeed(given.folders, secret=services.secret))
            indexed = run_index(services)
            checked = run_quality(services)
            report = write_report(services)
            payloads = [json.dumps(point.payload, ensure_ascii=False, default=str) for point in services.index.scan()]
        summaries = "".join(one.model_dump_json() for one in (taken, indexed, checked))
        texts = list(kept(home, f"{errors.getvalue()}{summaries}{report.html_path.read_text()}", payloads))
    found: dict[str, dict[str, Counter[str]]] = defaultdict(dict)
    for where, text in texts:
        for name, values in people.items():
            if hits := occurrences(text, values):
                found[where][name] = found[where].get(name, Counter()) + hits
    every = {value for values in people.values() for value in values}
    ordinary = {value for value in every if set(value.lower().split()) <= ordinary_words() or re.fullmatch(r"\d{1,4}", value)}
    left = {
        where: {name: {v: n for v, n in hits.items() if v not in ordinary} for name, hits in classes.items()}
        for where, classes in found.items()
    }
    serious = sum(len(hits) for classes in left.values() for hits in classes.values())
    result = {
        "identifying_values": {name: len(values) for name, values in people.items()},
        "documents": taken.ingest.new,
        "points": len(payloads),
        "megabytes_searched": round(sum(len(text) for _, text in texts) / 1e6, 1),
        "seconds": round(time.monotonic() - started, 1),
        "found": serious,
        "by_place": {where: {name: sum(hits.values()) for name, hits in classes.items() if hits} for where, classes in left.items()},
        "ordinary_words_and_short_numbers_found": sum(len(set(h) & ordinary) for c in found.values() for h in c.values()),
    }
    if given.show:
        result["values"] = {where: {name: hits for name, hits in classes.items() if hits} for where, classes in left.items()}
        result["ordinary"] = sorted({v for c in found.values() for h in c.values() for v in h if v in ordinary})
    print(json.dumps(result, indent=1, ensure_ascii=False))
    return int(serious > 0)


if __name__ == "__main__":
    sys.exit(main())
