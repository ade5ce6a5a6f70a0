"""Requests that no honest client sends: answered with a refusal or an escaped page, never with an internal error or their own HTML."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient

from tests.unit.api.page.browser import HTML, Browser

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
TAG = "<b onmouseover=steal()>zq</b>"
HOSTILE = {
    "html": TAG,
    "attribute": f'" autofocus onfocus=steal() x="{TAG}',
    "end of a tag": f"</textarea></select></option>{TAG}",
    "control signs": f"\0\x01\x08\x1b[31m\x7f\x85{TAG}",
    "directions": f"\u202e\u2066\u200b{TAG}",
    "template": "{{ cycler.__init__ }}{% for x in y %}" + TAG,
    "not a character": f"\ufffe\uffff{TAG}",
    "many marks": "e" + "\u0301" * 3000,
    "long number": "9" * 3900,
    "nothing but signs": "\u3164\u2800",
    "separators": "\r\nSet-Cookie: a=b\r\n\r\n" + TAG,
}
FIELDS = (
    "query", "kinds", "phases", "study_types", "part", "condition", "icd", "loinc", "snomed", "rxnorm", "resource_status", "encounter",
    "patient", "scope", "dated_from", "dated_to", "agencies", "states", "departments", "access", "limit", "recruiting", "answer",
)  # fmt: skip


@pytest.fixture
def browser(served: TestClient, world) -> Browser:
    opened = Browser(TestClient(served.app, base_url="http://localhost", raise_server_exceptions=False))
    opened.sign_in(world.keys["clinical"])
    opened.open("/")
    return opened


def post(browser: Browser, body: bytes, **headers: str) -> Any:
    return browser.client.post("/", content=body, headers={**FORM, **HTML, **headers})


def body_of(browser: Browser, *fields: tuple[str, str]) -> bytes:
    pairs = [("made_for", browser.token), *fields]
    return "&".join(f"{name}={quote(value, safe='')}" for name, value in pairs).encode()


def is_clean(answer: Any) -> bool:
    return answer.status_code < 500 and "<b onmouseover" not in answer.text and "set-cookie: a=b" not in str(answer.headers).lower()


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("field", FIELDS)
def test_a_field_of_the_form_holds_anything(browser: Browser, field: str, value: str):
    fields = [(field, value)] if field == "query" else [("query", "gout"), (field, value)]
    answer = post(browser, body_of(browser, *fields))
    assert is_clean(answer)
    assert answer.status_code in (200, 400)


@pytest.mark.parametrize(
    "query",
    [b"%ED%A0%80gout", b"%ed%b0%80", b"%FF%FE", b"gout%C3", b"%C0%AF", b"\xff\xfe\x00", b"%", b"%zz", b"%u0041", b"+" * 50, b"%00" * 50],
)
def test_bytes_that_are_no_text_are_read_as_something(browser: Browser, query: bytes):
    answer = post(browser, b"made_for=" + browser.token.encode() + b"&query=" + query)
    assert is_clean(answer)
    assert answer.status_code in (200, 400)


@pytest.mark.parametrize("charset", ["utf-16", "utf-7", "latin-1", "none-such", '"', "\x00"])
def test_another_encoding_than_the_pages_opens_nothing(browser: Browser, charset: str):
    body = body_of(browser, ("query", "+ADw-b onmouseover+AD4-"))
    answer = post(browser, body, **{"Content-Type": f"{FORM['Content-Type']}; charset={charset}"})
    assert is_clean(answer)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"


def test_a_field_that_is_sent_twice_counts_once(browser: Browser):
    answer = post(browser, body_of(browser, ("query", "gout"), ("query", TAG), ("limit", "25"), ("limit", TAG), ("part", TAG)))
    assert answer.status_code == 200
    assert "steal" not in answer.text
    twice = post(browser, b"made_for=wrong&" + body_of(browser, ("query", "gout")))
    assert twice.status_code == 403  # the first token counts


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (lambda token: b"made_for=" + token + b"&query=" + b"x" * (1 << 20), 413),
        (lambda token: b"made_for=" + token + b"&query=" + b"x" * 5000, 400),
        (lambda token: b"made_for=" + token + b"&query=gout" + b"&kinds=trial" * 400, 400),
        (lambda _: b"", 403),
        (lambda token: b"=&&&==&" + token, 403),
        (lambda token: b"made_for=" + token + b";query=gout", 403),
    ],
    ids=["a megabyte", "a long query", "many fields", "nothing", "no fields", "semicolons"],
)
def test_a_form_that_is_none_is_refused(browser: Browser, body: Any, status: int):
    answer = post(browser, body(browser.token.encode()))
    assert answer.status_code == status
    assert "xxxx" not in answer.text or answer.status_code == 400


@pytest.mark.parametrize(
    "kind", ["multipart/form-data; boundary=x", "text/plain", "application/json", "", "application/x-www-form-urlencoded2"]
)
def test_another_kind_of_form_is_refused(browser: Browser, kind: str):
    answer = post(browser, body_of(browser, ("query", TAG)), **{"Content-Type": kind})
    assert answer.status_code == 400
    assert is_clean(answer)


@pytest.mark.parametrize("field", ["conditions", "kinds", "patients", "loinc_codes", "encounters", "scopes", "nct_ids", "sources"])
@pytest.mark.parametrize("value", ["\0", "\ud800", "\ufffe", "x" * 60_000, "' OR 1=1 --", "%", "*", "\u202e", TAG])
def test_a_filter_over_the_api_holds_anything(served: TestClient, world, field: str, value: str):
    body = json.dumps({"query": "gout", field: [value]}).encode()  # escaped: a client's own half of a character arrives so
    answer = served.post("/search", content=body, headers={**world.header("clinical"), "Content-Type": "application/json"})
    assert answer.status_code in (200, 422)
    if answer.status_code == 200:
        assert answer.json()["hits"] == []


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b'{"query": NaN}', b'{"query": "a", "limit": 1e999}', b'{"query": "a", "limit": 99999999999999999999}', b"\xff",
     b'{"query": "a", "query": "b", "limit": -1}', b"[" * 20_000, b'{"query": {"a": ' * 2000, b'{"query": "a", "dated_from": "9999-99-99"}',
     b'{"query": "a", "dated_from": -1e300}', b'{"query": "a", "threshold": NaN}', b'{"query": "a", "threshold": -1}'],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/search", "/ask", "/feedback"])
def test_a_body_that_is_no_request_is_refused(served: TestClient, world, path: str, body: bytes):
    answer = served.post(path, content=body, headers={**world.header("clinical"), "Content-Type": "application/json"})
    assert answer.status_code in (400, 422)
    assert set(answer.json()) == {"error"}


@pytest.mark.parametrize("query", ['"\\ud800"', '"\\u0000"', '"\\ud83d"', '"a\\udc00b NCT99000001"', '"\\uffff"'])
@pytest.mark.parametrize("path", ["/search", "/ask"])
def test_a_query_with_half_of_a_character_is_answered_or_refused(served: TestClient, world, path: str, query: str):
    body = f'{{"query": {query}}}'.encode()
    answer = served.post(path, content=body, headers={**world.header("clinical"), "Content-Type": "application/json"})
    assert answer.status_code in (200, 422)


@pytest.mark.parametrize("path", ["/documents/", "/figures/", "/citations/", "/c/"])
@pytest.mark.parametrize(
    "tail", ["%00", "%ED%A0%80", "..%2f..%2fetc", "%3Cscript%3E", "a" * 5000, "%2e%2e", "1/%F0%9F%98%80", "-1/-1", "1/" + "9" * 400]
)
def test_an_address_that_names_nothing_is_answered_as_such(served: TestClient, world, path: str, tail: str):
    answer = served.get(path + tail, headers={**world.header("clinical"), **HTML})
    assert answer.status_code in (404, 422)
    assert "<script>" not in answer.text


@pytest.mark.parametrize("value", ["é", "\x00", "a" * 10_000, "Bearer", "Bearer  ", "Basic YTpi", "Bearer clx_\u00e9"])
def test_a_header_that_is_no_key_is_refused(served: TestClient, value: str):
    answer = served.get("/status", headers={"Authorization": value.encode("latin-1")})
    assert answer.status_code in (401, 429)
