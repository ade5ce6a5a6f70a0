"""The report says what readers did with hits, in counts; and nothing where nobody has said anything."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from pipeline.jobs.report.collect import collect
from pipeline.jobs.report.html import render_html
from pipeline.storage import feedback, search_log
from pipeline.storage.feedback import Event, Interleaving

NOW = datetime(2031, 5, 17, 2, 0, 0, tzinfo=UTC)
SEARCHES = [UUID(int=number) for number in (11, 12, 13)]
DOCUMENT, OTHER = UUID(int=101), UUID(int=102)


def test_events_searches_and_interleaved_settings_are_counted(home):
    with home.db.begin() as tx:
        for number, search in enumerate(SEARCHES):
            entry = search_log.Entry(search, NOW, None, "public", "search", None, {}, (DOCUMENT, OTHER), 2)
            search_log.append(tx, entry, secret=b"s" * 32)
            feedback.keep_interleaving(tx, Interleaving(search, "full", "fused", {DOCUMENT: "full", OTHER: "fused"}))
            feedback.add(tx, search, Event.OPENED, NOW, document_id=OTHER if number == 2 else DOCUMENT, position=1)
        feedback.add(tx, SEARCHES[0], Event.NOT_USEFUL, NOW, document_id=OTHER, position=2)
    report = collect(home, now=NOW)
    assert report.feedback is not None
    assert report.feedback.searches == 3
    assert report.feedback.events == {"opened": 3, "useful": 0, "not_useful": 1, "refined": 0, "exported": 0}
    [compared] = report.feedback.comparisons
    assert (compared.first, compared.second) == ("full", "fused")
    assert (compared.first_wins, compared.second_wins, compared.ties) == (2, 1, 0)
    html = render_html(report)
    assert "Said of 3 searches" in html
    assert "full against fused" in html
    assert str(DOCUMENT) not in html


def test_a_home_without_feedback_has_no_section_of_it(home):
    report = collect(home, now=NOW)
    assert report.feedback is not None
    assert (report.feedback.searches, report.feedback.comparisons) == (0, [])
    assert 'id="feedback"' not in render_html(report)
