"""How right identification is: our own title pages; documents with a truth table; clinical texts, none of which may become public.

python -m bench.identify [--gold tests/golden/identity] [--documents FOLDER --truth truth.tsv] [--clinical notes.jsonl.gz note.txt ...]

``truth.tsv`` has a header row: ``file`` and any of ``kind``, ``title`` and the names of facts (``reference_number``, ``revision_date`` ...); an
empty cell means that the document states none. Figures are told for both halves of the files, by the parity of the SHA-256 of their names:
rules are tuned on the even half.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import sys
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from pipeline.domain.errors import RecordError
from pipeline.domain.reading import ReadFile, ReadOptions
from pipeline.domain.vocabulary import PUBLIC_KINDS, DocumentKind
from pipeline.stages.extract.limits import Limits
from pipeline.stages.extract.process import read_file
from pipeline.stages.extract.sniff import media_type_of
from pipeline.stages.identify import FactScheme, Identity, identify
from pipeline.stages.identify.classify import scores
from pipeline.stages.identify.evidence import gather
from pipeline.testing.identity import load_gold

_LIMITS = Limits(memory_bytes=2_000_000_000, seconds=600)


def main() -> int:
    """Measure and print one JSON object; fail where a clinical text became public."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gold", type=Path, default=Path("tests/golden/identity"))
    parser.add_argument("--documents", type=Path)
    parser.add_argument("--truth", type=Path)
    parser.add_argument("--clinical", type=Path, nargs="*", default=[])
    options = parser.parse_args()
    result: dict[str, Any] = {"gold": measure_gold(options.gold)}
    if options.documents and options.truth:
        result["documents"] = measure_documents(options.documents, options.truth)
    result["clinical"] = {path.name: measure_clinical(path) for path in options.clinical}
    print(json.dumps(result, indent=2))
    return int(any(one["public"] for one in result["clinical"].values()))


def measure_gold(folder: Path) -> dict[str, Any]:
    """Count title pages, those with every fact right, the facts by scheme, titles and kinds."""
    count: Counter[str] = Counter()
    for gold in load_gold(folder):
        identity = identify(gold.read, gold.kind, gold.folder)
        found = {scheme.value: identity.own(scheme) for scheme in FactScheme if identity.own(scheme)}
        count["documents"] += 1
        count["facts_all_right"] += found == gold.facts
        count["titles_right"] += identity.title == gold.title
        kind = identify(gold.read, None).kind
        count["kinds_right"] += kind is gold.kind
        count["kinds_wrong"] += kind not in (gold.kind, DocumentKind.UNKNOWN)
        for scheme in {*found, *gold.facts}:
            count[f"{scheme}_right"] += found.get(scheme) == gold.facts.get(scheme)
            count[f"{scheme}_of"] += 1
    return dict(count)


def measure_documents(folder: Path, truth: Path) -> dict[str, dict[str, int]]:
    """Read each file of the truth table and count its right cells, by half."""
    halves: dict[str, Counter[str]] = {"even": Counter(), "odd": Counter()}
    with truth.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            name = row.pop("file")
            count = halves["odd" if sha256(name.encode()).digest()[-1] % 2 else "even"]
            count["files"] += 1
            try:
                read = _read(folder / name)
            except RecordError as error:
                count[f"unreadable_{error.category}"] += 1
                continue
            for column, value in row.items():
                count[f"{column}_right"] += _cell(read, column, row.get("kind")) == _alike(value)
            print(name, file=sys.stderr)
    return {half: dict(count) for half, count in halves.items()}


def _read(path: Path) -> ReadFile:
    data = path.read_bytes()
    return read_file(data, media_type_of(data, path.suffix), ReadOptions(figures=False), _LIMITS).file


def _cell(read: ReadFile, column: str, kind: str | None) -> str:
    if column == "kind":
        return identify(read, None).kind.value
    identity: Identity = identify(read, DocumentKind(kind or DocumentKind.EMS_PROTOCOL))
    if column == "title":
        return _alike(identity.title)
    return _alike(",".join(identity.own(FactScheme(column))))


def _alike(text: str) -> str:
    return "".join(one for one in text.lower().replace("\u2013", "-") if not one.isspace())


def measure_clinical(path: Path) -> dict[str, Any]:
    """Count texts, those that became public (none may), the highest score of a public kind, and the kinds."""
    public, highest, kinds = 0, 0.0, Counter[str]()
    for text in _texts(path):
        read = ReadFile(text=text)
        kind = identify(read, None).kind
        kinds[kind.value] += 1
        public += kind in PUBLIC_KINDS
        found = scores(gather(read))
        highest = max([highest, *(score.value for one, score in found.items() if one in PUBLIC_KINDS)])
    return {"texts": kinds.total(), "public": public, "highest_public_score": highest, "kinds": dict(kinds)}


def _texts(path: Path) -> Iterator[str]:
    """Yield the texts of a plain file, or of JSON lines: the field ``text``, else all strings of a row, each under its name."""
    if path.suffix == ".txt":
        yield path.read_text("utf-8")
        return
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            text = row.get("text")
            yield (
                text
                if isinstance(text, str)
                else "\n".join(f"{key.upper()}: {value}" for key, value in row.items() if isinstance(value, str))
            )


if __name__ == "__main__":
    sys.exit(main())
