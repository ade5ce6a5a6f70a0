"""A document as the service shows it: what its hits say of it, its live passages with their citations, its figures."""

from __future__ import annotations

from uuid import UUID

from pydantic import BaseModel, Field

from pipeline.api.errors import no_such_thing
from pipeline.search.access import Principal
from pipeline.search.cite import citation
from pipeline.search.request import Span
from pipeline.storage import chunks as chunk_store
from pipeline.storage import index_state
from pipeline.storage.chunks import ChunkRow
from pipeline.storage.documents import DocumentRow, load_documents
from pipeline.storage.file_rows import load_figures
from pipeline.wiring import Services


class PassageView(BaseModel):
    """One live chunk."""

    section: str
    ordinal: int
    piece: int
    is_exclusion: bool | None
    scope: list[str]
    headings: list[str] = Field(repr=False)
    text: str = Field(repr=False)
    span: Span
    page: int | None
    page_to: int | None
    element: str
    element_number: int | None
    citation: str


class FigureView(BaseModel):
    """A picture of the document. ``GET /figures/{document_id}/{position}`` gives it where it may be shown."""

    position: int
    number: int
    page: int
    kind: str


class DocumentView(BaseModel):
    """A document that is live."""

    document_id: str
    source: str
    kind: str
    title: str = Field(repr=False)
    nct_id: str | None
    status: str | None
    status_as_of: str | None
    phases: list[str]
    conditions: list[str] = Field(repr=False)
    patient: str | None = Field(description="pseudonym")
    access: str | None
    department: str | None
    document_date: str | None
    agency: str | None
    state: str | None
    protocol_number: str | None
    amendment: str | None
    reference_number: str | None
    passages: list[PassageView]
    figures: list[FigureView]


def view_of(services: Services, document_id: UUID, principal: Principal) -> DocumentView:
    """Return a document with its live passages, in the order of its text.

    Raises:
        NotFoundError: There is none, it is not live, or it is not for the one who asks: no step is taken for one and not for the others.
    """
    with services.db.read() as tx:
        about = load_documents(tx, [document_id]).get(document_id)
        if about is None or about.tombstoned or not principal.sees(about.kind, about.facets):
            raise no_such_thing()
        state = index_state.get_many(tx, [document_id], collection=services.collection)[document_id]
        if state.live_generation is None:
            raise no_such_thing()
        rows = chunk_store.rows_of_generation(tx, document_id, state.live_generation)
        figures = [row for row in load_figures(tx, document_id) if row["number"]]
    rows.sort(key=lambda row: (row.chunk.part, row.chunk.page or 0, row.chunk.span.start))
    shown = [FigureView(**{name: row[name] for name in FigureView.model_fields}) for row in figures]
    return _view(about, [_passage(about, row) for row in rows], shown)


def _view(about: DocumentRow, passages: list[PassageView], figures: list[FigureView]) -> DocumentView:
    facet = about.facets
    return DocumentView(
        document_id=str(about.document_id),
        source=about.source,
        kind=about.kind,
        title=about.title,
        nct_id=facet.nct_id,
        status=facet.overall_status,
        status_as_of=facet.status_as_of,
        phases=list(facet.phases),
        conditions=list(facet.conditions),
        patient=facet.patient,
        access=facet.access,
        department=facet.department,
        document_date=facet.document_date,
        agency=facet.agency,
        state=facet.state,
        protocol_number=facet.protocol_number,
        amendment=facet.amendment,
        reference_number=facet.reference_number,
        passages=passages,
        figures=figures,
    )


def _passage(about: DocumentRow, row: ChunkRow) -> PassageView:
    chunk = row.chunk
    return PassageView(
        section=chunk.section.value,
        ordinal=chunk.ordinal,
        piece=chunk.piece,
        is_exclusion=chunk.is_exclusion,
        scope=list(chunk.scope),
        headings=list(chunk.headings),
        text=chunk.text,
        span=Span(part=chunk.part, start=chunk.span.start, end=chunk.span.end),
        page=chunk.page,
        page_to=chunk.page_to,
        element=chunk.element.value,
        element_number=chunk.element_number,
        citation=citation(about.source_key, chunk, kind=about.kind, facets=about.facets),
    )
