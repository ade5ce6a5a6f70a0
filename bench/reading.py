"""What reading folders of files gives: each file's outcome, its pages by outcome, unexplained signs, peak memory and seconds.

python -m bench.reading FOLDER... [--json] [--seconds 900]

Exits with 1 where a file crashed its reader or timed out, a child held 2 GiB or more, or a sign is unexplained.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from pipeline.domain.errors import RecordError
from pipeline.domain.reading import ReadOptions
from pipeline.domain.site_files import MEDIA_TYPES
from pipeline.domain.vocabulary import FailureCategory
from pipeline.stages.extract.limits import Limits
from pipeline.stages.extract.process import Read, read_file
from pipeline.stages.extract.sniff import media_type_of

_MEMORY: Final = 2 * 1024**3
_MIB: Final = 1024**2
_NEVER: Final = (FailureCategory.READ_CRASHED, FailureCategory.READ_TIMEOUT, FailureCategory.READ_MEMORY)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--json", action="store_true", help="one JSON object a file, and one of all")
    parser.add_argument("--seconds", type=float, default=900.0, help="limit of a file")
    arguments = parser.parse_args()
    limits = Limits(_MEMORY, arguments.seconds)
    start = time.monotonic()
    rows = []
    for path in _files(arguments.folders):
        row = _row(path, limits)
        rows.append(row)
        print(json.dumps(row) if arguments.json else _line(row), flush=True)
    total = _summary(rows, time.monotonic() - start)
    print(json.dumps(total) if arguments.json else "\n".join(f"{name}: {value}" for name, value in total.items()))
    return int(bool(total["never"] or total["unexplained"] or total["peak_mb"] >= _MEMORY // _MIB))


def _files(folders: list[Path]) -> Iterator[Path]:
    for folder in folders:
        yield from sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix.lower() in MEDIA_TYPES)


def _row(path: Path, limits: Limits) -> dict[str, Any]:
    data = path.read_bytes()
    start = time.monotonic()
    try:
        read = read_file(data, media_type_of(data, path.suffix), ReadOptions(), limits)
    except RecordError as failure:
        return {"file": path.name, "outcome": str(failure.category), "seconds": round(time.monotonic() - start, 2), "said": failure.message}
    return {"file": path.name, "outcome": "read", **_counts(read)}


def _counts(read: Read) -> dict[str, Any]:
    pages = read.file.pages
    return {
        "seconds": round(read.seconds, 2),
        "peak_mb": read.peak_bytes // _MIB,
        "characters": sum(page.characters for page in pages) or len("".join(read.file.text.split())),
        "furniture": sum(page.furniture for page in pages),
        "dropped": sum(page.dropped for page in pages),
        "unexplained": sum(abs(page.unexplained) for page in pages),
        "tables": sum(page.tables for page in pages),
        "figures": sum(page.figures for page in pages),
        "notices": list(read.file.notices),
        "pages": Counter(f"{page.outcome}{f' ({page.reason})' if page.reason else ''}" for page in pages),
        "failures": Counter(str(page.failure) for page in pages if page.failure),
        "unexplained_pages": [page.number for page in pages if page.unexplained],
    }


def _line(row: dict[str, Any]) -> str:
    if row["outcome"] != "read":
        return f"{row['file']}: {row['outcome']} ({row['said']}) {row['seconds']} s"
    pages = ", ".join(f"{count} {name}" for name, count in {**row["pages"], **row["failures"]}.items())
    notices = f" [{', '.join(row['notices'])}]" if row["notices"] else ""
    counts = f"{row['characters']} signs, {row['furniture']} furniture, {row['unexplained']} unexplained, {row['tables']} tables"
    return f"{row['file']}: {pages or 'no pages'}; {counts}; {row['peak_mb']} MB, {row['seconds']} s{notices}"


def _summary(rows: list[dict[str, Any]], seconds: float) -> dict[str, Any]:
    read = [row for row in rows if row["outcome"] == "read"]
    pages: Counter[str] = Counter()
    for row in read:
        pages.update(row["pages"])
    return {
        "files": len(rows),
        "outcomes": dict(Counter(row["outcome"] for row in rows)),
        "pages": pages.total(),
        "pages_by_outcome": dict(pages),
        "characters": sum(row["characters"] for row in read),
        "furniture": sum(row["furniture"] for row in read),
        "dropped": sum(row["dropped"] for row in read),
        "unexplained": sum(row["unexplained"] for row in read),
        "tables": sum(row["tables"] for row in read),
        "figures": sum(row["figures"] for row in read),
        "peak_mb": max((row["peak_mb"] for row in read), default=0),
        "slowest": max(rows, key=lambda row: row["seconds"])["file"] if rows else "",
        "never": [row["file"] for row in rows if row["outcome"] in _NEVER],
        "seconds": round(seconds, 1),
    }


if __name__ == "__main__":
    sys.exit(main())
