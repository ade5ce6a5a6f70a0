"""The picture of a cited figure: shown of public documents, and of no other."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import update

from pipeline.domain.errors import UsageError
from pipeline.domain.identifiers import document_id
from pipeline.domain.reading import FigureKind, ReadFigure
from pipeline.domain.visibility import OPEN_ONLY
from pipeline.search.cite.figures import figure
from pipeline.search.cite.resolve import resolve
from pipeline.search.request import Hit, SearchRequest
from pipeline.search.search import search
from pipeline.storage.file_rows import FigureRow, replace_figures
from pipeline.storage.tables import chunks, documents
from pipeline.wiring import Services
from tests.unit.search.cite.test_resolve import ECOG, STUDY, hit

DOCUMENT = document_id("clinicaltrials.gov", STUDY)
PNG = b"\x89PNG of a survival curve"


@pytest.fixture
def pictured(services: Services) -> Callable[..., Hit]:
    """Returns a function that lets the study's ECOG criterion tell of a picture, and returns the hit on it."""

    def make(*, kind: str = "guideline", on_redacted_page: bool = False, lost: bool = False) -> Hit:
        sha256 = services.landing.put(PNG)
        read = ReadFigure(1, 3, FigureKind.FIGURE, 90, 60, b"", on_redacted_page=on_redacted_page, captioned_by="printed")
        logo = ReadFigure(0, 1, FigureKind.REPEATED, 9, 9, b"")
        with services.db.begin() as tx:
            replace_figures(tx, DOCUMENT, [FigureRow(logo, None), FigureRow(read, None if lost else sha256)])
            tx.execute(update(documents).where(documents.c.document_id == DOCUMENT).values(kind=kind))
            mine = chunks.c.document_id == DOCUMENT, chunks.c.text == ECOG
            tx.execute(update(chunks).where(*mine).values(element="figure", element_number=1, page=3))
        return hit(services)

    return make


def test_a_hit_on_a_figure_says_where_its_picture_is(services: Services, pictured: Callable[..., Hit]):
    told = pictured().figure
    assert told is not None
    assert told.model_dump() == {
        "position": 2, "number": 1, "page": 3, "kind": "figure", "width": 90, "height": 60, "captioned_by": "printed", "withheld": None,
    }  # fmt: skip
    assert figure(services, DOCUMENT, told.position) == PNG
    assert figure(services, DOCUMENT, told.position, OPEN_ONLY) == PNG
    assert resolve(services, hit(services).token).figure == told


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"on_redacted_page": True}, "redacted_page"),
        ({"kind": "progress_note"}, "clinical"),
        ({"kind": "unknown"}, "clinical"),
        ({"lost": True}, "lost"),
    ],
)
def test_a_picture_that_may_not_be_shown_is_said_to_be_there_and_no_more(
    services: Services, pictured: Callable[..., Hit], values: dict[str, Any], why: str
):
    told = pictured(**values).figure
    assert told is not None
    assert (told.withheld, told.width, told.height) == (why, None, None)
    with pytest.raises(UsageError, match="not shown"):
        figure(services, DOCUMENT, told.position)


def test_who_may_not_see_the_document_is_told_what_is_told_of_none(services: Services, pictured: Callable[..., Hit]):
    pictured(kind="progress_note")
    with pytest.raises(UsageError) as hidden:
        figure(services, DOCUMENT, 2, OPEN_ONLY)
    with pytest.raises(UsageError) as none:
        figure(services, UUID(int=5), 2, OPEN_ONLY)
    assert str(hidden.value) == str(none.value)


@pytest.mark.parametrize("position", [0, 1, 3, -1])
def test_pictures_that_are_no_figures_are_not_given(services: Services, pictured: Callable[..., Hit], position: int):
    pictured()
    with pytest.raises(UsageError, match="no such picture"):
        figure(services, DOCUMENT, position)


def test_a_picture_that_landing_has_lost_is_an_error_in_words(services: Services, pictured: Callable[..., Hit]):
    pictured()
    services.landing.delete(services.landing.put(PNG))
    with pytest.raises(UsageError, match="lost this picture"):
        figure(services, DOCUMENT, 2)


def test_a_passage_that_is_no_figure_has_none(services: Services):
    found = search(services, SearchRequest(query="brain metastases", nct_ids=(STUDY,)), today=date(2026, 6, 1)).hits
    assert {one.figure for one in found} == {None}
