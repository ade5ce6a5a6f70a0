"""Keys that open nothing: a few a minute an address are answered 401, then 429; valid keys go on, and no key is logged."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator

import pytest
from fakeredis import TcpFakeServer
from fastapi import FastAPI
from fastapi.testclient import TestClient

from pipeline.api.app import create_app
from pipeline.index.edge_store import shared_store
from pipeline.jobs.api_keys import create_key
from pipeline.search.access import Role
from pipeline.settings import Settings
from pipeline.wiring import open_services
from tests.unit.api.page.browser import Browser, words_of

MOST = 3
WRONG = "clx_00000000_" + "w" * 43


@pytest.fixture(params=["in the process", "in Redis"])
def settings(request: pytest.FixtureRequest, home: Settings) -> Iterator[Settings]:
    server = TcpFakeServer(("127.0.0.1", 0))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"redis://127.0.0.1:{server.server_address[1]}/0" if request.param == "in Redis" else None
    yield Settings(**{**home.model_dump(exclude_none=True), "failed_keys_per_minute": MOST, "redis_url": url})
    server.shutdown()
    server.server_close()


@pytest.fixture
def keys(settings: Settings) -> dict[str, str]:
    with open_services(settings) as services:
        return {role.value: create_key(services, name="t", role=role).key for role in (Role.PUBLIC, Role.OPERATOR)}


@pytest.fixture
def app(settings: Settings, keys: dict[str, str]) -> Iterator[FastAPI]:
    made = create_app(settings)
    with TestClient(made, base_url="http://localhost"):
        yield made
    shared_store(settings.index_folder, settings.collection).stop_lingering()


def at(app: FastAPI, address: str) -> TestClient:
    """A client of this address."""
    return TestClient(app, base_url="http://localhost", client=(address, 1))


def asked(client: TestClient, key: str | None) -> int:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return client.post("/search", json={"query": "pregnancy"}, headers=headers).status_code


def test_keys_that_open_nothing_are_answered_401_a_few_times_a_minute_and_then_429(app: FastAPI, keys: dict[str, str]):
    client = at(app, "192.0.2.1")
    assert [asked(client, f"{WRONG[:-1]}{number}") for number in range(6)] == [401] * MOST + [429] * 3
    answer = client.get("/status", headers={"X-API-Key": "no key at all"})
    assert (answer.status_code, answer.json()["error"]["type"]) == (429, "TooManyRequestsError")
    assert 0 < int(answer.headers["retry-after"]) <= 60
    assert asked(at(app, "192.0.2.2"), WRONG) == 401
    assert asked(client, None) == 401  # without any key nothing was tried
    assert asked(client, keys["public"]) == 200


def test_addresses_of_one_ipv6_network_are_one_address(app: FastAPI):
    assert [asked(at(app, f"2001:db8:0:1::{number}"), WRONG) for number in range(1, 6)] == [401] * MOST + [429] * 2
    assert asked(at(app, "2001:db8:0:2::1"), WRONG) == 401


def test_the_sign_in_counts_with_all_other_addresses_of_the_service(app: FastAPI, keys: dict[str, str]):
    browser = Browser(at(app, "192.0.2.3"))
    assert [browser.sign_in(f"{WRONG[:-1]}{number}").status_code for number in range(MOST)] == [401] * MOST
    answer = browser.sign_in(WRONG)
    assert answer.status_code == 429
    assert "Too many requests" in words_of(answer.text)
    assert asked(at(app, "192.0.2.3"), WRONG) == 429
    assert browser.sign_in(keys["public"]).status_code == 200


def test_they_are_counted_and_no_key_is_logged(
    app: FastAPI, keys: dict[str, str], caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
):
    caplog.set_level(logging.DEBUG)
    client = at(app, "192.0.2.4")
    for _ in range(MOST + 2):
        asked(client, WRONG)
    page = client.get("/metrics", headers={"X-API-Key": keys["operator"]}).text
    assert f'clindex_refused_keys_total{{code="401"}} {MOST}.0' in page
    assert 'clindex_refused_keys_total{code="429"} 2.0' in page
    assert WRONG[4:] not in caplog.text + "".join(capfd.readouterr()) + page


def test_150_tries_are_limited_by_default(home: Settings):
    with open_services(home) as services:
        create_key(services, name="t", role=Role.PUBLIC)
    with TestClient(create_app(home), base_url="http://localhost") as client:
        answers = [asked(client, WRONG) for _ in range(150)]
    assert answers[: home.failed_keys_per_minute] == [401] * home.failed_keys_per_minute
    assert answers.count(429) > 100
