"""Bulk exports of the stand-in FHIR server: kick-off, status, manifest and files, as Bulk Data Access 2.0 and 3.0 say.

Source: https://hl7.org/fhir/uv/bulkdata/export.html.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import unquote

from pipeline.testing.fhir_resources import Resources, Stored, bundle, instant_of, printed
from pipeline.testing.http_faults import Answer, Fault, RecordedRequest

NDJSON: Final = "application/fhir+ndjson"
_FORMATS: Final = frozenset({NDJSON, "application/ndjson", "ndjson"})
_PARAMETERS: Final = frozenset({"_since", "_type", "_outputFormat"})
_LINKS_LIVE: Final = timedelta(minutes=30)  # only said, in ``Expires``; links end with ``expire_links``


class RefusedKickOffError(Exception):
    """The request for an export is answered with 400 and this text."""


@dataclass(slots=True)
class Export:
    """A running or finished export: what there was when it began, by its files."""

    request: str  # its whole URL
    began: datetime
    polls_left: int
    files: list[tuple[str, list[bytes]]] = field(default_factory=list)  # type and lines
    deleted: list[bytes] = field(default_factory=list)

    def manifest(self, base: str, *, errors: bool, token_needed: bool) -> dict[str, Any]:
        """Return the manifest; ``base`` is where its files are, without a last slash."""
        output = [
            {"type": kind, "url": f"{base}/{number}.ndjson", "count": len(lines)}
            for number, (kind, lines) in enumerate(self.files, start=1)
        ]
        return {
            "transactionTime": printed(self.began),
            "request": self.request,
            "requiresAccessToken": token_needed,
            "output": output,
            "deleted": [{"type": "Bundle", "url": f"{base}/deleted.ndjson", "count": len(self.deleted)}] if self.deleted else [],
            "error": [{"type": "OperationOutcome", "url": f"{base}/errors.ndjson"}] if errors else [],
        }

    def lines_of(self, name: str, outcomes: list[dict[str, Any]]) -> list[bytes] | None:
        """Return a file's lines by its name, ``None`` where there is no such file."""
        named = {"deleted": self.deleted, "errors": [json.dumps(one).encode() for one in outcomes]}
        if name in named:
            return named[name]
        return self.files[int(name) - 1][1] if name.isdecimal() and 0 < int(name) <= len(self.files) else None

    def status(self, retry_after: str | None) -> Answer | None:
        """Count one poll; returns what a running export answers, ``None`` once it is complete."""
        if not self.polls_left:
            return None
        self.polls_left -= 1
        wait = {"Retry-After": retry_after} if retry_after is not None else {}
        return Answer(202, b"", headers={"X-Progress": f"{len(self.files)} files to write", **wait})

    def expires(self) -> str:
        """Return what ``Expires`` says of the links."""
        return f"{self.began + _LINKS_LIVE:%a, %d %b %Y %H:%M:%S} GMT"


def begin(request: RecordedRequest, url: str, resources: Resources, now: datetime, *, polls: int, rows_per_file: int | None) -> Export:
    """Begin an export.

    Args:
        request: GET of ``.../$export``.
        url: Its whole URL.
        resources: What there is.
        now: The moment of its data (``transactionTime``).
        polls: How often it is not yet complete.
        rows_per_file: Largest number of lines in a file of resources; ``None`` for any.

    Raises:
        RefusedKickOffError: The request is not as the specification says.
        KeyError: There is no such group.
    """
    _refuse_what_is_not_an_export(request)
    since = _since(request)
    types = {one for value in request.values("_type") for one in value.split(",")}
    level = unquote(request.path).removesuffix("/$export").split("/")[2:]
    members = resources.members_of(level[1]) if level[:1] == ["Group"] else None

    def belongs(one: Stored) -> bool:
        if types and one.kind not in types:
            return False
        return not level or (bool(one.patients()) if members is None else bool(one.patients() & members))

    made = Export(url, now, polls)
    made.files = list(
        _files([one for one in resources.current.values() if belongs(one) and (since is None or one.written > since)], rows_per_file)
    )
    made.deleted = [] if since is None else [_removal(one) for one in resources.removed_since(since) if belongs(one)]
    return made


def _refuse_what_is_not_an_export(request: RecordedRequest) -> None:
    if "application/fhir+json" not in request.header("Accept"):
        raise RefusedKickOffError("Accept must be application/fhir+json")
    if "respond-async" not in request.header("Prefer"):
        raise RefusedKickOffError("Prefer must be respond-async")
    if unknown := set(request.params) - _PARAMETERS:
        raise RefusedKickOffError(f"unknown parameters: {', '.join(sorted(unknown))}")
    if request.params.get("_outputFormat", NDJSON) not in _FORMATS:
        raise RefusedKickOffError("_outputFormat is not supported")


def _since(request: RecordedRequest) -> datetime | None:
    if "_since" not in request.params:
        return None
    try:
        return instant_of(request.params["_since"])
    except ValueError:
        raise RefusedKickOffError("_since is no instant") from None


def _files(found: list[Stored], rows: int | None) -> Iterator[tuple[str, list[bytes]]]:
    by_type: dict[str, list[bytes]] = {}
    for one in found:
        by_type.setdefault(one.kind, []).append(one.line)
    for kind, lines in by_type.items():
        size = rows or len(lines)
        for start in range(0, len(lines), size):
            yield kind, lines[start : start + size]


def _removal(one: Stored) -> bytes:
    """Return a line of a ``deleted`` file: a transaction that would delete the resource."""
    entry = {"request": {"method": "DELETE", "url": f"{one.kind}/{one.id}"}}
    return bundle("transaction", [json.dumps(entry).encode()])


def bad_line(number: int = 1, content: bytes = b'{"resourceType": "Observation", "id":') -> Fault:
    """Return a fault that puts ``content`` in place of a file's line; lines count from 1."""

    def spoil(answer: Answer) -> Answer:
        lines = answer.body.split(b"\n")
        lines[number - 1] = content
        return replace(answer, body=b"\n".join(lines))

    return spoil


def lines_lost(count: int) -> Fault:
    """Return a fault that leaves out a file's last lines: it is whole by its length, and shorter than the manifest says."""

    def shorten(answer: Answer) -> Answer:
        lines = answer.body.splitlines(keepends=True)
        return replace(answer, body=b"".join(lines[: max(0, len(lines) - count)]))

    return shorten
