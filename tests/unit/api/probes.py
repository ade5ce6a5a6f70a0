"""One probe a route: asks it, with one key, for everything of every kind, and compares what is hidden with what was never there.

Every probe lets the operator's key ask first, so that whatever is remembered is there to be leaked, and asks twice itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from uuid import uuid4

import httpx
from fastapi.testclient import TestClient

from pipeline.domain.documents import Facets
from tests.unit.api.page.browser import Browser

OPEN_KINDS = ("trial", "protocol", "statistical_analysis_plan", "guideline", "ems_protocol", "paper")
QUERY = "chest pain with raised troponin and potassium"
NOWHERE = "7f7f7f7f"
LIMITED = {
    "clinical": lambda facets, _: (facets.access, facets.department) == ("internal", "cardiology"),
    "label": lambda facets, _: facets.access == "internal",
    "department": lambda facets, _: facets.department == "cardiology",
    "patient": lambda facets, patient: facets.patient == patient,
}
#: Filter of a search: what it looks at of a document. ICD-10 is not among them: passages that only mention a code are found by it, too.
FACETS = {
    "access": "access",
    "departments": "department",
    "patients": "patient",
    "encounters": "encounter",
    "loinc_codes": "loinc_codes",
    "snomed_codes": "snomed_codes",
    "rxnorm_codes": "rxnorm_codes",
    "resource_status": "resource_status",
}


@dataclass
class Asker:
    """A key of the world, and what it may see: said again here, in other words than the code's."""

    world: Any
    client: TestClient
    name: str

    def may_see(self, kind: str, facets: Facets) -> bool:
        if self.name == "operator" or (kind in OPEN_KINDS and facets.access in (None, "public")):
            return True
        return self.name in LIMITED and LIMITED[self.name](facets, self.world.patient)

    @cached_property
    def visible(self) -> set[str]:
        return {document for document, about in self.world.documents.items() if self.may_see(*about)}

    @cached_property
    def hidden(self) -> list[str]:
        return self._of_each(set(self.world.documents) - self.visible)

    @cached_property
    def shown(self) -> list[str]:
        return self._of_each(self.visible)

    def _of_each(self, documents: set[str]) -> list[str]:
        """One document of each kind, label and department."""
        of_each: dict[Any, str] = {}
        for one in sorted(documents):
            kind, facets = self.world.documents[one]
            of_each.setdefault((kind, facets.access, facets.department), one)
        return list(of_each.values())

    def ask(self, method: str, path: str, **sent: Any) -> httpx.Response:
        """Ask as the operator does, then twice with the key."""
        self.client.request(method, path, **sent, headers=self.world.header("operator"))
        first, second = (self.client.request(method, path, **sent, headers=self.world.header(self.name)) for _ in range(2))
        assert said(first) == said(second)
        return second

    def filters(self) -> Iterator[tuple[str, str, set[str]]]:
        """Every value that any document has of a filter, and which documents have it."""
        having: dict[tuple[str, str], set[str]] = {}
        for document, (kind, facets) in self.world.documents.items():
            having.setdefault(("kinds", kind), set()).add(document)
            for name, facet in FACETS.items():
                held = getattr(facets, facet)
                for value in (held,) if isinstance(held, str) else held or ():
                    having.setdefault((name, value), set()).add(document)
        yield from ((name, value, documents) for (name, value), documents in sorted(having.items()))


Probe = Callable[[Asker], None]


def said(answer: httpx.Response) -> tuple[int, Any]:
    """What an answer says, without the moment it was given."""
    if answer.headers.get("content-type") != "application/json":
        return answer.status_code, answer.content
    body = answer.json()
    return answer.status_code, {name: value for name, value in body.items() if name not in ("seconds", "search_id", "checked_at")}


def search(asker: Asker) -> None:
    nowhere: dict[str, Any] = {}
    for name, value, having in asker.filters():
        wanted = {"query": QUERY, "limit": 1000, "mode": "fused"}
        answer = asker.ask("POST", "/search", json={**wanted, name: [value]})
        assert {hit["document_id"] for hit in answer.json()["hits"]} == having & asker.visible, (name, value)
        if asker.name != "operator":
            assert set(answer.json()["dropped"].values()) == {0}
        if not having & asker.visible:
            if name not in nowhere:
                nowhere[name] = said(asker.ask("POST", "/search", json={**wanted, name: [NOWHERE]}))
            assert said(answer) == nowhere[name], (name, value)
    _words_of_hidden_documents(asker)
    _dates(asker)


#: Turns an id into another one of the same shape: what a query is read as depends on where its digits are.
_OTHER = str.maketrans("0123456789abcdef", "1234567890bcdefa")


def _words_of_hidden_documents(asker: Asker) -> None:
    """A query that names something hidden is answered as one that names something that is not there."""
    codes = [
        (name, value) for name, value, having in asker.filters() if name in ("loinc_codes", "snomed_codes") and not having & asker.visible
    ]
    for words, other in [(f"{name.partition('_')[0]} {value}", f"{name.partition('_')[0]} 11111-1") for name, value in codes[:4]] + [
        (f"document {document}", f"document {document.translate(_OTHER)}") for document in asker.hidden[:4]
    ]:
        here, nowhere = (asker.ask("POST", "/search", json={"query": one, "limit": 5}).json() for one in (words, other))
        assert not {hit["document_id"] for hit in here["hits"]} - asker.visible
        assert [here[name] for name in ("route", "refused", "dropped")] == [nowhere[name] for name in ("route", "refused", "dropped")]
        assert here["reading"]["known"] == []
        assert len(here["reading"]["absent"]) == len(nowhere["reading"]["absent"])
    if not any(asker.world.documents[document][0] == "fhir_resource" for document in asker.visible):
        read = asker.ask("POST", "/search", json={"query": "sample not hemolized"}).json()["reading"]  # a word of resources alone
        assert "hemolyzed" not in str(read)


def _dates(asker: Asker) -> None:
    for first, last in (("2031-01-01", "2031-12-31"), ("1900-01-01", "2199-12-31")):
        wanted = {"query": QUERY, "limit": 1000, "mode": "fused", "dated_from": first, "dated_to": last}
        found = asker.ask("POST", "/search", json=wanted).json()
        assert {hit["document_id"] for hit in found["hits"]} <= asker.visible


def ask(asker: Asker) -> None:
    wanted = {"query": "Which dose of aspirin was given?", "limit": 20}
    for name, value, having in asker.filters():
        if name not in ("kinds", "access", "departments", "patients"):
            continue
        answer = asker.ask("POST", "/ask", json={**wanted, name: [value]})
        body = answer.json()
        cited = {cite["document_id"] for cite in body["passages"]}
        cited |= {cite["document_id"] for statement in body["statements"] for cite in statement["cites"]}
        assert cited <= having & asker.visible
        if not having & asker.visible:
            assert said(answer) == said(asker.ask("POST", "/ask", json={**wanted, name: [NOWHERE]}))


def document(asker: Asker) -> None:
    nothing = asker.ask("GET", f"/documents/{uuid4()}")
    assert nothing.status_code == 404
    for one in asker.hidden:
        answer = asker.ask("GET", f"/documents/{one}")
        assert said(answer) == said(nothing)
        assert set(answer.headers) == set(nothing.headers)
    for one in asker.shown:
        assert asker.ask("GET", f"/documents/{one}").json()["document_id"] == one


def figure(asker: Asker) -> None:
    nothing = asker.ask("GET", f"/figures/{uuid4()}/1")
    assert nothing.status_code == 404
    for one in asker.hidden:
        assert said(asker.ask("GET", f"/figures/{one}/1")) == said(nothing)
    for one in asker.shown:
        shown = asker.world.documents[one][0] in OPEN_KINDS[1:]  # a trial has no pictures
        assert asker.ask("GET", f"/figures/{one}/1").status_code == (200 if shown else 404)
        assert asker.ask("GET", f"/figures/{one}/2").status_code == 404


def citation(asker: Asker) -> None:
    tokens = asker.world.tokens(asker.client)
    for one, token in ((one, tokens[one]) for one in (*asker.hidden, *asker.shown)):
        body = asker.ask("GET", f"/citations/{token}").json()
        if one in asker.visible:
            assert body["status"] == "same"
        else:
            assert (body["status"], body["removed"]) == ("removed", "document")
            assert {body[name] for name in ("title", "text", "old_text", "kind", "source", "citation", "live_version", "figure")} == {None}
    assert asker.ask("GET", "/citations/c1.none").status_code == 404


def citation_page(asker: Asker) -> None:
    tokens = asker.world.tokens(asker.client)
    for one, token in ((one, tokens[one]) for one in (*asker.hidden, *asker.shown)):
        page = asker.client.get(f"/c/{token}", headers={**asker.world.header(asker.name), "Accept": "text/html"}).text
        assert ("The document is no longer available here." in page) == (one not in asker.visible)
        assert ("<h2>" in page) == (one in asker.visible)  # its title


def feedback(asker: Asker) -> None:
    header = asker.world.header(asker.name)
    theirs = asker.client.post("/search", json={"query": QUERY, "limit": 1000, "mode": "fused"}, headers=asker.world.header("operator"))
    mine = asker.client.post("/search", json={"query": QUERY, "limit": 5}, headers=header).json()["search_id"]
    nothing = asker.client.post("/feedback", json={"search_id": str(uuid4()), "event": "opened"}, headers=header)
    assert nothing.status_code == 404
    own = asker.client.post("/feedback", json={"search_id": mine, "event": "opened"}, headers=header)
    assert own.status_code == 201
    for event in ("opened", "exported"):
        for one in (None, *asker.hidden[:20]):
            body = {"search_id": theirs.json()["search_id"], "event": event, "document_id": one}
            if asker.name != "operator":
                assert said(asker.client.post("/feedback", json=body, headers=header)) == said(nothing)
            if one:
                assert said(asker.client.post("/feedback", json={**body, "search_id": mine}, headers=header)) == said(nothing)


def for_operators(path: str) -> Probe:
    def probe(asker: Asker) -> None:
        answer = asker.client.get(path, headers=asker.world.header(asker.name))
        if asker.name == "operator":
            assert answer.status_code in (200, 400)  # 400: no report was written yet
        else:
            assert (answer.status_code, answer.json()["error"]["type"]) == (403, "ForbiddenError")
        assert asker.client.get(path).status_code == 401

    return probe


def the_same_for_all(path: str) -> Probe:
    """Answered to everybody, key or none, with the same bytes."""

    def probe(asker: Asker) -> None:
        mine, nobodys = asker.ask("GET", path), asker.client.get(path)
        assert said(mine) == said(nobodys)
        assert mine.status_code == 200
        assert not any(one in mine.text for one in asker.world.documents)
        assert not any(word in mine.text for word in ("restricted", "oncology"))

    return probe


_MOMENT = re.compile(r'name="(?:made_for|search_id)" value="[^"]*"|\d+\.\d+ s\b')
#: Field of the page's form: filter of a search.
_FIELDS = {
    "kinds": "kinds", "access": "access", "departments": "departments", "patient": "patients", "encounter": "encounters",
    "loinc": "loinc_codes", "snomed": "snomed_codes", "rxnorm": "rxnorm_codes", "resource_status": "resource_status",
}  # fmt: skip


def _browser(asker: Asker) -> Browser:
    browser = Browser(TestClient(asker.client.app, base_url="http://localhost", raise_server_exceptions=False))
    browser.sign_in(asker.world.keys[asker.name])
    return browser


def page_form(asker: Asker) -> None:
    page = _browser(asker).open("/").text
    offered = set(re.findall(r'(?:option|checkbox)[^>]* value="([^"]+)"', page))
    hidden = {value for _, value, having in asker.filters() if not having & asker.visible}
    assert not offered & hidden
    assert ("pseudonym" in page) == (asker.name != "public")


def page_search(asker: Asker) -> None:
    browser = _browser(asker)
    fields = {wanted: name for name, wanted in _FIELDS.items()}
    for name, value, having in asker.filters():
        field = fields[name]
        asker.client.post("/search", json={"query": QUERY, "limit": 50, name: [value]}, headers=asker.world.header("operator"))
        page = browser.search(QUERY, limit="50", **{field: value})
        assert set(re.findall(r'name="document_id" value="([^"]+)"', page)) <= having & asker.visible
        if not having & asker.visible:
            nowhere = browser.search(QUERY, limit="50", **{field: NOWHERE})
            here, there = (_MOMENT.sub("", one).replace(value, NOWHERE) for one in (page, nowhere))
            assert here == there


def page_feedback(asker: Asker) -> None:
    browser = _browser(asker)
    theirs = asker.client.post("/search", json={"query": QUERY}, headers=asker.world.header("operator")).json()["search_id"]
    mine = re.search(r'name="search_id" value="([^"]+)"', browser.search(QUERY))
    assert mine
    nothing = browser.submit("/said", search_id=str(uuid4()), document_id=str(uuid4()), event="useful")
    for search_id in (mine[1], *([theirs] if asker.name != "operator" else [])):
        for one in (asker.hidden or [str(uuid4())])[:20]:
            answer = browser.submit("/said", search_id=search_id, document_id=one, event="useful")
            assert (answer.status_code, _MOMENT.sub("", answer.text)) == (404, _MOMENT.sub("", nothing.text))


def sign_in(asker: Asker) -> None:
    browser = _browser(asker)
    page = browser.open("/sign-in").text
    assert not any(one in page for one in (*asker.world.documents, "restricted", "oncology"))
    assert browser.sign_in(asker.world.keys[asker.name]).status_code == 200


def sign_out(asker: Asker) -> None:
    browser = _browser(asker)
    assert browser.open("/").status_code == 200
    browser.submit("/sign-out")
    assert browser.open("/").status_code == 401
