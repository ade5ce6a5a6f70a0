from __future__ import annotations

import orjson
import pytest

from pipeline.domain.errors import RecordError
from pipeline.json_bytes import canonical_bytes, read_json


def test_key_order_and_blanks_do_not_matter():
    assert canonical_bytes(read_json(b'{ "b": [1, 2.50],\n "a": "\\u00b5" }')) == '{"a":"µ","b":[1,2.5]}'.encode()


def test_the_canonical_form_reads_back_to_itself():
    for text in (b'{"a": "\\ud83d"}', b"[" * 400 + b"]" * 400, b'{"b": 1e22, "a": "\\u0000"}'):
        canonical = canonical_bytes(read_json(text))
        assert canonical_bytes(read_json(canonical)) == canonical


@pytest.mark.parametrize(
    "number", ["0", "-7", "9223372036854775807", "18446744073709551615", "18446744073709551616", "1.5", "1e22", "-1E-5"]
)
def test_numbers_read_alike_on_the_fast_and_the_slow_way(number: str):
    slow = read_json(f'{{"number": {number}, "text": "\\ud800"}}'.encode())["number"]
    fast = orjson.loads(number)
    assert (slow, type(slow)) == (fast, type(fast))


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"{} {}", b"NaN", b"[Infinity]", b"[1e999]", b'["\\ud800", 1e999]', b"\xff", b'"\t"', b"[" * 100_000, b"9" * 5000 + b"x"],
)
def test_what_is_no_json_is_refused_and_quoted_nowhere(data: bytes):
    with pytest.raises(RecordError) as caught:
        read_json(data)
    assert caught.value.category == "not_json"
    assert caught.value.__suppress_context__


def test_what_is_nested_too_deeply_to_write_is_refused():
    value: list[object] = []
    for _ in range(100_000):
        value = [value]
    with pytest.raises(RecordError):
        canonical_bytes(value)
    while value:  # unwind without recursion
        value = value.pop()  # type: ignore[assignment]
