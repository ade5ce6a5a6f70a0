"""A citation token in, what became of its passage out: the same, moved, changed or removed."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlalchemy import Connection

from pipeline.domain.chunks import Chunk, TextVersion
from pipeline.domain.identifiers import text_hash
from pipeline.domain.visibility import Visibility
from pipeline.search.cite.difference import difference
from pipeline.search.cite.figures import figure_of
from pipeline.search.cite.model import Citation, CitationStatus, Place, Removal
from pipeline.search.cite.passages import Outcome, Past, differs, outcome, shown
from pipeline.search.cite.token import Cited, read_token, text_mark, version_mark
from pipeline.search.cite.words import citation
from pipeline.search.request import Figure
from pipeline.storage import chunks as chunk_store
from pipeline.storage import citation_archive, index_state
from pipeline.storage.citation_archive import place_of, text_key
from pipeline.storage.documents import DocumentRow, load_documents
from pipeline.wiring import Services


@dataclass(frozen=True, slots=True)
class _Known:
    """What truth knows of a cited document at one moment."""

    about: DocumentRow
    generation: int
    live: tuple[Chunk, ...] = field(repr=False)
    version: TextVersion | None
    past: Past


def resolve(services: Services, token: str, visibility: Visibility | None = None) -> Citation:
    """Return what became of a cited passage, by the version of its document that is live now.

    Of a document that is deleted, that the gate holds back, or that is not for this reader, the answer is ``removed`` with what stands in
    the token, and does not tell these apart. A re-chunk of an unchanged text needs nothing but the spans.

    Args:
        services: The home.
        token: Of a hit or an answer.
        visibility: Of who asks; ``None``: of somebody who may see everything.

    Raises:
        UsageError: It is no token, or none that this site made.
    """
    cited = read_token(services.secret, token)
    with services.db.read() as tx:
        known = _known(tx, services.secret, cited, visibility)
        if known is None:
            return _gone(token, cited, Removal.DOCUMENT)
        marks = {key: text_mark(services.secret, key) for key in (text_key(chunk.text) for chunk in known.live)}
        is_same = _is_same_text(services.secret, cited, known)
        found = outcome(cited, known.live, marks, known.past, same_text=is_same)
        figure = figure_of(tx, cited.document_id, known.about.kind, found.chunks[0]) if found.chunks else None
    if not found.chunks:
        return _gone(token, cited, Removal.PASSAGE)
    return _citation(services.secret, token, cited, known, found, figure, same_text=is_same)


def _known(tx: Connection, secret: bytes, cited: Cited, visibility: Visibility | None) -> _Known | None:
    document = cited.document_id
    about = load_documents(tx, [document]).get(document)
    if about is None or about.tombstoned or (visibility is not None and not visibility.sees(about.kind, about.facets)):
        return None
    generation = index_state.get_many(tx, [document])[document].live_generation
    if generation is None:
        return None
    live = tuple(row.chunk for row in chunk_store.rows_of_generation(tx, document, generation))
    version = chunk_store.text_versions(tx, [(document, generation)]).get((document, generation))
    return _Known(about, generation, live, version, _past(tx, secret, cited, version))


def _past(tx: Connection, secret: bytes, cited: Cited, live: TextVersion | None) -> Past:
    """Return the version that a passage was cited from, if it was de-identified as the live one is."""
    document = cited.document_id
    there = chunk_store.text_versions(tx, [(document, cited.generation)]).get((document, cited.generation))
    if there is not None and live is not None and there.scrubbed_by == live.scrubbed_by:  # of a collection that is not retired yet
        chunks = [row.chunk for row in chunk_store.rows_of_generation(tx, document, cited.generation)]
        return Past(tuple(map(place_of, chunks)), {text_key(chunk.text): chunk.text for chunk in chunks})
    for one in citation_archive.versions(tx, document):
        is_of_it = version_mark(secret, TextVersion(one.text_version, one.scrubbed_by)) == cited.version
        if is_of_it and live is not None and one.scrubbed_by == live.scrubbed_by:
            return Past(one.places, citation_archive.texts(tx, document))
    return Past((), {})


def _is_same_text(secret: bytes, cited: Cited, known: _Known) -> bool:
    return cited.generation == known.generation or (cited.version != "" and cited.version == version_mark(secret, known.version))


def _gone(token: str, cited: Cited, what: Removal) -> Citation:
    return Citation(token=token, status=CitationStatus.REMOVED, removed=what, document_id=str(cited.document_id), was=_was(cited))


def _citation(
    secret: bytes, token: str, cited: Cited, known: _Known, found: Outcome, figure: Figure | None, *, same_text: bool
) -> Citation:
    about, first = known.about, found.chunks[0]
    text = shown(found.chunks)
    old = found.old_text
    return Citation(
        token=token,
        status=found.status,
        document_id=str(cited.document_id),
        was=_was(cited),
        now=_now(found.chunks),
        moved=differs(cited, found.chunks, same_text=same_text),
        citation=citation(about.source_key, first, kind=about.kind, facets=about.facets),
        source=about.source,
        kind=about.kind,
        nct_id=about.facets.nct_id,
        title=about.title,
        text=text,
        text_hash=text_hash(text),
        old_text=old,
        difference=difference(old, text) if old is not None else [],
        version=cited.version or None,
        live_version=version_mark(secret, known.version) or None,
        figure=figure,
    )


def _was(cited: Cited) -> Place:
    return Place(
        section=cited.section,
        ordinal=cited.ordinal,
        piece=cited.piece,
        part=cited.part,
        start=cited.span.start,
        end=cited.span.end,
        page=cited.page,
    )


def _now(chunks: tuple[Chunk, ...]) -> Place:
    first = chunks[0]
    return Place(
        section=first.section.value,
        ordinal=first.ordinal,
        piece=first.piece,
        part=first.part,
        start=first.span.start,
        end=max(chunk.span.end for chunk in chunks),
        page=first.page,
    )
