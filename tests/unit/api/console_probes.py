"""The console and its addresses for programs: operators alone, whatever is sent."""

from __future__ import annotations

from collections.abc import Callable

from tests.unit.api.probes import Asker

ID = "0" * 32


def _refused(asker: Asker, method: str, path: str, **sent: object) -> None:
    answer = asker.client.request(method, path, headers=asker.world.header(asker.name), **sent)  # type: ignore[arg-type]
    if asker.name == "operator":
        assert answer.status_code not in (401, 500)
    else:
        assert (answer.status_code, answer.json()["error"]["type"]) == (403, "ForbiddenError")
    assert asker.client.request(method, path, **sent).status_code == 401  # type: ignore[arg-type]


def of(method: str, path: str, **sent: object) -> Callable[[Asker], None]:
    """Return a probe of one address."""
    return lambda asker: _refused(asker, method, path, **sent)


DECISION = {"finding_id": ID, "subject": ID, "action": "accept", "reason": "outdated"}
FORM = {**DECISION, "made_for": "nothing"}

ROWS: dict[str, Callable[[Asker], None]] = {
    "GET /review/findings": of("GET", "/review/findings"),
    "GET /review/decisions": of("GET", "/review/decisions"),
    "POST /review/decisions": of("POST", "/review/decisions", json=DECISION),
    "POST /review/decisions/{decision_id}/withdraw": of("POST", f"/review/decisions/{ID}/withdraw"),
    "GET /console": of("GET", "/console"),
    "GET /console/finding": of("GET", f"/console/finding?id={ID}&subject={ID}"),
    "POST /console/decide": of("POST", "/console/decide", data=FORM),
    "POST /console/withdraw": of("POST", "/console/withdraw", data=FORM),
}
