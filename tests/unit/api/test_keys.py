"""Keys: shown once, never stored, of no use once revoked or expired; and what is open without one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient

from pipeline.api.app import create_app
from pipeline.api.opening import check_host
from pipeline.domain.errors import GuardRefusedError, UsageError
from pipeline.jobs.api_keys import create_key, list_keys, revoke_key
from pipeline.search.access import Role, principal_of
from pipeline.settings import Settings
from pipeline.wiring import Services

NOW = datetime(2031, 5, 17, tzinfo=UTC)


def opens(services: Services, key: str, now: datetime = NOW) -> bool:
    with services.db.read() as tx:
        return principal_of(tx, key, now, secret=services.secret) is not None


def test_a_key_opens_until_it_expires_or_is_revoked(services: Services):
    short = create_key(services, name="short", role=Role.PUBLIC, days=2, now=NOW)
    assert [opens(services, short.key, NOW + timedelta(days=days)) for days in (0, 1, 2)] == [True, True, False]
    revoked = create_key(services, name="revoked", role=Role.OPERATOR, now=NOW)
    assert opens(services, revoked.key)
    assert not revoke_key(services, revoked.entry.key_id, now=NOW).valid
    assert not opens(services, revoked.key)


@pytest.mark.parametrize(
    "change",
    [
        lambda key: key[:-1] + ("A" if key[-1] != "A" else "B"),
        lambda key: key[:-1],
        lambda key: key + "A",
        lambda key: "x" + key,
        lambda _: "",
    ],
)
def test_what_differs_by_a_letter_opens_nothing(services: Services, change: Callable[[str], str]):
    key = create_key(services, name="k", role=Role.OPERATOR, now=NOW).key
    assert opens(services, key)
    assert not opens(services, change(key))


def test_a_key_of_another_site_opens_nothing(services: Services):
    key = create_key(services, name="k", role=Role.OPERATOR, now=NOW).key
    with services.db.read() as tx:
        assert principal_of(tx, key, NOW, secret=b"another site's secret") is None


def test_a_key_is_neither_listed_nor_stored(services: Services):
    made = create_key(services, name="k", role=Role.PUBLIC)
    secret = made.key.rsplit("_", 1)[1]
    assert secret not in list_keys(services).model_dump_json()
    assert secret not in repr(made)
    assert all(secret.encode() not in path.read_bytes() for path in services.settings.home.glob("truth.sqlite*"))


@pytest.mark.parametrize(
    "wrong",
    [
        {"role": Role.CLINICAL},
        {"role": Role.PUBLIC, "labels": ["internal"]},
        {"role": Role.OPERATOR, "patients": ["0" * 32]},
        {"role": Role.CLINICAL, "labels": ["no such label"]},
        {"role": Role.CLINICAL, "departments": ["no such department"]},
        {"role": Role.PUBLIC, "name": " "},
    ],
)
def test_a_key_that_says_too_little_or_too_much_is_not_made(services: Services, wrong: dict[str, Any]):
    with pytest.raises(UsageError):
        create_key(services, **{"name": "k", **wrong})
    assert list_keys(services).keys == []


@contextmanager
def served(settings: Settings, **options: str) -> Iterator[TestClient]:
    with TestClient(create_app(settings.model_copy(update=options)), base_url="http://localhost") as client:
        yield client


def codes(client: TestClient, **options: Any) -> list[int]:
    return [client.post("/search", json={"query": "pregnancy"}, **options).status_code, client.get("/status", **options).status_code]


def test_without_any_key_this_machine_may_search_what_is_open_until_the_first_key_is_made(home: Settings, services: Services):
    with served(home) as client:
        assert codes(client) == [200, 403]
        assert codes(client, headers={"Host": "attacker.example"}) == [401, 401]
        made = create_key(services, name="k", role=Role.OPERATOR)
        assert codes(client) == [401, 401]
        for header in ({"Authorization": f"Bearer {made.key}"}, {"X-API-Key": made.key}, {"Cookie": f"clindex_key={made.key}"}):
            assert codes(client, headers=header) == [200, 200]
        revoke_key(services, made.entry.key_id)
        assert codes(client, headers={"X-API-Key": made.key}) == [401, 401]
        assert codes(client) == [401, 401]  # nor does it open again what was open before


def test_a_site_may_open_what_is_open_and_an_operator_his_own_machine(home: Settings, services: Services):
    create_key(services, name="k", role=Role.OPERATOR)
    with served(home, open_access="public") as client:
        assert codes(client, headers={"Host": "search.example"}) == [200, 403]
    with served(home, open_access="operator") as client:
        assert codes(client) == [200, 200]
        assert codes(client, headers={"Host": "attacker.example"}) == [401, 401]


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "search.example"])
def test_no_address_beyond_this_machine_is_served_before_there_is_a_key(services: Services, host: str):
    with pytest.raises(GuardRefusedError):
        check_host(services, host)
    create_key(services, name="k", role=Role.PUBLIC)
    check_host(services, host)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
def test_this_machine_is_served_without_a_key(services: Services, host: str):
    check_host(services, host)
