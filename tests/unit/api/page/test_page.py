"""The search page as a reader without scripts meets it."""

from __future__ import annotations

import logging
import re

import pytest
from fastapi.testclient import TestClient

from pipeline.api.principal import COOKIE
from pipeline.search import search as searching
from pipeline.storage import feedback, search_log
from pipeline.wiring import open_services
from tests.unit.api.page.browser import HTML, Browser, words_of

SECRET = "Zebulon Quartermain-Oddfellow"


def _signed_in(browser: Browser, world, role: str) -> Browser:
    assert browser.sign_in(world.keys[role]).status_code == 200
    return browser


@pytest.fixture
def reader(browser: Browser, world) -> Browser:
    return _signed_in(browser, world, "public")


def test_the_page_needs_a_key_where_keys_are_made(browser: Browser):
    answer = browser.open("/")
    assert answer.status_code == 401
    assert "API key" in words_of(answer.text)
    assert "may be mistyped" not in answer.text  # nobody has tried yet


def test_a_key_signs_in_for_this_browsers_session(browser: Browser, world):
    browser.open("/sign-in")
    fields = {"made_for": browser.token, "key": world.keys["public"]}
    answer = browser.client.post("/sign-in", data=fields, headers=HTML, follow_redirects=False)
    cookie = answer.headers["set-cookie"].lower()
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "max-age" not in cookie
    assert "expires" not in cookie
    assert browser.open("/").status_code == 200


def test_the_cookie_is_for_https_alone_where_the_page_is(served: TestClient, world):
    there = Browser(TestClient(served.app, base_url="https://localhost"))
    there.open("/sign-in")
    answer = there.client.post("/sign-in", data={"made_for": there.token, "key": world.keys["public"]}, follow_redirects=False)
    assert "secure" in answer.headers["set-cookie"].lower()


@pytest.mark.parametrize("key", ["", "clx_00000000_" + "a" * 43, "x" * 5000, "\0", "clx_\u202e"])
def test_a_key_that_opens_nothing_is_refused_without_being_quoted(browser: Browser, key: str):
    answer = browser.sign_in(key)
    assert answer.status_code == 401
    assert "opens nothing" in words_of(answer.text)
    assert COOKIE not in browser.client.cookies
    assert key[:20] not in answer.text or not key.strip("\0")


def test_a_cookie_that_opens_nothing_is_taken_back(browser: Browser):
    browser.client.cookies.set(COOKIE, "clx_revoked")
    answer = browser.open("/")
    assert answer.status_code == 401
    assert "opens nothing" in words_of(answer.text)
    assert f'{COOKIE}="";' in answer.headers["set-cookie"]


def test_signing_out_forgets_the_key(reader: Browser):
    reader.open("/")
    assert reader.submit("/sign-out").status_code == 401  # the page again, which now needs a key
    assert COOKIE not in reader.client.cookies


@pytest.mark.parametrize("path", ["/", "/said", "/sign-in", "/sign-out"])
def test_a_form_that_the_page_did_not_make_for_this_browser_is_refused(reader: Browser, path: str):
    fields = {"query": SECRET, "key": SECRET}
    for token in ({}, {"made_for": ""}, {"made_for": "0" * 32}, {"made_for": "é"}):
        answer = reader.client.post(path, data=fields | token, headers=HTML)
        assert answer.status_code == 403
        assert SECRET not in answer.text


def test_a_form_made_for_another_browser_is_refused(reader: Browser, served: TestClient):
    other = Browser(TestClient(served.app, base_url="http://localhost"))
    other.open("/sign-in")
    assert reader.client.post("/", data={"made_for": other.token, "query": "gout"}, headers=HTML).status_code == 403


def test_the_page_takes_no_json(reader: Browser):
    answer = reader.client.post("/", json={"query": "gout", "made_for": reader.token})
    assert answer.status_code == 400
    assert answer.json()["error"]["type"] == "UsageError"


def test_nothing_of_a_page_is_kept_or_framed_or_loaded_from_elsewhere(reader: Browser):
    for answer in (
        reader.open("/"),
        reader.submit("/", query="gout"),
        reader.open("/c/none"),
        reader.open("/nothing"),
        reader.open("/sign-in"),
    ):
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert not re.search(r'(?:src|href|action)="(?!/|#)', answer.text)
        assert not re.search(r"<script(?! src=)| style=| on[a-z]+=", answer.text)


def test_a_search_shows_hits_with_marks_citations_and_reasons(reader: Browser):
    page = reader.search("HER2-positive breast cancer", kinds=["trial"])
    said = words_of(page)
    assert "10 documents" in said
    assert re.search(r"<mark>HER2-positive</mark>", page)
    assert "NCT99000001" in said
    assert re.search(r"as of \d+ \w+ \d{4} \(", said)
    assert "by meaning (similarity 0." in said
    assert "by words (BM25 " in said
    assert re.search(r'<a href="/c/c1\.[\w-]+">NCT\d{8}, 1st inclusion criterion</a>', page)


def test_the_form_keeps_what_was_asked(reader: Browser):
    page = reader.search("gout", kinds=["trial"], part="exclusion", recruiting="1", limit="25", icd="E11.9", answer="1")
    assert re.search(r"<textarea[^>]*>\s*gout</textarea>", page)
    for box in (
        'value="trial" checked',
        'name="recruiting" value="1" checked',
        'name="answer" value="1" checked',
        'value="exclusion" selected',
    ):
        assert box in page
    assert "Filters (3 set)" in words_of(page)
    assert "<option selected>25</option>" in page


def test_exclusion_criteria_are_told_from_inclusion_criteria_in_words(reader: Browser):
    excluded = words_of(reader.search("pregnant or breast-feeding", part="exclusion"))
    assert "Exclusion criterion: who meets it cannot take part" in excluded
    assert "Inclusion criterion: who takes part" not in excluded
    included = words_of(reader.search("measurable disease", part="inclusion"))
    assert "Inclusion criterion: who takes part must meet it" in included
    assert "cannot take part" not in included


def test_an_identifier_that_is_not_there_is_said_to_be_absent(reader: Browser):
    said = words_of(reader.search("NCT01234567"))
    assert "Not in the index NCT01234567 is not in the index, so nothing was searched in its place." in said
    assert "1st" not in said


def test_an_identifier_that_is_there_is_said_to_narrow_the_search(reader: Browser):
    said = words_of(reader.search("NCT99000001 exclusion criteria"))
    assert "Only what the question names was searched: NCT99000001" in said
    assert "1 document" in said


def test_no_evidence_is_said_as_such(reader: Browser):
    said = words_of(reader.search("gout", icd="Z99.9"))
    assert "No evidence found" in said
    assert "with these filters" in said


def test_a_refused_question_is_answered_as_such_before_what_comes_nearest(reader: Browser):
    page = reader.search("kubernetes ingress controller timeout")
    assert "<title>No evidence" in page
    said = words_of(page)
    assert "No evidence found" in said
    assert said.index("may be about something else") < said.index("Cite as")


def test_a_corrected_spelling_and_other_wordings_are_said(reader: Browser):
    said = words_of(reader.search("HER2 positive breast cancr"))
    assert "“cancr” was also read as cancer" in said
    assert re.search(r"Also searched (?:as|in)", said)


def test_an_answer_is_the_documents_own_sentences_with_their_citations(reader: Browser):
    page = reader.search("HER2-positive breast cancer with distant metastasis", answer="1")
    assert "From the documents, in their own sentences" in page
    assert re.search(r'<a class="source" href="/c/c1\.[\w-]+">', page)
    assert "There is no answer: the search found no evidence" in words_of(reader.search("NCT01234567", answer="1"))


def test_a_date_that_is_none_is_answered_beside_its_field(reader: Browser):
    reader.open("/")
    answer = reader.submit("/", query="gout", dated_from="17.05.2031")
    assert answer.status_code == 400
    assert "year, month and day" in words_of(answer.text)
    assert re.search(r'id="f-dated_from"[^>]*aria-invalid="true"', answer.text)
    assert not re.search(r'id="query"[^>]*aria-invalid', answer.text)
    assert '<details class="filters" open>' in answer.text


def test_dates_and_scopes_narrow_the_search(reader: Browser):
    everything = words_of(reader.search("trials of asthma"))
    assert "No evidence found" not in everything
    for fields in ({"dated_from": "2190-01-01"}, {"dated_to": "1901-01-01"}, {"scope": "Cohort of nobody"}):
        assert "No evidence found" in words_of(reader.search("trials of asthma", **fields))


def test_an_empty_or_too_long_question_is_answered_beside_its_field(reader: Browser):
    for query, said in (("  ", "Type a question first."), ("long " * 900, "more than 4,000 characters")):
        answer = reader.submit("/", query=query)
        assert answer.status_code == 400
        assert said in words_of(answer.text)
        assert 'aria-invalid="true"' in answer.text


@pytest.mark.parametrize(
    "query",
    [
        "<script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "</textarea><script>alert(1)</script>",
        "{{ 7 * 7 }} {% raw %}",
        "\u202eتفاعل دوائي\u202c",
        "a\0b",
        "😀",
        "word " * 799,
        "' OR 1=1 --",
    ],
)
def test_a_hostile_question_is_text(reader: Browser, query: str):
    page = reader.search(query)
    assert "<script>" not in page
    assert "<img src=x" not in page
    assert page.count("</textarea>") == 1
    assert " 49 " not in words_of(page)


def test_what_is_asked_stands_in_no_title_address_or_log(
    reader: Browser, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
):
    caplog.set_level(logging.DEBUG)
    answer = reader.submit("/", query=SECRET)
    reader.submit("/", query=SECRET, limit="x", part=SECRET)
    out = capfd.readouterr()
    logged = " ".join([record.getMessage() for record in caplog.records] + [out.out, out.err])
    assert "Quartermain" not in logged
    assert "Quartermain" not in str(answer.url)
    assert "Quartermain" not in re.search(r"<title>(.*?)</title>", answer.text)[1]
    assert all("Quartermain" not in value for value in answer.headers.values())
    assert not re.search(r'(?:href|src|action)="[^"]*Quartermain', answer.text)


def test_browsers_get_pages_for_errors_and_programs_get_json(reader: Browser):
    page = reader.open(f"/nothing/{SECRET}")
    assert page.status_code == 404
    assert "Not found" in page.text
    assert SECRET not in page.text
    plain = reader.client.get(f"/nothing/{SECRET}")
    assert plain.status_code == 404
    assert plain.json()["error"]["type"] == "NotFoundError"
    assert reader.open("/figures/none/1").headers["content-type"].startswith("text/html")
    assert reader.client.get("/status").json()["error"]["type"] == "ForbiddenError"


def test_a_citation_says_what_became_of_its_passage(reader: Browser):
    page = reader.search("HER2-positive breast cancer", kinds=["trial"], part="inclusion")
    token = re.search(r'href="(/c/c1\.[\w-]+)"', page)[1]
    said = words_of(reader.open(token).text)
    assert "Unchanged" in said
    assert "inclusion criterion" in said
    assert reader.open("/c/c1.none").status_code == 404
    assert reader.open(token[:-2] + ("AA" if token[-2:] != "AA" else "BB")).status_code == 404


def _first_hit(page: str) -> tuple[str, str]:
    search = re.search(r'name="search_id" value="([^"]+)"', page)
    hit = re.search(r'name="document_id" value="([^"]+)"', page)
    return search[1], hit[1]


def test_a_word_on_a_hit_is_kept_and_the_reader_stays_where_they_are(reader: Browser, world):
    search_id, document_id = _first_hit(reader.search("gout"))
    with open_services(world.settings) as services:
        with services.db.read() as tx:
            before = feedback.counts(tx)
        answer = reader.submit("/said", search_id=search_id, document_id=document_id, event="not_useful")
        assert (answer.status_code, answer.content) == (204, b"")
        with services.db.read() as tx:
            after = feedback.counts(tx)
    assert after.get("not_useful", 0) == before.get("not_useful", 0) + 1


def test_a_word_on_what_was_not_shown_is_refused(reader: Browser, world, served: TestClient):
    search_id, document_id = _first_hit(reader.search("gout"))
    other = next(one for one in world.ids("note"))
    for fields in (
        {"search_id": search_id, "document_id": other, "event": "useful"},
        {"search_id": search_id, "document_id": document_id, "event": "opened"},
        {"search_id": "none", "document_id": document_id, "event": "useful"},
    ):
        assert reader.submit("/said", **fields).status_code == 404
    stranger = _signed_in(Browser(TestClient(served.app, base_url="http://localhost")), world, "operator")
    assert stranger.submit("/said", search_id=search_id, document_id=document_id, event="useful").status_code == 404


@pytest.mark.parametrize("role", ["public", "clinical", "operator"])
def test_every_page_shows_and_offers_only_what_the_key_may_see(browser: Browser, world, role: str):
    _signed_in(browser, world, role)
    empty = browser.open("/").text
    page = browser.search("chest pain with raised troponin", limit="50")
    shown = set(re.findall(r'name="document_id" value="([^"]+)"', page))
    assert shown
    for document in shown:
        kind, facets = world.documents[document]
        is_open = kind in ("trial", "protocol", "statistical_analysis_plan", "guideline", "ems_protocol", "paper")
        in_limits = role == "clinical" and (facets.access, facets.department) == ("internal", "cardiology")
        assert role == "operator" or (is_open and facets.access in (None, "public")) or in_limits
    assert ("restricted" in empty + page) == (role == "operator")
    assert ("oncology" in re.sub(r"<datalist.*?</datalist>", "", empty)) == (role == "operator")
    assert ("Discharge summary" in empty) == (role != "public")
    assert ("pseudonym" in empty) == (role != "public")


def test_searches_of_the_page_stand_in_the_log_of_searches(reader: Browser, world):
    search_id, _ = _first_hit(reader.search(f"gout {SECRET}"))
    with open_services(world.settings) as services, services.db.read() as tx:
        entry = next(row.entry for row in search_log.rows_of(tx) if str(row.entry.search_id) == search_id)
    assert entry.endpoint == "/"
    assert entry.query_hash
    assert "Quartermain" not in repr(entry)


def test_style_and_script_are_the_programs_and_need_no_key(browser: Browser):
    page = browser.open("/sign-in").text
    for path in re.findall(r'(?:href|src)="(/assets/[^"]+)"', page):
        answer = browser.client.get(path)
        assert answer.status_code == 200
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert browser.client.get("/assets/../routes.py").status_code == 404
    assert browser.client.get("/assets/search.html.j2").status_code == 404


def _documents(page: str) -> set[str]:
    return set(re.findall(r'name="document_id" value="([^"]+)"', page))


@pytest.mark.parametrize(
    ("field", "facet"),
    [
        ("loinc", "loinc_codes"),
        ("snomed", "snomed_codes"),
        ("rxnorm", "rxnorm_codes"),
        ("encounter", "encounter"),
        ("resource_status", "resource_status"),
    ],
)
def test_filters_of_fhir_resources_are_labelled_and_narrow_the_search(browser: Browser, world, field: str, facet: str):
    _signed_in(browser, world, "label")
    empty = browser.open("/").text
    assert "More filters, of FHIR resources" in empty
    assert f'<label for="f-{field}">' in empty
    values = {document: getattr(facets, facet) for document, (_, facets) in world.documents.items() if getattr(facets, facet)}
    first = next(iter(values.values()))
    value = first if isinstance(first, str) else first[0]
    having = {document for document, held in values.items() if value == held or value in held}
    page = browser.search("what was found and given", limit="50", **{field: value})
    assert _documents(page) == having
    if field in ("encounter", "resource_status"):
        assert value in words_of(page)  # a hit shows what it can be filtered by
    assert '<details class="more" open>' in page
    assert "Filters (1 set)" in words_of(page)


def test_filters_of_fhir_resources_are_not_offered_to_who_sees_none(reader: Browser):
    assert "FHIR" not in reader.open("/").text
    page = reader.search("potassium", loinc="2823-3")  # sent all the same: the form keeps it, so that it can be taken away
    assert 'value="2823-3"' in page
    assert "No evidence found" in words_of(page)


def test_a_search_is_understood_once(reader: Browser, monkeypatch: pytest.MonkeyPatch):
    asked: list[str] = []
    real = searching.understand

    def counted(query: str, *rest: object) -> object:
        asked.append(query)
        return real(query, *rest)

    for place in ("pipeline.search.search.understand", "pipeline.search.answer.ask.understand"):
        monkeypatch.setattr(place, counted)
    reader.search("HER2 positive breast cancer of nobody else")
    assert asked == ["HER2 positive breast cancer of nobody else"]
