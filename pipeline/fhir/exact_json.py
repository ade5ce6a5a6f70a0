"""JSON whose numbers keep the digits that were printed: bytes in, values out, and the one canonical form back.

FHIR forbids a key to stand twice and makes precision part of a decimal's meaning (https://hl7.org/fhir/json.html#decimal); Python's
``float`` and every parser that takes the last of two keys lose both in silence.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, NoReturn

from pipeline.domain.errors import RecordError
from pipeline.domain.fhir import Printed
from pipeline.domain.vocabulary import FailureCategory

#: Levels of objects and lists: FHIR's own resources nest some twenty deep, questionnaires more.
MAX_DEPTH: Final = 100
#: A number of more characters says nothing that could be measured, and costs seconds to read as an integer.
_MAX_DIGITS: Final = 1000

_BOMS: Final = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def read_exact(data: bytes) -> Any:
    """Return the value of one JSON text in UTF-8, or in UTF-16 with a byte-order mark; numbers are ``Printed``.

    Raises:
        RecordError: ``not_utf8``, ``not_json`` (also: a key twice, a number that is none or endless, nested too deeply). It quotes nothing.
    """
    try:
        text = data.decode(next((name for mark, name in _BOMS if data.startswith(mark)), "utf-8"))
    except UnicodeDecodeError:
        raise RecordError(FailureCategory.NOT_UTF8, "neither UTF-8 nor UTF-16 with a mark") from None
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError):
        raise RecordError(FailureCategory.NOT_JSON, "no JSON, or a key twice in one object") from None
    if _is_deeper(value, MAX_DEPTH):
        raise RecordError(FailureCategory.NOT_JSON, f"nested deeper than {MAX_DEPTH} levels")
    return value


def write_exact(value: Any) -> bytes:
    """Return a value as JSON with sorted keys and no blanks, each ``Printed`` with its own digits: one value, the same bytes."""
    parts: list[str] = []
    _write(value, parts)
    return "".join(parts).encode("utf-8", "surrogatepass")


def to_plain(value: Any) -> Any:
    """Return a value whose ``Printed`` are ``int`` or ``Decimal``, as a validator wants them."""
    if isinstance(value, Printed):
        return int(value) if value.lstrip("-").isdecimal() else Decimal(value)
    if isinstance(value, Mapping):
        return {key: to_plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [to_plain(one) for one in value]
    return value


def _number(digits: str) -> Printed:
    if len(digits) > _MAX_DIGITS:
        raise ValueError
    return Printed(digits)


def _refuse(_: str) -> NoReturn:
    raise ValueError


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError
    return found


_DECODER: Final = json.JSONDecoder(parse_int=_number, parse_float=_number, parse_constant=_refuse, object_pairs_hook=_object)
_STRING: Final = json.JSONEncoder(ensure_ascii=False).encode


def _is_deeper(value: Any, levels: int) -> bool:
    if not isinstance(value, (dict, list)):
        return False
    if levels == 0:
        return True
    return any(_is_deeper(one, levels - 1) for one in (value.values() if isinstance(value, dict) else value))


def _write(value: Any, parts: list[str]) -> None:
    if isinstance(value, Printed):
        parts.append(value)
    elif isinstance(value, str):
        parts.append(_STRING(value))
    elif isinstance(value, Mapping):
        parts.append("{")
        for position, key in enumerate(sorted(value)):
            parts.append(f"{',' if position else ''}{_STRING(key)}:")
            _write(value[key], parts)
        parts.append("}")
    elif isinstance(value, (list, tuple)):
        parts.append("[")
        for position, one in enumerate(value):
            if position:
                parts.append(",")
            _write(one, parts)
        parts.append("]")
    else:
        parts.append({None: "null", True: "true", False: "false"}.get(value) or str(value))
