"""Reads labelled rows and cuts every set into a half for tuning and a half for reporting, by a hash of the row's id."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
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


def _row(name: str, raw: dict) -> Row:  # type: ignore[type-arg]
    return Row(
        set=name,
        id=str(raw["id"]),
        text=raw["text"],
        gold=tuple(piece for span in raw["spans"] for piece in _gold(raw["text"], span["start"], span["end"], span["label"])),
        protect=tuple((span["start"], span["end"]) for span in raw.get("protect", ())),
        partial=bool(raw.get("partial")),
    )


# Sets differ in what they label with a value: `Dr. Ada Birch` or `Ada Birch`, `MRN 4711` or `4711`, `Alder Clinic in Ohio` or its parts. What
# identifies nobody inside a labelled span is ignored for every engine alike: titles and professions, credentials, labels, small words, and
# a state or country that stands alone, which Safe Harbor lets stay. So is the emergency number.
_NOBODY = {
    IdentifierClass.NAME: re.compile(
        r"\b(?:dr|mr|mrs|ms|miss|prof|rev|sir|nurse|attorney|officer|coach|doctor|professor|[a-z]{4,}(?:ologist|therapist|iatrist|ician)|"
        r"md|do|rn|np|pa-c|phd|dds|dvm|jr|sr|ii|iii)\b[.,]?",
        re.IGNORECASE,
    ),
    IdentifierClass.MRN: re.compile(r"\b(?:mrn|medical|record|number|no|id)\b[.:#]*", re.IGNORECASE),
    IdentifierClass.OTHER_ID: re.compile(r"\b(?:mrn|case|id|no|number|record)\b[.:#]*", re.IGNORECASE),
    IdentifierClass.ADDRESS: re.compile(r"\b(?:in|at|the|of|near|and)\b"),
    IdentifierClass.PHONE: re.compile(r"^(?:911|112|999)$"),
}


@cache
def _regions() -> frozenset[str]:
    folder = resources.files("pipeline.lexicons")
    lines = [line for name in ("regions.txt", "us_states.txt") for line in folder.joinpath(name).read_text("utf-8").splitlines()]
    return frozenset(part.strip().casefold() for line in lines if not line.startswith("#") for part in line.split("|"))


def _gold(text: str, start: int, end: int, label: str) -> Iterator[tuple[int, int, IdentifierClass | None]]:
    """Yield a labelled span as stretches that count (with their class) and stretches that are ignored."""
    category = class_of(label)
    if category is IdentifierClass.ADDRESS and text[start:end].strip(" .,").casefold() in _regions():
        category = None
    ignored = (
        [(start + found.start(), start + found.end()) for found in _NOBODY[category].finditer(text[start:end])]
        if category in _NOBODY
        else []
    )
    at = start
    for first, last in ignored:
        if at < first:
            yield at, first, category
        yield first, last, None
        at = last
    if at < end:
        yield at, end, category
