"""Bytes of a text file in, its text out."""

from __future__ import annotations

from pipeline.domain.errors import RecordError
from pipeline.domain.vocabulary import FailureCategory


def read_text(data: bytes) -> str:
    """Return the text of a UTF-8 file: no byte order mark, line feeds only, NUL (which PostgreSQL refuses) as U+FFFD.

    Raises:
        RecordError: ``not_utf8``, or ``no_text`` where there is nothing but blanks.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:  # it carries the bytes
        raise RecordError(FailureCategory.NOT_UTF8, "not UTF-8") from None
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "\ufffd")
    if not text or text.isspace():
        raise RecordError(FailureCategory.NO_TEXT, "no text")
    return text
