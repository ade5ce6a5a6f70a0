from __future__ import annotations

from markupsafe import Markup

from pipeline.api.page.rendering import environment
from pipeline.search.cite.matched import matched, wanted
from pipeline.search.request import Hit, Matched, RelatedHit, Scores, Span
from pipeline.search.understand.model import Variant, Why

EVIL = '<script>alert("x")</script><img src=x onerror=alert(1)>\'"{{ 7 * 7 }}'


def test_a_document_that_holds_markup_is_shown_as_text():
    asked = wanted([Variant("script alert", Why.ORIGINAL)])
    hit = Hit(
        document_id=EVIL,
        source=EVIL,
        kind="paper",
        nct_id=EVIL,
        title=EVIL,
        status=EVIL,
        status_as_of=EVIL,
        status_age_days=None,
        section="EXCLUSION_CRITERION",
        ordinal=1,
        is_exclusion=True,
        scope=[EVIL],
        text=EVIL,
        span=Span(part=EVIL, start=0, end=9),
        page=1,
        score=0.5,
        scores=Scores(fused=0.1),
        citation=EVIL,
        token=EVIL,
        headings=[EVIL],
        agency=EVIL,
        department=EVIL,
        why=Matched(terms=matched(asked, EVIL), found_by=[], wordings=[EVIL], route=EVIL, filters={EVIL: [EVIL]}),
        related=[RelatedHit(section="NOTE_TEXT", ordinal=2, score=0.1, text=EVIL, citation=EVIL, token=EVIL)],
    )
    page = str(environment().get_template("hit.html.j2").make_module().hit_article(hit, 1, asked, EVIL, Markup("")))
    assert "<mark>script</mark>" in page  # what matched is marked, inside what is escaped
    assert "<script" not in page
    assert "<img" not in page
    assert "49" not in page
    assert 'x")' not in page  # no quotation mark of a document ends an attribute
