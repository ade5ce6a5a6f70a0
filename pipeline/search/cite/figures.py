"""Pictures of cited figures: what is said of one with a hit, and its bytes where they may be shown.

A picture cannot be de-identified: it is shown of public kinds alone, and not where the publisher blacked out parts of its page.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from sqlalchemy import Connection

from pipeline.domain.chunks import Chunk
from pipeline.domain.errors import StoreCorruptError, UsageError
from pipeline.domain.visibility import Visibility
from pipeline.domain.vocabulary import PUBLIC_KINDS, Element
from pipeline.search.request import Figure, Withheld
from pipeline.storage.documents import load_documents
from pipeline.storage.file_rows import load_figures
from pipeline.wiring import Services

_NONE: Final = "there is no such picture"
_REMEDY: Final = "`clindex document show` lists a document's figures."
_WHY: Final = {
    Withheld.REDACTED_PAGE: "its publisher blacked out parts of the page",
    Withheld.CLINICAL: "a picture in a clinical document cannot be de-identified",
    Withheld.LOST: "it is not kept",
}


def figure_of(tx: Connection, document_id: UUID, kind: str, chunk: Chunk) -> Figure | None:
    """Return what is known of the figure that a chunk tells of; ``None``: it tells of none."""
    if chunk.element is not Element.FIGURE or chunk.element_number is None:
        return None
    found = [row for row in load_figures(tx, document_id) if row["number"] == chunk.element_number]
    return _figure(found[0], kind) if found else None


def figures_of(tx: Connection, shown: Sequence[tuple[UUID, str, Chunk]]) -> dict[tuple[UUID, int], Figure]:
    """Return the figures of chunks by document and number."""
    found: dict[tuple[UUID, int], Figure] = {}
    for document_id, kind, chunk in shown:
        figure = figure_of(tx, document_id, kind, chunk)
        if figure is not None:
            found[document_id, figure.number] = figure
    return found


def figure(services: Services, document_id: UUID, position: int, visibility: Visibility | None = None) -> bytes:
    """Return a picture as PNG.

    Args:
        services: The home.
        document_id: Its document.
        position: Its place among the document's pictures, from 1 (``Figure.position``).
        visibility: Of who asks; ``None``: of somebody who may see everything.

    Raises:
        UsageError: There is none, or it is withheld. Of a document that is deleted or not for this reader it says no more than of one that
            never was.
    """
    with services.db.read() as tx:
        about = load_documents(tx, [document_id]).get(document_id)
        is_seen = about is not None and not about.tombstoned and (visibility is None or visibility.sees(about.kind, about.facets))
        rows = [row for row in load_figures(tx, document_id) if row["position"] == position and row["number"]] if is_seen else []
    if about is None or not rows:
        raise UsageError(_NONE, remedy=_REMEDY)
    told = _figure(rows[0], about.kind)
    if told.withheld is not None:
        raise UsageError(f"this picture is not shown: {_WHY[told.withheld]}", remedy="Its caption stands in its passage.")
    try:
        return services.landing.get(rows[0]["image_sha256"])
    except (KeyError, StoreCorruptError):
        raise UsageError("landing has lost this picture", remedy="`clindex ingest documents` reads the file anew.") from None


def _figure(row: dict[str, object], kind: str) -> Figure:
    withheld: Withheld | None = None
    if row["on_redacted_page"]:
        withheld = Withheld.REDACTED_PAGE
    elif kind not in {one.value for one in PUBLIC_KINDS}:
        withheld = Withheld.CLINICAL
    elif row["image_sha256"] is None:
        withheld = Withheld.LOST
    said = {name: row[name] for name in ("position", "number", "page", "kind", "captioned_by")}
    size = {name: None if withheld else row[name] for name in ("width", "height")}
    return Figure.model_validate({**said, **size, "withheld": withheld})
