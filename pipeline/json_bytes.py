"""JSON that may be hostile: bytes in, values out, and the one canonical form that hashes are made of.

orjson reads and writes nearly everything; what it refuses but JSON allows (lone surrogates, deep nesting) goes through the
standard library, slower, with the same result for one value on either way.
"""

from __future__ import annotations

import json
from typing import Any, Final, NoReturn

import orjson

from pipeline.domain.errors import RecordError
from pipeline.domain.identifiers import canonical_json
from pipeline.domain.vocabulary import FailureCategory

_INT64_DIGITS: Final = 18  # every integer of so many digits fits into 64 bits


def _parse_int(digits: str) -> int | float:
    """Read an integer as orjson does: what does not fit into 64 bits becomes a float."""
    return int(digits) if len(digits) <= _INT64_DIGITS else orjson.loads(digits)


def _parse_float(digits: str) -> float:
    """Read a number; one that is infinite as a double is no JSON number to us (orjson refuses it too)."""
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise ValueError
    return value


def _refuse_constant(_: str) -> NoReturn:
    raise ValueError


#: The standard library's decoder with orjson's idea of numbers. It accepts lone surrogates.
LENIENT_DECODER: Final = json.JSONDecoder(parse_int=_parse_int, parse_float=_parse_float, parse_constant=_refuse_constant)


def read_json(data: bytes) -> Any:
    """Return the value of one JSON text.

    Raises:
        RecordError: ``not_json``; the message quotes nothing.
    """
    try:
        return orjson.loads(data)
    except ValueError:
        pass
    try:
        return LENIENT_DECODER.decode(data.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        raise RecordError(FailureCategory.NOT_JSON, "not JSON") from None


def read_json_as_printed(data: bytes) -> Any:
    """Return a JSON value whose numbers are strings with the digits that were printed: 4.10 stays 4.10.

    Raises:
        RecordError: ``not_json``.
    """
    try:
        return json.loads(data, parse_float=str, parse_int=str)
    except (ValueError, RecursionError):
        raise RecordError(FailureCategory.NOT_JSON, "is not JSON") from None


def canonical_bytes(value: Any) -> bytes:
    """Return ``value`` as JSON with sorted keys and no blanks: the same bytes from an API page and from a file.

    Raises:
        RecordError: ``not_json``: the value is nested too deeply to be written.
    """
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # orjson's errors are TypeErrors: lone surrogates, nesting beyond 254 levels
        pass
    try:
        return canonical_json(value)
    except (ValueError, RecursionError):
        raise RecordError(FailureCategory.NOT_JSON, "nested too deeply") from None
