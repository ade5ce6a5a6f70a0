"""``manifest.csv`` of a folder in, what it says of each file out: one row a file, the columns a sidecar's keys.

A row's values count beside those of the file's own sidecar, which wins key by key. A row that cannot be used fails the file that it names:
a file is never taken with half of what is known of it. Errors name rows and columns by number, never a value.
"""

from __future__ import annotations

import csv
import io
import posixpath
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pipeline.domain.errors import RecordError
from pipeline.domain.identifiers import canonical_json
from pipeline.domain.sidecars import LIST_KEYS, SIDECAR_KEYS, sidecar_of_values
from pipeline.json_bytes import read_json

MANIFEST: Final = "manifest.csv"
#: A row has some 200 bytes; of more than 100,000 files a folder has more than one manifest.
MANIFEST_BYTES: Final = 32 * 1024 * 1024

_FILE: Final = "file"
_COLUMNS: Final = frozenset({_FILE, *SIDECAR_KEYS} - {"known_identifiers"})  # which is no single value: a sidecar has it
_LIST_SIGNS: Final = re.compile(r"[|;]")


class UnusableManifestError(Exception):
    """Not one row of it can be read. The message names no value."""


@dataclass(frozen=True, slots=True)
class Row:
    """What a manifest says of one file, or that it cannot be used (``values`` is ``None``). ``origin`` holds numbers alone."""

    origin: str
    values: Mapping[str, Any] | None = field(default=None, repr=False)


class Manifests:
    """What the manifests of one root say, by a file's path in the root (NFC)."""

    def __init__(self) -> None:
        self._rows: dict[str, Row] = {}
        self._unusable: list[tuple[str, str]] = []  # folder and origin of each manifest that cannot be read
        self._used: set[str] = set()
        self._number = 0

    def add(self, folder: str, data: bytes | None) -> str | None:
        """Take the manifest of one folder (``None``: its bytes cannot be had).

        Returns:
            What is wrong with the manifest as a whole, for people, or ``None``. Every file below its folder fails where it cannot be read.
        """
        self._number += 1
        origin = f"manifest {self._number}"
        try:
            unknown, rows = _read(data)
        except UnusableManifestError as error:
            self._unusable.append((folder, f"{origin}: {error}"))
            return f"{origin}: {error}"
        for number, path, values in rows:
            name = _in_root(folder, path) or f"{folder}/{MANIFEST}/{number}"  # where no file can be: it stays left over
            seen_at = f"{origin} row {number}"
            if name in self._rows:
                self._rows[name] = Row(f"{seen_at}: its file is named before")
            else:
                self._rows[name] = Row(seen_at, _checked(values))
        return None if unknown is None else f"{origin}: column {unknown} is unknown"

    def row(self, path: str) -> Row | None:
        """Return what is said of a file, which counts as found."""
        path = unicodedata.normalize("NFC", path)
        self._used.add(path)
        above = (origin for folder, origin in self._unusable if not folder or path.startswith(folder + "/"))
        unusable = next(above, None)
        return Row(unusable) if unusable is not None else self._rows.get(path)

    def left_over(self) -> Iterator[tuple[str, Row]]:
        """Yield path and row of what names a file that was not found."""
        return ((path, row) for path, row in self._rows.items() if path not in self._used)


def merged(row: Row | None, sidecar: bytes | None) -> bytes | None:
    """Return what row and sidecar say together as one sidecar's bytes; the sidecar's own value of a key wins.

    A sidecar that is no JSON object is returned as it is: reading it fails by name.
    """
    if row is None or not row.values:
        return sidecar
    try:
        own = {} if sidecar is None else read_json(sidecar.removeprefix(b"\xef\xbb\xbf"))
    except RecordError:
        return sidecar
    if not isinstance(own, dict):
        return sidecar
    return canonical_json({**row.values, **{key: value for key, value in own.items() if value is not None}})


def _in_root(folder: str, path: str) -> str | None:
    """Return a path in the root, or ``None`` where it leads out of the manifest's own folder."""
    within = posixpath.normpath(path) if path else ".."
    return None if within.startswith(("/", "..")) else posixpath.join(folder, within)


def _read(data: bytes | None) -> tuple[int | None, list[tuple[int, str, Mapping[str, Any] | None]]]:
    """Return the number of the first unknown column, and number, path and values of each row (the header is row 1)."""
    if data is None:
        raise UnusableManifestError("cannot be read")
    try:
        lines = list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True))
    except UnicodeDecodeError:
        raise UnusableManifestError("not UTF-8") from None
    except csv.Error:
        raise UnusableManifestError("not CSV") from None
    header = [name.strip().casefold() for name in lines[0]] if lines else []
    if header.count(_FILE) != 1:
        raise UnusableManifestError("no column 'file'" if _FILE not in header else "two columns 'file'")
    bad = (number for number, name in enumerate(header, start=1) if name not in _COLUMNS or header.index(name) != number - 1)
    unknown = next(bad, None)
    rows: list[tuple[int, str, Mapping[str, Any] | None]] = []
    for number, cells in enumerate(lines[1:], start=2):
        if not any(cell.strip() for cell in cells):
            continue
        named = dict(zip(header, cells, strict=False))
        path = unicodedata.normalize("NFC", named.pop(_FILE, "").strip().replace("\\", "/"))
        usable = unknown is None and len(cells) == len(header)
        rows.append((number, path, _values(named) if usable else None))
    return unknown, rows


def _values(cells: Mapping[str, str]) -> dict[str, Any]:
    """Return the cells that say something; a list's entries are parted by ``|`` or ``;``."""
    said = {key: value.strip() for key, value in cells.items() if value.strip()}
    return {key: _entries(value) if key in LIST_KEYS else value for key, value in said.items()}


def _entries(value: str) -> list[str]:
    return [entry.strip() for entry in _LIST_SIGNS.split(value) if entry.strip()]


def _checked(values: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    if values is None:
        return None
    try:
        sidecar_of_values(values)
    except RecordError:
        return None
    return values
