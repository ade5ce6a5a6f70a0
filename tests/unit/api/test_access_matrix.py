"""Every route, with a key of each role and each kind of limit: nothing hidden is returned, counted or hinted at.

The rows are checked against the application's own routes: a new route without a row fails.
"""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from tests.unit.api import console_probes, probes
from tests.unit.api.probes import Asker, Probe

ROWS: dict[str, Probe] = {
    "POST /search": probes.search,
    "POST /ask": probes.ask,
    "GET /documents/{document_id}": probes.document,
    "GET /figures/{document_id}/{position}": probes.figure,
    "GET /citations/{token}": probes.citation,
    "POST /feedback": probes.feedback,
    "GET /status": probes.for_operators("/status"),
    "GET /report": probes.for_operators("/report"),
    "GET /metrics": probes.for_operators("/metrics"),
    "GET /health": probes.the_same_for_all("/health"),
    "GET /openapi.json": probes.the_same_for_all("/openapi.json"),
    "GET /docs": probes.the_same_for_all("/docs"),
    "GET /docs/oauth2-redirect": probes.the_same_for_all("/docs/oauth2-redirect"),
    "GET /redoc": probes.the_same_for_all("/redoc"),
    "GET /assets/{name}": probes.the_same_for_all("/assets/page.css"),
    "GET /": probes.page_form,
    "POST /": probes.page_search,
    "GET /c/{token}": probes.citation_page,
    "POST /said": probes.page_feedback,
    "GET /sign-in": probes.sign_in,
    "POST /sign-in": probes.sign_in,
    "POST /sign-out": probes.sign_out,
    **console_probes.ROWS,
}
KEYS = ("public", "clinical", "label", "department", "patient", "operator")


def test_every_route_has_a_row(served: TestClient):
    routes = {
        f"{method} {route.path}"  # type: ignore[attr-defined]
        for route in served.app.routes  # type: ignore[attr-defined]
        for method in getattr(route, "methods", None) or ["MOUNT"]
        if method != "HEAD"
    }
    assert routes == set(ROWS)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("row", ROWS)
def test_nothing_hidden_is_returned_counted_or_hinted_at(served: TestClient, world, row: str, key: str):
    asker = Asker(world, served, key)
    assert bool(asker.hidden) == (key != "operator")
    ROWS[row](asker)
