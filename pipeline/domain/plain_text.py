"""Bytes of a text file in, its text out."""

from __future__ import annotations

import re
from typing import Final

from pipeline.domain.errors import RecordError
from pipeline.domain.vocabulary import FailureCategory

# UTF-16 and UTF-32 without a byte order mark are valid UTF-8 with NULs between the letters: "J.o.h.n" is a name to no reader of ours.
_WIDE: Final = re.compile(r"(?:[^\x00\s]\x00{1,3}){3}")


def is_wide(text: str) -> bool:
    """Whether text, or a part of it, was written in UTF-16 or UTF-32 and read as UTF-8: three letters in a row are parted by NULs."""
    return "\x00" in text and _WIDE.search(text) is not None


def plain_text(data: bytes) -> str:
    """Return the text of a UTF-8 file: no byte order mark, line feeds only, NUL (which PostgreSQL refuses) as U+FFFD.

    Raises:
        RecordError: ``not_utf8``, or ``no_text`` where there is nothing but blanks.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:  # it carries the bytes
        raise RecordError(FailureCategory.NOT_UTF8, "not UTF-8") from None
    if is_wide(text):
        raise RecordError(FailureCategory.NOT_UTF8, "not UTF-8")
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "\ufffd")
    if not text or text.isspace():
        raise RecordError(FailureCategory.NO_TEXT, "no text")
    return text
