"""The client of chat endpoints against a server that answers well and badly."""

from __future__ import annotations

import httpx
import pytest

from pipeline.chat import ATTEMPTS, ChatEndpoint, Reply
from pipeline.testing.chat_server import ChatServer, Says, hangs, says, sends

ASKED = [{"role": "user", "content": "what?"}]


def ask(server: ChatServer, *, waits: list[float] | None = None, whole_seconds: float = 60.0, key: str = "") -> Reply:
    sleep = (waits if waits is not None else []).append
    timeout = httpx.Timeout(0.3)
    with ChatEndpoint(server.url, model="parrot", key=key, timeout=timeout, whole_seconds=whole_seconds, sleep=sleep) as endpoint:
        return endpoint.ask(ASKED, max_tokens=50)


def test_it_sends_model_messages_and_key_and_returns_text_and_tokens():
    with ChatServer(says("an answer")) as server:
        assert ask(server, key="k-1") == Reply("an answer", 100, 20, 120)
    assert (server.paths, server.keys) == (["/v1/chat/completions"], ["Bearer k-1"])
    assert server.bodies == [{"model": "parrot", "messages": ASKED, "max_tokens": 50, "temperature": 0}]


def test_without_a_key_none_is_sent():
    with ChatServer(says("x")) as server:
        ask(server)
    assert server.keys == [None]


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_a_passing_fault_is_asked_again(status: int):
    waits: list[float] = []
    with ChatServer(sends(status=status), sends(status=status), says("at last")) as server:
        assert ask(server, waits=waits).text == "at last"
    assert waits == [1.0, 2.0]


def test_a_server_that_says_when_is_asked_then():
    waits: list[float] = []
    with ChatServer(sends(status=429, Retry_After="7"), says("x")) as server:
        assert ask(server, waits=waits).text == "x"
    assert waits == [7.0]


@pytest.mark.parametrize("said", ["3600", "Wed, 21 Oct 2099 07:28:00 GMT", "-1", "soon"])
def test_nobody_waits_for_an_hour_or_for_what_cannot_be_read(said: str):
    waits: list[float] = []
    with ChatServer(sends(status=429, Retry_After=said)) as server:
        assert ask(server, waits=waits).failure == "busy"
    assert waits == ([] if said == "3600" else [1.0, 2.0])


@pytest.mark.parametrize(
    ("answer", "failure", "requests"),
    [
        (sends(status=500), "unreachable", ATTEMPTS),
        (hangs(), "unreachable", ATTEMPTS),
        (sends(status=400), "refused", 1),
        (sends(status=401), "refused", 1),
        (sends(status=302, Location="http://127.0.0.1:9/"), "refused", 1),
        (sends(b"<html>"), "not_the_protocol", 1),
        (sends(b"{}"), "not_the_protocol", 1),
        (sends(b'{"choices": []}'), "not_the_protocol", 1),
        (sends(b'{"choices": [{"message": "x"}]}'), "not_the_protocol", 1),
        (sends(b"[" * 100_000), "not_the_protocol", 1),
        (sends(b" " * 1_100_000), "too_long", 1),
    ],
)
def test_what_went_wrong_has_a_class_and_no_text(answer: Says, failure: str, requests: int):
    with ChatServer(answer) as server:
        reply = ask(server)
    assert (reply.failure, reply.text, len(server.bodies)) == (failure, "", requests)


def test_all_attempts_together_end_in_time():
    with ChatServer(hangs()) as server:
        assert ask(server, whole_seconds=0.4).failure == "unreachable"
    assert len(server.bodies) == 1


@pytest.mark.parametrize("usage", [{}, "many", {"total_tokens": -1}, {"total_tokens": "7"}, {"prompt_tokens": None}])
def test_tokens_that_the_server_did_not_count_are_zero(usage: object):
    with ChatServer(says("x", usage=usage)) as server:
        reply = ask(server)
    assert (reply.total_tokens, reply.failure) in ((0, None), (0, "not_the_protocol"))


@pytest.mark.parametrize("content", [None, 5, ["x"]])
def test_content_that_is_no_text_is_empty(content: object):
    with ChatServer(says(content)) as server:
        assert ask(server).text == ""


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/v1", "not a url", "http://[::bad"])
def test_nobody_there(url: str):
    with ChatEndpoint(url, model="x", timeout=httpx.Timeout(0.3), whole_seconds=5, sleep=lambda _: None) as endpoint:
        assert endpoint.ask(ASKED, max_tokens=5).failure == "unreachable"
