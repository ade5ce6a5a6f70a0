"""What is written down of a document before it is erased, so that a separate verifier can look for it later: ids and keyed hashes, no text.

Hashes of bytes and texts are keyed with the site's secret (``identifiers.keyed_hash``, purpose ``ERASED``): nobody can try values on them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from pipeline.domain.identifiers import keyed_hash

#: Purpose of the keyed hashes.
ERASED: Final = "erased"


def trace(secret: bytes, value: str) -> str:
    """Return the keyed hash under which a SHA-256 or a reading's key stands in the evidence."""
    return keyed_hash(secret, ERASED, value)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one document, or all of one deletion, left behind.

    Attributes:
        points: Ids of points by collection and generation; 0: of a point whose payload did not say.
        landed: Keyed hashes of the SHA-256 of objects in landing that no other document uses.
        texts: Keyed hashes of the hashes of embedded texts that no other document uses.
        readings: Keyed hashes of the keys of readings.
        rows: Rows removed from truth by table.
    """

    points: Mapping[str, Mapping[int, tuple[UUID, ...]]]
    landed: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    readings: tuple[str, ...] = ()
    rows: Mapping[str, int] | None = None

    def to_json(self) -> dict[str, Any]:
        """Return it as plain JSON, in one order."""
        points = {
            name: {str(number): sorted(str(one) for one in ids) for number, ids in sorted(by_generation.items())}
            for name, by_generation in sorted(self.points.items())
        }
        return {
            "points": points,
            "landed": sorted(self.landed),
            "texts": sorted(self.texts),
            "readings": sorted(self.readings),
            "rows": dict(sorted((self.rows or {}).items())),
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Evidence:
        """Return what ``to_json`` gave; a key that is absent is empty."""
        points = {
            name: {int(number): tuple(UUID(one) for one in ids) for number, ids in by_generation.items()}
            for name, by_generation in values.get("points", {}).items()
        }
        lists = {name: tuple(values.get(name, ())) for name in ("landed", "texts", "readings")}
        return cls(points=points, rows=dict(values.get("rows", {})), **lists)

    @property
    def point_ids(self) -> list[UUID]:
        """Ids of all points, in order."""
        return sorted({one for by_generation in self.points.values() for ids in by_generation.values() for one in ids})


def joined(found: Iterable[Evidence]) -> Evidence:
    """Return the evidence of several documents, or of several looks at one, as one: nothing twice; of rows the sums."""
    points: dict[str, dict[int, set[UUID]]] = {}
    lists: dict[str, set[str]] = {"landed": set(), "texts": set(), "readings": set()}
    rows: dict[str, int] = {}
    for one in found:
        for name, by_generation in one.points.items():
            for number, ids in by_generation.items():
                points.setdefault(name, {}).setdefault(number, set()).update(ids)
        for key, values in lists.items():
            values.update(getattr(one, key))
        for table, count in (one.rows or {}).items():
            rows[table] = rows.get(table, 0) + count
    return Evidence(
        points={name: {number: tuple(sorted(ids)) for number, ids in by.items()} for name, by in points.items()},
        landed=tuple(sorted(lists["landed"])),
        texts=tuple(sorted(lists["texts"])),
        readings=tuple(sorted(lists["readings"])),
        rows=rows,
    )
