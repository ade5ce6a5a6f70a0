"""What the report says of sources: their listings against the database, and the ages of recruiting statuses."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from pipeline.domain.study import Status
from pipeline.domain.vocabulary import SourceClass
from pipeline.jobs.report.collect import collect
from pipeline.jobs.report.html import render_html
from pipeline.jobs.report.source_figures import SOURCE_MEANINGS, source_figures
from pipeline.jobs.summaries import SourceSide

MOMENT = datetime(2031, 5, 17, 2, 0, tzinfo=UTC)


def _side(**classes: int) -> SourceSide:
    agrees = not any(count for name, count in classes.items() if name not in ("equal", "superseded", "suppressed"))
    return SourceSide(
        source="clinicaltrials.gov",
        scope="all",
        listed_at=MOMENT,
        listed=sum(classes.values()) - classes.get("vanished", 0),
        unreadable=0,
        alive=5,
        proves_absence=True,
        classes={name.value: classes.get(name.value, 0) for name in SourceClass},
        reasons={},
        agrees=agrees,
        sums_close=True,
    )


def _reconciled(home, side: SourceSide) -> None:
    counts = {"clean": True, "sums_close": True, "expected": 0, "found": 0, "classes": {}, "sources": [side.model_dump(mode="json")]}
    home.run("reconcile", "success", counts, begun=MOMENT, ended=MOMENT)


def test_every_class_has_a_meaning() -> None:
    assert set(SOURCE_MEANINGS) == set(SourceClass)


def test_sources_that_agree_are_shown_and_are_no_reason(home) -> None:
    _reconciled(home, _side(equal=7, superseded=2, suppressed=1))
    report = collect(home, now=MOMENT)
    assert not any("clinicaltrials.gov" in reason for reason in report.verdict.reasons)
    (figure,) = source_figures(report)
    assert figure.caption == "The database holds what each source listed last."
    assert [row[1:3] for row in figure.rows] == [("Equal", "7"), ("Suppressed", "1"), ("Superseded", "2")]


def test_sources_that_disagree_are_a_reason_with_the_moment_of_the_listing(home) -> None:
    _reconciled(home, _side(equal=7, missing_in_truth=2, changed=1, vanished=1))
    report = collect(home, now=MOMENT)
    (reason,) = [one for one in report.verdict.reasons if "clinicaltrials.gov" in one]
    assert "2031-05-17 02:00 UTC" in reason
    assert "4 documents" in reason
    assert report.verdict.state != "ok"
    assert "4 records of the last complete listings differ" in render_html(report)


@pytest.mark.parametrize(
    ("hours", "words"), [(30, "All are within the objective of 36 hours."), (40, "1 breach the objective of 36 hours.")]
)
def test_the_oldest_recruiting_status_is_told_against_the_objective(home, hours: int, words: str) -> None:
    home.document("NCT90000001", {"status": Status(overall_status="RECRUITING")}, now=MOMENT)
    home.document("NCT90000002", {"status": Status(overall_status="COMPLETED")}, now=MOMENT - timedelta(days=9))
    report = collect(home, now=MOMENT + timedelta(hours=hours))
    (figure,) = source_figures(report)
    assert figure.caption.startswith(f"Of 1 recruiting study the oldest status was confirmed by its source {hours}.0 hours ago.")
    assert figure.caption.endswith(words)
    assert sum(int(row[1]) for row in figure.rows) == 1


def test_a_home_without_recruiting_studies_and_comparisons_has_no_such_figure(home) -> None:
    assert source_figures(collect(home, now=MOMENT)) == []
