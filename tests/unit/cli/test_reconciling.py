"""What ``clindex reconcile`` says of a comparison that could not compare everything."""

from __future__ import annotations

import pytest

from pipeline.cli.reconciling import render_reconcile
from pipeline.jobs.summaries import ReconcileSummary


@pytest.mark.parametrize(("depth", "unmarked", "said"), [("deep", 3, True), ("deep", 0, False), ("digest", 3, False)])
def test_a_deep_comparison_says_of_how_many_vectors_it_cannot_know_whether_they_changed(
    capsys: pytest.CaptureFixture[str], *, depth: str, unmarked: int, said: bool
):
    summary = ReconcileSummary.model_validate(
        {
            "run_id": "r",
            "clean": True,
            "expected": 5,
            "found": 5,
            "sums_close": True,
            "classes": {"ok": 5},
            "depth": depth,
            "unmarked": unmarked,
            "plan": None,
            "repaired": {},
            "seconds": 0.1,
        }
    )
    render_reconcile(summary)
    shown = " ".join(capsys.readouterr().out.split())
    assert ("Of 3 points the vectors have no mark" in shown) is said
