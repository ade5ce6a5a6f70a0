"""What becomes of every resource of a folder: by type and release, by rule, and whether the sums close. No value of a resource is shown.

python -m bench.fhir.account FOLDER [--by-file] [--no-check]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from bench.memory import peak_mb
from pipeline.domain.fhir import BrokenEntry, RawResource, RemovedResource
from pipeline.stages.normalize.fhir import check
from pipeline.stages.sources.fhir.folder import FolderFeed

_SECRET = b"of no site: it names the scope of a benchmark"


class Account:
    """Counts of everything that a feed yielded."""

    def __init__(self) -> None:
        self.entries = self.resources = self.removed = self.unresolved = self.bad_attachments = 0
        self.outcomes: Counter[str] = Counter()
        self.types: Counter[str] = Counter()
        self.rules: Counter[str] = Counter()
        self.broken: Counter[str] = Counter()

    def add(self, feed: FolderFeed, *, is_checked: bool) -> None:
        """Read a feed to its end."""
        for entry in feed.entries():
            self.entries += 1
            if isinstance(entry, RawResource):
                self.resources += 1
                if is_checked:
                    self._check(entry)
            elif isinstance(entry, RemovedResource):
                self.removed += 1
            elif isinstance(entry, BrokenEntry):
                self.broken[f"{entry.category}{f' {entry.detail}' if entry.detail else ''}"] += 1

    def _check(self, raw: RawResource) -> None:
        found = check(raw)
        self.outcomes[found.outcome] += 1
        self.types[f"{found.resource_type} {found.version} {found.outcome}"] += 1
        if found.rule is not None:
            self.rules[f"{found.outcome} {found.resource_type} {found.path} {found.rule}"] += 1
        self.unresolved += found.unresolved
        self.bad_attachments += len(found.bad_attachments)

    @property
    def closes(self) -> bool:
        """Whether each entry is in exactly one sum."""
        return self.entries == self.resources + self.removed + self.broken.total() and self.resources == self.outcomes.total()

    def counts(self) -> dict[str, object]:
        """Return everything as JSON values."""
        return {
            "entries": self.entries,
            "resources": self.resources,
            "removed": self.removed,
            "broken": dict(self.broken.most_common()),
            "outcomes": dict(self.outcomes.most_common()),
            "types": dict(sorted(self.types.items())),
            "rules": dict(self.rules.most_common()),
            "unresolved_references": self.unresolved,
            "bad_attachments": self.bad_attachments,
        }


def main() -> int:
    """Print the account as JSON; 1 if a sum does not close."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--by-file", action="store_true", help="one line a file: to be laid beside a list of what other validators say")
    parser.add_argument("--no-check", action="store_true", help="reading alone: what is left of the time is what checking costs")
    options = parser.parse_args()
    if options.by_file:
        for path in _files(options.path):
            account = Account()
            account.add(FolderFeed([path], secret=_SECRET), is_checked=True)
            counts = {"outcomes": dict(account.outcomes), "broken": dict(account.broken), "rules": dict(account.rules)}
            print(json.dumps({"file": path.relative_to(options.path).as_posix(), **counts}))
        return 0
    account = Account()
    start = time.perf_counter()
    account.add(FolderFeed([options.path], secret=_SECRET), is_checked=not options.no_check)
    seconds = time.perf_counter() - start
    speed = {"seconds": round(seconds, 2), "resources_per_second": round(account.resources / seconds), "peak_mb": peak_mb()}
    print(json.dumps({**account.counts(), **speed, "closes": options.no_check or account.closes}, indent=1))
    return 0 if options.no_check or account.closes else 1


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.name.endswith((".json", ".xml", ".ndjson", ".json.gz", ".ndjson.gz")))


if __name__ == "__main__":
    sys.exit(main())
