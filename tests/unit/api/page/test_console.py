"""The review console: operators see findings by id, decide by a form, and what they send is checked and kept."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from pipeline.api.app import create_app
from pipeline.index.edge_store import shared_store
from pipeline.jobs.api_keys import create_key
from pipeline.jobs.ingest import ingest
from pipeline.jobs.review.decide import list_decisions
from pipeline.search.access import Role
from pipeline.settings import Settings
from pipeline.stages.sources.documents import DocumentFiles
from pipeline.wiring import open_services
from tests.unit.api.page.browser import Browser, words_of

KIND = "unparsed_criteria"
LINK = re.compile(r'href="(/console/finding\?id=([0-9a-f]{32})&amp;subject=([0-9a-f-]+))"')


@pytest.fixture
def desk(home: Settings, tmp_path: Path) -> Iterator[tuple[TestClient, dict[str, str], Settings]]:
    """A copy of the sample home with a note of unknown kind, served, and a key of each role."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "one.txt").write_text("The lungs are clear.", encoding="utf-8")
    with open_services(home) as services:
        ingest(services, DocumentFiles([str(tmp_path / "notes")], home, secret=services.secret, kind="unknown", access=None))
        limits = {"labels": ["internal"], "departments": [], "patients": []}
        keys = {role.value: create_key(services, name="t", role=role, **(limits if role is Role.CLINICAL else {})).key for role in Role}
    with TestClient(create_app(home), base_url="http://localhost", raise_server_exceptions=False) as client:
        yield client, keys, home
    shared_store(home.index_folder, home.collection).stop_lingering()


@pytest.fixture
def operator(desk: tuple[TestClient, dict[str, str], Settings]) -> Browser:
    """An operator's browser."""
    browser = Browser(desk[0])
    browser.sign_in(desk[1]["operator"])
    return browser


def first(browser: Browser, kind: str = KIND) -> tuple[str, str, str]:
    """Address, finding and subject of the first of a kind."""
    found = LINK.search(browser.open(f"/console?kind={kind}").text)
    assert found
    return found[1].replace("&amp;", "&"), found[2], found[3]


def kept(settings: Settings) -> list[tuple[str, str, str]]:
    with open_services(settings) as services:
        return [(one.action.value, one.subject, one.decided_by) for one in list_decisions(services, active_only=True).decisions]


def test_only_operators_are_shown_the_console_and_the_link_to_it(desk: tuple[TestClient, dict[str, str], Settings]):
    client, keys, _ = desk
    for role, code in (("public", 403), ("clinical", 403), ("operator", 200)):
        browser = Browser(client)
        browser.client.cookies.clear()
        browser.sign_in(keys[role])
        assert browser.open("/console").status_code == code
        assert ('href="/console"' in browser.open("/").text) == (role == "operator")
    client.cookies.clear()
    assert Browser(client).open("/console").status_code == 401


def test_pages_of_findings_follow_each_other_and_hold_no_text(operator: Browser):
    seen: list[str] = []
    address: str | None = f"/console?kind={KIND}"
    while address:
        page = operator.open(address).text
        seen += [one[1] for one in LINK.findall(page)]
        following = re.search(r'class="next" href="([^"]+)"', page)
        address = following[1].replace("&amp;", "&") if following else None
    counted = re.search(r"Unparsed criteria <span class=\"count\">(\d+)</span>", page)
    assert counted
    assert len(seen) == len(set(seen)) == int(counted[1])


def test_a_decision_is_kept_with_the_key_and_the_finding_leaves_the_open_ones(
    operator: Browser, desk: tuple[TestClient, dict[str, str], Settings]
):
    address, finding, subject = first(operator)
    operator.open(address)
    page = operator.submit(
        "/console/decide", finding_id=finding, subject=subject, action="accept", reason="source_says_so", note="as the source has it"
    )
    assert page.status_code == 200  # followed to the list
    assert finding not in page.text
    assert finding in operator.open(f"/console?kind={KIND}&status=decided").text
    ((action, about, who),) = kept(desk[2])
    assert (action, about) == ("accept", subject)
    assert who == f"key {desk[1]['operator'].split('_')[1]}"
    assert "as the source has it" in words_of(operator.open(address).text)
    operator.submit("/console/withdraw", finding_id=finding, subject=subject)
    assert kept(desk[2]) == []
    assert finding in operator.open(f"/console?kind={KIND}").text


def test_a_note_that_names_somebody_comes_back_with_why_and_nothing_is_kept(
    operator: Browser, desk: tuple[TestClient, dict[str, str], Settings]
):
    _, finding, subject = first(operator)
    page = operator.submit(
        "/console/decide", finding_id=finding, subject=subject, action="accept", reason="other", note="call 555-867-5309"
    )
    assert page.status_code == 400
    assert 'role="alert"' in page.text
    assert kept(desk[2]) == []


@pytest.mark.parametrize(
    "fields", [{}, {"action": "accept"}, {"action": "burn", "reason": "other"}, {"action": "fix", "reason": "wrong_kind"}]
)
def test_a_form_that_says_too_little_is_shown_again(operator: Browser, fields: dict[str, str]):
    _, finding, subject = first(operator)
    assert operator.submit("/console/decide", finding_id=finding, subject=subject, **fields).status_code == 400


def test_a_form_that_this_page_did_not_make_is_refused(operator: Browser, desk: tuple[TestClient, dict[str, str], Settings]):
    _, finding, subject = first(operator)
    sent = {"finding_id": finding, "subject": subject, "action": "accept", "reason": "outdated", "made_for": "guessed"}
    assert desk[0].post("/console/decide", data=sent).status_code == 403
    assert kept(desk[2]) == []


def test_a_form_offers_only_what_its_document_can_have(operator: Browser):
    trial = operator.open(first(operator)[0]).text
    addresses = [one[0].replace("&amp;", "&") for one in LINK.findall(operator.open("/console?kind=unknown_value").text)]
    note = next(page for one in addresses if "kind_unknown" in (page := operator.open(one).text))
    assert ('id="title"' in trial, 'id="kind"' in trial) == (True, False)
    assert ('id="title"' in note, 'id="kind"' in note) == (False, True)


@pytest.mark.parametrize(
    "address", ["/console?kind=poems", "/console?after=x", "/console?after=quality:1:-", "/console/finding?id=0&subject=0"]
)
def test_addresses_that_mean_nothing_are_no_fault_of_the_server(operator: Browser, address: str):
    assert operator.open(address).status_code in (400, 404, 422)


def test_programs_list_decide_and_withdraw(desk: tuple[TestClient, dict[str, str], Settings]):
    client, keys, settings = desk
    client.cookies.clear()
    header = {"Authorization": f"Bearer {keys['operator']}"}
    found = client.get("/review/findings", params={"kind": KIND, "limit": 1}, headers=header).json()["findings"][0]
    said = {"finding_id": found["finding_id"], "subject": found["subject"], "action": "accept", "reason": "known_limitation"}
    made = client.post("/review/decisions", json=said, headers=header)
    assert made.status_code == 201
    assert [one["decision_id"] for one in client.get("/review/decisions", headers=header).json()["decisions"]] == [
        made.json()["decision_id"]
    ]
    assert client.post("/review/decisions", json={**said, "note": "MRN 48291733"}, headers=header).status_code == 409
    assert client.post("/review/decisions", json={**said, "reason": "mood"}, headers=header).status_code == 422
    assert client.post(f"/review/decisions/{made.json()['decision_id']}/withdraw", headers=header).status_code == 200
    assert kept(settings) == []
