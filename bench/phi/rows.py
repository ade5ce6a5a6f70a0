"""Reads labelled rows and cuts every set into a half for tuning and a half for reporting, by a hash of the row's id."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.phi.labels import class_of
from pipeline.domain.phi import IdentifierClass


@dataclass(frozen=True, slots=True)
class Row:
    """One labelled text."""

    set: str
    id: str
    text: str
    gold: tuple[tuple[int, int, IdentifierClass | None], ...]  # half-open; None: ignored
    protect: tuple[tuple[int, int], ...]
    partial: bool  # only some identifiers are labelled: good for recall alone


def read_rows(folder: Path, *, half: str) -> Iterator[Row]:
    """Yield the rows of one half (``tune``, ``report`` or ``all``) of every set in a folder."""
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                raw = json.loads(line)
                if half in ("all", half_of(raw["id"])):
                    yield _row(path.name.removesuffix(".jsonl.gz"), raw)


def half_of(row_id: str) -> str:
    """Return which half a row belongs to."""
    return "report" if hashlib.sha256(str(row_id).encode()).digest()[0] % 2 else "tune"


# Some sets label `Dr. Ada Birch`, others `Ada Birch`: a title identifies nobody.
_TITLE = re.compile(r"\s*(?:(?:dr|mr|mrs|ms|miss|prof|rev)\b\.?\s*)+(?=\w)", re.IGNORECASE)


def _gold(text: str, start: int, end: int, label: str) -> tuple[int, int, IdentifierClass | None]:
    category = class_of(label)
    title = _TITLE.match(text, start, end) if category is IdentifierClass.NAME else None
    return (title.end() if title else start), end, category


def _row(name: str, raw: dict) -> Row:  # type: ignore[type-arg]
    return Row(
        set=name,
        id=str(raw["id"]),
        text=raw["text"],
        gold=tuple(_gold(raw["text"], span["start"], span["end"], span["label"]) for span in raw["spans"]),
        protect=tuple((span["start"], span["end"]) for span in raw.get("protect", ())),
        partial=bool(raw.get("partial")),
    )
