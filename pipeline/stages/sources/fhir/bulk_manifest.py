"""The manifest of a finished export: which files there are, and of which moment they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pipeline.domain.errors import SourceProtocolError
from pipeline.stages.sources.fhir.server import NAME


@dataclass(frozen=True, slots=True)
class ExportFile:
    """A file that a manifest names.

    Attributes:
        part: ``output``, ``deleted`` or ``error``.
        position: In its part, from 0: a new manifest of the same export names the same file there.
        url: Where it is.
        count: Resources in it, where the manifest says.
    """

    part: str
    position: int
    url: str = field(repr=False)
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a finished export consists of.

    Attributes:
        files: Resources first, then what was deleted, then what could not be exported.
        transaction_time: The moment of the data, as sent; where the next export begins.
        with_token: Whether files are asked for with the access token.
    """

    files: tuple[ExportFile, ...]
    transaction_time: str
    with_token: bool


def manifest_of(value: object) -> Manifest:
    """Read a manifest.

    Raises:
        SourceProtocolError: It is none.
    """
    time = value.get("transactionTime") if isinstance(value, Mapping) else None
    if not isinstance(value, Mapping) or not isinstance(time, str):
        raise _none()
    files = tuple(one for part in ("output", "deleted", "error") for one in _files(part, value.get(part, [])))
    return Manifest(files, time, value.get("requiresAccessToken") is True)


def _files(part: str, listed: object) -> Iterator[ExportFile]:
    if not isinstance(listed, list):
        raise _none()
    for position, one in enumerate(listed):
        url = one.get("url") if isinstance(one, Mapping) else None
        if not isinstance(url, str):
            raise _none()
        count = one.get("count") if part == "output" else None
        yield ExportFile(part, position, url, int(count) if isinstance(count, str) and count.isdecimal() else None)


def _none() -> SourceProtocolError:
    return SourceProtocolError(f"{NAME} ended an export without a manifest that can be read")
