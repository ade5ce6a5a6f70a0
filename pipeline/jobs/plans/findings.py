"""The lines of a plan: one a finding, ids, generations and hashes, no text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import TypeVar
from uuid import UUID

import orjson

from pipeline.domain.vocabulary import DriftClass
from pipeline.jobs.drift.merge import Finding

T = TypeVar("T")

_CORE = ("drift", "expected", "point_id", "document_id")


def line_of(finding: Finding) -> bytes:
    """Return a finding as one line of JSON; evidence that it does not carry is left out."""
    evidence = {one.name: _plain(getattr(finding, one.name)) for one in fields(finding) if one.name not in _CORE}
    core = {
        "class": finding.drift.value,
        "expected": finding.expected,
        "point_id": _plain(finding.point_id),
        "document_id": _plain(finding.document_id),
    }
    return orjson.dumps({**core, **{name: value for name, value in evidence.items() if value is not None}}) + b"\n"


def _plain(value: object) -> object:
    if isinstance(value, UUID):
        return str(value)
    return value.value if isinstance(value, StrEnum) else value


def read_findings(path: Path) -> Iterator[Finding]:
    """Yield a plan's findings as far as carrying it out needs them: class, ids, whether the point is expected."""
    with path.open("rb") as lines:
        for line in lines:
            entry = orjson.loads(line)
            point = entry["point_id"]
            yield Finding(
                DriftClass(entry["class"]),
                UUID(point) if isinstance(point, str) else point,
                UUID(entry["document_id"]) if entry["document_id"] else None,
                expected=entry["expected"],
            )


def in_batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Cut items into lists of at most ``size``, as they come."""
    source = iter(items)
    while batch := list(islice(source, size)):
        yield batch
