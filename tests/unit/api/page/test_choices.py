from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.api.page.choices import Choices, choices
from pipeline.domain.visibility import OPEN_ONLY, Limits, Visibility
from pipeline.domain.vocabulary import PUBLIC_KINDS
from pipeline.jobs.init import initialise
from pipeline.settings import Settings
from pipeline.wiring import open_services

NAMED = {"kinds": "kind", "departments": "department", "access": "access", "study_types": "study_type"}


@pytest.mark.parametrize(
    "visible",
    [None, OPEN_ONLY, Visibility(Limits(labels=("internal",), departments=("cardiology",))), Visibility(Limits(patients=("nobody",)))],
)
def test_what_is_offered_is_what_visible_documents_have(world, visible: Visibility | None):
    seen = [(kind, facets) for kind, facets in world.documents.values() if visible is None or visible.sees(kind, facets)]
    with open_services(world.settings) as services:
        offered = choices(services.live(), visible)
    assert set(offered.kinds) == {kind for kind, _ in seen}
    for name in ("departments", "access", "study_types"):
        assert set(getattr(offered, name)) == {getattr(facets, NAMED[name]) for _, facets in seen} - {None}
    assert set(offered.conditions) == {one for _, facets in seen for one in facets.conditions}


def test_without_a_key_no_clinical_kind_or_closed_label_is_offered(world):
    with open_services(world.settings) as services:
        offered = choices(services.live(), OPEN_ONLY)
    assert set(offered.kinds) <= {"trial", *PUBLIC_KINDS}
    assert set(offered.access) <= {"public"}
    assert "oncology" not in offered.departments


def test_an_empty_home_offers_nothing(models: Path, tmp_path: Path):
    settings = Settings(home=tmp_path / "home", models_path=models)
    initialise(settings)
    with open_services(settings) as services:
        assert choices(services, None) == Choices()
