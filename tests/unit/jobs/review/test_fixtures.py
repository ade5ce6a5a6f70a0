"""Every kept fixture of a decision still comes to the outcome that was written with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.jobs.review.fixtures import Fixture, replay

FOLDER = Path(__file__).resolve().parents[3] / "fixtures" / "decisions"
PATHS = sorted(FOLDER.glob("*.json"))


def read(path: Path) -> Fixture:
    return Fixture.model_validate_json(path.read_bytes())


def test_there_are_fixtures():
    assert {read(path).decision.action.value for path in PATHS} == {"accept", "fix"}


@pytest.mark.parametrize("path", PATHS, ids=[path.stem[:8] for path in PATHS])
def test_a_decision_comes_to_what_it_came_to(path: Path):
    kept = read(path)
    assert kept.decision.decision().decision_id == path.stem
    assert replay(kept.decision.decision(), kept.document) == kept.expected


def test_what_was_let_pass_is_held_back_with_any_other_content():
    kept = next(one for path in PATHS if (one := read(path)).decision.action == "accept")
    assert kept.expected.goes_live
    assert not replay(kept.decision.decision(), kept.document.model_copy(update={"basis": "0" * 32})).goes_live
