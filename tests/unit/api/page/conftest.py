from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from tests.unit.api.page.browser import Browser


@pytest.fixture
def browser(served: TestClient) -> Browser:
    """Nobody is signed in."""
    return Browser(TestClient(served.app, base_url="http://localhost", raise_server_exceptions=False))
