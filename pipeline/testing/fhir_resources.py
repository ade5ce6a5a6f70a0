"""Resources of the stand-in FHIR server: as their bytes came, with when each was written, and everything that was removed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

_PATIENT: Final = re.compile(rb'"reference"\s*:\s*"(?:[^"]*/)?Patient/([A-Za-z0-9.-]+)"')

Key = tuple[str, str]  # type and id


@dataclass(frozen=True, slots=True)
class Stored:
    """A version of a resource, or its removal."""

    kind: str
    id: str
    written: datetime
    line: bytes  # JSON in one line; of a removal, the last there was
    removed: bool = False

    @property
    def key(self) -> Key:
        """Type and id."""
        return self.kind, self.id

    def patients(self) -> set[str]:
        """Return ids of the patients in whose compartments it is: itself, or whom it refers to."""
        return {self.id} if self.kind == "Patient" else {one.decode() for one in _PATIENT.findall(self.line)}


@dataclass(slots=True)
class Resources:
    """What a server holds now, in the order of its first writing, and each event that led there."""

    current: dict[Key, Stored] = field(default_factory=dict)
    events: list[Stored] = field(default_factory=list)

    def put(self, resource: Mapping[str, Any] | bytes, now: datetime) -> None:
        """Write a resource. Bytes stay as they are, digits too; ``meta.lastUpdated`` is added where there is no ``meta``.

        Raises:
            ValueError: Bytes are no JSON.
            KeyError: It has no ``resourceType`` or no ``id``.
        """
        value = json.loads(resource) if isinstance(resource, bytes) else resource
        said = value.get("meta", {}).get("lastUpdated")
        line = _dated(resource, now) if said is None else resource
        line = line.replace(b"\n", b" ").replace(b"\r", b" ") if isinstance(line, bytes) else json.dumps(line, ensure_ascii=False).encode()
        stored = Stored(value["resourceType"], value["id"], instant_of(said) if said is not None else now, line)
        self.current[stored.key] = stored
        self.events.append(stored)

    def remove(self, kind: str, own_id: str, now: datetime) -> None:
        """Delete a resource.

        Raises:
            KeyError: There is none.
        """
        last = self.current.pop((kind, own_id))
        self.events.append(Stored(kind, own_id, now, last.line, removed=True))

    def was_removed(self, key: Key) -> bool:
        """Whether a resource was once here and is not now."""
        return key not in self.current and any(one.key == key for one in self.events)

    def removed_since(self, since: datetime) -> list[Stored]:
        """Return the removals after ``since`` of what is not here now, one a resource, in order."""
        found = {one.key: one for one in self.events if one.removed and one.written > since and one.key not in self.current}
        return list(found.values())

    def members_of(self, group_id: str) -> set[str]:
        """Return ids of a group's patients.

        Raises:
            KeyError: There is no such group.
        """
        members = json.loads(self.current["Group", group_id].line).get("member", [])
        return {str(one["entity"]["reference"]).rpartition("/")[2] for one in members}


def _dated(resource: Mapping[str, Any] | bytes, now: datetime) -> Mapping[str, Any] | bytes:
    if not isinstance(resource, bytes):
        return {**resource, "meta": {**resource.get("meta", {}), "lastUpdated": printed(now)}}
    if b'"meta"' in resource:
        return resource
    return resource.replace(b"{", b'{"meta":{"lastUpdated":"' + printed(now).encode() + b'"},', 1)


def printed(moment: datetime) -> str:
    """Return a FHIR instant in UTC with milliseconds."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def instant_of(text: str) -> datetime:
    """Read an instant or a date (its first moment in UTC).

    Raises:
        ValueError: It is neither.
    """
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def bundle(kind: str, entries: Iterable[bytes], *, total: int | None = None, links: Mapping[str, str] | None = None) -> bytes:
    """Return a Bundle; entries are JSON and stay as they are."""
    parts = [b'"resourceType":"Bundle"', b'"type":' + json.dumps(kind).encode()]
    if total is not None:
        parts.append(b'"total":' + str(total).encode())
    if links:
        parts.append(b'"link":' + json.dumps([{"relation": name, "url": url} for name, url in links.items()]).encode())
    if listed := list(entries):
        parts.append(b'"entry":[' + b",".join(listed) + b"]")
    return b"{" + b",".join(parts) + b"}"


def outcome(code: str, text: str = "") -> dict[str, Any]:
    """Return an OperationOutcome with one error; ``code`` is of FHIR's issue types."""
    issue = {"severity": "error", "code": code, **({"diagnostics": text} if text else {})}
    return {"resourceType": "OperationOutcome", "issue": [issue]}
