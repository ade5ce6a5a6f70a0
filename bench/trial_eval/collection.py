"""The test collection: queries, judgements, one text a study, and the split into a half that was fitted on and one that was not."""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Query:
    """One patient."""

    query_id: str
    source: str  # the collection it is of
    text: str = field(repr=False)

    @property
    def is_fitted(self) -> bool:
        """Whether weights were fitted on it: by its id's hash, so that nobody chose."""
        return int(hashlib.sha256(self.query_id.encode()).hexdigest(), 16) % 2 == 0


@dataclass(frozen=True, slots=True)
class Collection:
    """Queries that have a relevant study in the corpus, and the labels (0, 1, 2) of their judged studies by NCT id."""

    queries: list[Query]
    labels: dict[str, dict[str, int]] = field(repr=False)


def load(folder: Path) -> Collection:
    """Read ``queries.jsonl`` and ``qrels.tsv``."""
    labels: dict[str, dict[str, int]] = {}
    with (folder / "qrels.tsv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            labels.setdefault(row["query_id"], {})[row["nct_id"]] = int(row["label"])
    rows = [json.loads(line) for line in (folder / "queries.jsonl").read_text("utf-8").splitlines()]
    queries = [Query(row["query_id"], row["source"], row["text"]) for row in rows if any(labels.get(row["query_id"], {}).values())]
    return Collection(queries, labels)


def texts(folder: Path) -> dict[str, str]:
    """Return one text a study by NCT id: title, conditions, summary, criteria, as a simple program would join them."""
    with gzip.open(folder / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        return {row["nct_id"]: _joined(row) for row in map(json.loads, lines)}


def _joined(row: dict[str, Any]) -> str:
    parts = [row["title"], ", ".join(row["conditions"] or ()), row["brief_summary"], row["eligibility_criteria"]]
    return "\n".join(part for part in parts if part)
