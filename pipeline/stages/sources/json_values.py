"""A JSON array, a page of the API, or one study over many lines: chunks in, the studies in it out, one in memory at a time.

It reads loosely: brackets, commas and the page's own fields are passed over, each object between them is a study. After a
damaged study it goes on at the next line that begins with ``{``, which is how the API writes its pages.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any, Final

from pipeline.domain.errors import RecordError
from pipeline.domain.vocabulary import FailureCategory
from pipeline.json_bytes import LENIENT_DECODER

_BLANKS: Final = re.compile(r"[\s,]*")
_PAGE_FIELD: Final = r'"(?:nextPageToken|totalCount)"\s*:\s*(?:"[^"]*"|\d+|null)'
#: What stands before the studies of a page: ``{"totalCount": 3, "studies": [``.
PAGE_START: Final = re.compile(rf'\{{\s*(?:{_PAGE_FIELD}\s*,\s*)*"studies"\s*:\s*(?=\[)')
#: And after them: ``, "nextPageToken": "…"}``.
_PAGE_END: Final = re.compile(rf"(?:{_PAGE_FIELD}[\s,]*)*\}}")
#: Characters that a page's start or end may take; page tokens of the registry have under 100.
_LOOK_AHEAD: Final = 4096
#: An error so close to the end of what was read can come from a literal, number or escape that goes on.
_CUT_MARGIN: Final = 12


class _Text:
    """The part of the text that is being looked at, filled from chunks as needed."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self.text = ""
        self.position = 0
        self.ended = False
        self.error: RecordError | None = None  # what the stream ended with
        self._chunks = chunks
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogatepass")

    @property
    def size(self) -> int:
        """Characters that were read and not yet passed over."""
        return len(self.text) - self.position

    def fill(self, size: int) -> None:
        """Read on until there are ``size`` characters ahead, or no more."""
        if self.size >= size or self.ended:
            return
        parts = [self.text[self.position :]]
        have = self.size
        while have < size and not self.ended:
            parts.append(self._next())
            have += len(parts[-1])
        self.text = "".join(parts)
        self.position = 0

    def _next(self) -> str:
        try:
            chunk = next(self._chunks, b"")
            self.ended = not chunk
            return self._decoder.decode(chunk, final=self.ended)
        except RecordError as error:
            self.error = error
        except UnicodeDecodeError:
            self.error = RecordError(FailureCategory.NOT_JSON, "not UTF-8")
        self.ended = True
        return ""

    def skip(self, pattern: re.Pattern[str]) -> bool:
        """Pass over a match of ``pattern`` that begins here; whether there was one (an empty one does not count)."""
        match = pattern.match(self.text, self.position)
        if match is None or match.end() == self.position:
            return False
        self.position = match.end()
        return True

    def skip_to_line_with_object(self) -> bool:
        """Pass over everything up to the next line that begins with ``{``; whether there is one."""
        while True:
            found = self.text.find("\n{", self.position)
            if found >= 0:
                self.position = found + 1
                return True
            if self.ended:
                return False
            self.position = max(self.position, len(self.text) - 1)  # a line's end may be the last character
            self.fill(_LOOK_AHEAD)


def values_of(chunks: Iterator[bytes], *, max_bytes: int) -> Iterator[tuple[int, Any | RecordError]]:
    """Yield each element with its number, counted from 1, and errors where they stand: ``not_json``, ``too_large``, ``truncated``.

    ``max_bytes`` bounds one element, counted in characters. A value that is no object or array is yielded as it is.
    """
    text = _Text(chunks)
    number, arrays, pages = 1, 0, 0
    while True:
        text.fill(_LOOK_AHEAD)
        if text.skip(_BLANKS):
            continue
        if text.size == 0:
            break
        if text.text.startswith("[", text.position):
            text.position, arrays = text.position + 1, arrays + 1
        elif arrays and text.text.startswith("]", text.position):
            text.position, arrays = text.position + 1, arrays - 1
        elif pages and not arrays and text.skip(_PAGE_END):
            pages -= 1
        elif not arrays and text.skip(PAGE_START):
            pages += 1
        else:
            value, passed = _element(text, max_bytes)
            yield number, value
            number += 1
            if not passed and not text.skip_to_line_with_object():
                return
    if text.error is not None:
        yield number, text.error
    elif arrays or pages:
        yield number, RecordError(FailureCategory.TRUNCATED, "ends early")


def _element(text: _Text, max_bytes: int) -> tuple[Any | RecordError, bool]:
    """Return the JSON value that begins here, or the error that it is, and whether it was passed over."""
    not_json = RecordError(FailureCategory.NOT_JSON, "not JSON")
    too_large = RecordError(FailureCategory.TOO_LARGE, "larger than max_record_bytes")
    while True:
        try:
            value, end = LENIENT_DECODER.raw_decode(text.text, text.position)
            if end < len(text.text) or text.ended:  # else a number could go on
                size, text.position = end - text.position, end
                return (value if size <= max_bytes else too_large), True
        except json.JSONDecodeError as error:
            cut = error.msg.startswith("Unterminated string") or error.pos >= len(text.text) - _CUT_MARGIN
            if not cut:
                return not_json, False
        except (ValueError, RecursionError):
            return not_json, False
        if text.ended:
            text.position = len(text.text)
            return text.error or RecordError(FailureCategory.TRUNCATED, "ends early"), False
        if text.size > max_bytes:
            return too_large, False
        text.fill(2 * text.size)
