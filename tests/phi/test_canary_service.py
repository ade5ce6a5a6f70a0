"""What readers type, and their keys, stay out of everything that the service writes: logs, the log of searches, metrics, errors, files."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from pipeline.jobs.api_keys import create_key
from pipeline.search.access import Role
from pipeline.settings import Settings
from pipeline.testing.homes import copy_home
from pipeline.wiring import open_services

CANARY = "Quartermain-Oddfellow"
MRN = "MRN 7734-0912-55"
QUERY = f"metformin for {CANARY}, {MRN}, with renal impairment"

LOUD = """
import sys
import pipeline.api.recording as recording
recording.keyed_hash = lambda secret, purpose, value: value
from pipeline.cli.main import main
main()
"""


@contextmanager
def served(settings: Settings, out: Path, *, loud: bool) -> Iterator[httpx.Client]:
    """``clindex serve --verbose`` in a process of its own; what it prints goes to a file."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {**os.environ, "CLINDEX_HOME": str(settings.home), "CLINDEX_MODELS_PATH": str(settings.models_folder)}
    start = ["-c", LOUD] if loud else ["-m", "pipeline.cli.main"]
    with out.open("wb") as printed:
        server = subprocess.Popen(
            [sys.executable, *start, "serve", "--verbose", "--port", str(port)], env=environment, stdout=printed, stderr=printed
        )
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
                _wait(client, server)
                yield client
        finally:
            server.terminate()
            server.wait(30)


def _wait(client: httpx.Client, server: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        assert server.poll() is None
        with suppress(httpx.HTTPError):
            if client.get("/health").is_success:
                return
        time.sleep(0.1)
    raise AssertionError("the server does not answer")


def use(client: httpx.Client, key: str) -> tuple[list[int], str]:
    """Ask in every way, well and badly; returns codes, and what errors and metrics say."""
    header = {"Authorization": f"Bearer {key}"}
    calls: list[tuple[str, str, dict[str, Any]]] = [
        ("POST", "/search", {"json": {"query": QUERY, "conditions": [CANARY], "kinds": [MRN]}}),
        ("POST", "/search", {"json": {"query": QUERY}}),
        ("POST", "/ask", {"json": {"query": QUERY}}),
        ("POST", "/search", {"json": {"query": QUERY, "sections": [CANARY]}}),
        ("POST", "/search", {"json": {CANARY: MRN}}),
        ("POST", "/search", {"content": QUERY.encode()}),
        ("POST", "/feedback", {"json": {"search_id": CANARY, "event": MRN}}),
        ("GET", f"/documents/{CANARY}", {}),
        ("GET", f"/citations/{CANARY}", {}),
        ("GET", f"/figures/{CANARY}/{CANARY}", {}),
        ("GET", f"/{CANARY}?q={CANARY}", {}),
        ("DELETE", f"/search?q={CANARY}", {}),
    ]
    answers = [client.request(method, path, headers=header, **options) for method, path, options in calls]
    wrong = client.post("/search", json={"query": QUERY}, headers={"X-API-Key": f"{key}{CANARY}"})
    said = [answer.text for answer in answers if answer.status_code >= 400]
    return [answer.status_code for answer in [*answers, wrong]], "".join([*said, wrong.text, client.get("/metrics", headers=header).text])


@pytest.fixture(params=[False, True], ids=["as it is", "with the keyed hash switched off"])
def traces(request: pytest.FixtureRequest, sample_home: Path, models: Path, tmp_path: Path) -> tuple[bool, bytes, str]:
    """Whether the guard is off; everything that was written; and the key."""
    copy_home(sample_home, tmp_path / "home")
    settings = Settings(home=tmp_path / "home", models_path=models)
    with open_services(settings) as services:
        key = create_key(services, name="canary", role=Role.OPERATOR).key
    with served(settings, tmp_path / "printed", loud=request.param) as client:
        codes, said = use(client, key)
    assert codes == [200, 200, 200, 422, 422, 422, 422, 404, 404, 422, 404, 405, 401]
    written = [path.read_bytes() for path in (tmp_path / "home").rglob("*") if path.is_file() and path.stat().st_size < 50_000_000]
    return request.param, b"".join([*written, (tmp_path / "printed").read_bytes(), said.encode()]), key


def test_nothing_of_a_query_or_a_key_is_left_anywhere(traces: tuple[bool, bytes, str]):
    guard_is_off, left, key = traces
    found = [word for word in (CANARY, MRN, "7734-0912", key, key.rsplit("_", 1)[1]) if word.encode() in left]
    assert bool(found) == guard_is_off, found
