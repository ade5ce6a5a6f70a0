"""Lines of a file of queries or judgements, gzipped or not, ``-`` for standard input; what cannot be read is said by file and line."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from pipeline.domain.errors import RecordError, UsageError
from pipeline.json_bytes import read_json

_GZIP: Final = b"\x1f\x8b"


def text_of(path: Path, what: str) -> str:
    """Return a file's text.

    Args:
        path: The file.
        what: ``queries`` or ``qrels``, for the error.

    Raises:
        UsageError: It cannot be read, or is not UTF-8.
    """
    try:
        data = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
        if data.startswith(_GZIP):
            data = gzip.decompress(data)
        return data.decode("utf-8-sig")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        reason = "is not UTF-8" if isinstance(error, UnicodeDecodeError) else f"cannot be read ({type(error).__name__})"
        raise UsageError(f"the file of {what} {reason}", remedy="JSON Lines or tab-separated text, plain or gzipped.") from None


def numbered(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not blank, from 1. A line ends with a line feed alone: texts may hold other separators."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, line.rstrip("\r")


def objects(text: str, what: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield JSON objects with their numbers: lines of JSON Lines, or members of one array, or of the array called ``queries``.

    Raises:
        UsageError: One is no object; says which.
    """
    try:
        whole = read_json(text.encode("utf-8", "surrogatepass"))
    except RecordError:
        whole = None
    if isinstance(whole, dict) and isinstance(whole.get("queries"), list):
        whole = whole["queries"]
    members = enumerate(whole, start=1) if isinstance(whole, list) else _parsed(text, what)
    for number, member in members:
        if not isinstance(member, dict):
            raise bad(what, number, "is no JSON object")
        yield number, member


def _parsed(text: str, what: str) -> Iterator[tuple[int, Any]]:
    for number, line in numbered(text):
        try:
            yield number, read_json(line.encode("utf-8", "surrogatepass"))
        except RecordError:
            raise bad(what, number, "is not JSON") from None


def bad(what: str, number: int, wrong: str) -> UsageError:
    """Return the error of one line; it quotes nothing of it."""
    return UsageError(f"{what}, line {number}: {wrong}", remedy="`docs/evaluation.md` shows the forms that are read.")
