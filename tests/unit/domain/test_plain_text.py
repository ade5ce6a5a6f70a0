"""Text files are UTF-8, or fail by name."""

from __future__ import annotations

import pytest

from pipeline.domain.errors import RecordError
from pipeline.domain.plain_text import plain_text


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"a\r\nb\rc\n", "a\nb\nc\n"),
        (b"\xef\xbb\xbfa", "a"),
        ("≥ 10⁹/L, 5 µg".encode(), "≥ 10⁹/L, 5 µg"),
        (b"a\x00b", "a\ufffdb"),
        (b"a\x00b\x00\x00 field\x00field", "a\ufffdb\ufffd\ufffd field\ufffdfield"),
    ],
)
def test_text_is_read(data: bytes, text: str):
    assert plain_text(data) == text


@pytest.mark.parametrize(
    ("data", "category"),
    [
        (b"", "no_text"),
        (b"\xef\xbb\xbf \r\n\t", "no_text"),
        ("Zoë".encode("latin-1"), "not_utf8"),
        ("Quartermain".encode("utf-16"), "not_utf8"),
        *(("Seen by Quartermain.\n".encode(f"utf-{bits}-{order}"), "not_utf8") for bits in (16, 32) for order in ("le", "be")),
        (b"A note. " * 50 + "Quartermain".encode("utf-16-le"), "not_utf8"),  # a part pasted in
        (b"Quartermain \xed\xa0\x80", "not_utf8"),  # a lone surrogate
    ],
)
def test_what_is_no_text_is_refused_and_not_quoted(data: bytes, category: str):
    with pytest.raises(RecordError) as refused:
        plain_text(data)
    assert refused.value.category == category
    assert refused.value.__context__ is None or refused.value.__suppress_context__
    assert "Quartermain" not in repr(refused.value) + str(refused.value.__dict__)
