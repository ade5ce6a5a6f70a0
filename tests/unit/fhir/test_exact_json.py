from __future__ import annotations

import codecs
from decimal import Decimal

import pytest

from pipeline.domain.errors import RecordError
from pipeline.domain.fhir import Printed
from pipeline.fhir.exact_json import MAX_DEPTH, read_exact, to_plain, write_exact

NUMBERS = ["1.00", "0.10", "-0", "1e3", "1E-7", "19", "12345678901234567890.123", "6.022140760000000000000001"]


@pytest.mark.parametrize("digits", NUMBERS)
def test_digits_stay_as_printed(digits: str) -> None:
    value = read_exact(f'{{"value":{digits}}}'.encode())
    assert (value["value"], type(value["value"])) == (digits, Printed)
    assert write_exact(value) == f'{{"value":{digits}}}'.encode()


def test_a_string_of_digits_stays_a_string() -> None:
    value = read_exact(b'["1.00", 1.00]')
    assert [type(one) for one in value] == [str, Printed]
    assert write_exact(value) == b'["1.00",1.00]'


def test_writing_is_canonical() -> None:
    one, other = read_exact(b'{"b": [true, null, false],  "a": "\\u00e9\\n"}'), read_exact('{"a":"é\\n","b":[true,null,false]}'.encode())
    assert write_exact(one) == write_exact(other) == '{"a":"é\\n","b":[true,null,false]}'.encode()


@pytest.mark.parametrize(
    "data",
    [
        codecs.BOM_UTF8 + '{"a":"é"}'.encode(),
        codecs.BOM_UTF16_LE + '{"a":"é"}'.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + '{"a":"é"}'.encode("utf-16-be"),
    ],
)
def test_byte_order_marks_are_obeyed(data: bytes) -> None:
    assert read_exact(data) == {"a": "é"}


@pytest.mark.parametrize(
    ("data", "category"),
    [
        (b'{"secret":1,"secret":2}', "not_json"),
        (b'{"a":NaN}', "not_json"),
        (b'{"a":-Infinity}', "not_json"),
        (b'{"a":925.}', "not_json"),
        (b'{"a":1 /* secret */}', "not_json"),
        (b'{"secret"', "not_json"),
        (b'{"a":' + b"9" * 1001 + b"}", "not_json"),
        (b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), "not_json"),
        (b"[" * 200_000, "not_json"),
        (b'{"a":"\xff"}', "not_utf8"),
    ],
)
def test_what_is_no_json_is_refused_and_not_quoted(data: bytes, category: str) -> None:
    with pytest.raises(RecordError) as caught:
        read_exact(data)
    assert caught.value.category == category
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_numbers_become_exact_ones_for_a_validator() -> None:
    assert to_plain(read_exact(b'{"a":[1.00,-3]}')) == {"a": [Decimal("1.00"), -3]}
    assert str(to_plain(Printed("1.00"))) == "1.00"
