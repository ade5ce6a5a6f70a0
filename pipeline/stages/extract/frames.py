"""Messages between the reader's parent and its child: JSON, its length before it."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any, BinaryIO, Final

_LENGTH: Final = struct.Struct(">Q")


def frame(message: Mapping[str, Any]) -> bytes:
    """Return a message as bytes."""
    body = json.dumps(message, separators=(",", ":")).encode()
    return _LENGTH.pack(len(body)) + body


def take(buffer: bytearray) -> dict[str, Any] | None:
    """Take the first message out of what was received; ``None`` where it has not come whole yet."""
    if len(buffer) < _LENGTH.size:
        return None
    end = _LENGTH.size + _LENGTH.unpack_from(buffer)[0]
    if len(buffer) < end:
        return None
    message: dict[str, Any] = json.loads(bytes(buffer[_LENGTH.size : end]))
    del buffer[:end]
    return message


def receive(stream: BinaryIO) -> dict[str, Any]:
    """Read one message.

    Raises:
        EOFError: The stream ended within it.
    """
    message: dict[str, Any] = json.loads(exactly(stream, _LENGTH.unpack(exactly(stream, _LENGTH.size))[0]))
    return message


def exactly(stream: BinaryIO, size: int) -> bytes:
    """Read ``size`` bytes.

    Raises:
        EOFError: The stream ended before.
    """
    found = stream.read(size)
    if len(found) < size:
        raise EOFError
    return found
