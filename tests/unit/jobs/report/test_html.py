"""The page: whole by itself, the same for the same report, safe with hostile values, and the same numbers as words, bars and tables."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html.parser import HTMLParser

import pytest

from pipeline.domain.study import Notice
from pipeline.domain.vocabulary import NoticeCategory, Section
from pipeline.jobs.report.collect import collect
from pipeline.jobs.report.html import render_html
from pipeline.storage.runs import RunOutcome

NOW = datetime(2031, 5, 17, 3, 0, tzinfo=UTC)
HOSTILE = """</script><script>alert('x')</script><img src=x onerror="alert(1)"> "' & $\\frac{a}{b}$ {{ 7*7 }} ]]> `code`"""
VOID = {"meta", "br", "link", "img", "input", "hr"}


class Page(HTMLParser):
    """Collects elements, ids and text, and notes tags that do not match."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text: list[str] = []
        self.open: list[str] = []
        self.mismatched: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.mismatched.append(tag)

    def handle_data(self, data):
        self.text.append(data)

    @property
    def words(self) -> str:
        return re.sub(r"\s+", " ", "".join(self.text))


@pytest.fixture(scope="module")
def html(night_report) -> str:
    return render_html(night_report)


def test_loads_nothing_and_runs_nothing(html):
    page = Page(html)
    assert not {"script", "link", "iframe", "img", "image", "object", "embed", "base", "form"} & set(page.tags)
    assert not [found for found in ("//", "http:", "https:", "@import", "@font-face") if found in html]
    assert all(re.fullmatch(r"url\(#[\w-]+\)", found) for found in re.findall(r"url\([^)]*\)", html))
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert "default-src 'none'" in html


def test_is_well_formed_with_unique_ids_and_references_that_resolve(html):
    page = Page(html)
    assert page.mismatched == page.open == []
    ids = [value for name, value in page.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    references = {value for name, value in page.attributes if name == "href"} | {f"#{one}" for one in re.findall(r"url\(#([\w-]+)\)", html)}
    assert {reference.removeprefix("#") for reference in references} <= set(ids)


def test_every_plot_is_described_and_followed_by_its_table(html):
    figures = re.findall(r"<figure .*?</figure>", html, re.DOTALL)
    assert len(figures) == 7  # no source was compared; recruiting studies there are
    for figure in figures:
        names = re.search(r'role="img" aria-labelledby="([\w-]+) ([\w-]+)"', figure)
        assert names
        assert re.search(rf'<title id="{names[1]}">[^<]+</title><desc id="{names[2]}">[^<]+</desc>', figure)
        assert "<table>" in figure.split("</svg>")[1]


def test_plots_use_the_pages_colours_only(html):
    plots = "".join(re.findall(r"<svg .*?</svg>", html, re.DOTALL))
    assert not re.findall(r"#[0-9a-f]{6}\b", plots)
    used = set(re.findall(r"var\((--[\w-]+)\)", html))
    assert used <= set(re.findall(r"(--[\w-]+):", html))


def test_says_the_three_answers_in_sentences(html):
    words = Page(html).words
    assert "The index equals the database, but something was left out." in words
    assert "At 2031-05-17 02:03 UTC the index was read whole: 7 points expected, 7 found, all equal. Nothing has changed since." in words
    assert "saw 1,009 records in 1 min 0 s: 4 new, 2 changed, 1,000 unchanged, 1 deleted." in words
    assert "wrote 7 chunks of 3 documents in 1 min 0 s: 6 texts embedded, 2 from the cache. 1,000 documents needed nothing." in words
    assert "62 failures" in words
    assert "60\u00a0× truncated and 1\u00a0× not a study" in "".join(Page(html).text)


def test_names_what_failed_and_how_many_are_not_named(html):
    words = Page(html).words
    assert [key in words for key in ("NCT91000000", "NCT91000049", "NCT91000050")] == [True, True, False]
    assert "50 records are named here; the database has all." in words
    assert "studies.jsonl:17" in words


def test_draws_the_window_where_it_is(html):
    assert "window 256" in html


def test_same_home_gives_the_same_bytes(night):
    assert render_html(collect(night, now=NOW)) == render_html(collect(night, now=NOW))


def test_report_from_its_own_json_gives_the_same_page(night_report, html):
    assert render_html(type(night_report).model_validate_json(night_report.model_dump_json())) == html


def test_style_of_the_process_does_not_reach_the_page(night_report, html):
    import matplotlib

    with matplotlib.rc_context({"font.size": 30, "svg.fonttype": "path", "axes.grid": True, "lines.linewidth": 9}):
        assert render_html(night_report) == html


def test_empty_home_renders(home):
    page = Page(render_html(collect(home, now=NOW)))
    assert "This home is empty: nothing has been ingested yet." in page.words
    assert "Nothing has run yet." in page.words
    assert page.mismatched == page.open == []


def test_page_without_a_window_renders(night_report):
    lengths = night_report.lengths.model_copy(update={"window": None})
    words = Page(render_html(night_report.model_copy(update={"lengths": lengths}))).words
    assert "The model's window is not known here." in words


def test_hostile_values_are_text_and_nothing_else(home):
    document = home.document("NCT90000001", {"notices": (Notice(NoticeCategory.UNKNOWN_VALUE, "design.masking", HOSTILE),)})
    home.index(document, [(Section.OUTCOME, 5)], formats=[HOSTILE, 'id="x" url(#x)'], language="<b>")
    outcomes = [RunOutcome(HOSTILE[:60], "failure", HOSTILE[:60], source_key=HOSTILE, origin=HOSTILE)]
    home.run("ingest", "incomplete", {HOSTILE: 3, "seen": 1}, begun=NOW, ended=NOW, outcomes=outcomes)
    html = render_html(collect(home, now=NOW))
    page = Page(html)
    assert not {"script", "img", "b>"} & set(page.tags)
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert page.mismatched == page.open == []
    assert re.sub(r"\s+", " ", HOSTILE) in page.words
    assert "{{ 7*7 }}" in page.words


def test_no_text_of_a_document_is_on_the_page_or_in_the_json(night_report, html):
    assert "zebrafinch" not in html
    assert "zebrafinch" not in night_report.model_dump_json()
