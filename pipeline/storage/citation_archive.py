"""What old citations are resolved by: superseded versions of a document's de-identified text, bounded, and of one policy with the live one.

Kept are the places of all passages of the last few versions, and the texts of those that the live version has no more. So a night that
changes one line of a document keeps one passage, and a re-chunk of an unchanged text keeps nothing. What was de-identified otherwise than
the live version is forgotten: it may show what is replaced now.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, delete, insert, select

from pipeline.domain.chunks import Chunk, Span
from pipeline.domain.identifiers import text_hash
from pipeline.storage import chunks as chunk_store
from pipeline.storage.chunks import ChunkRow
from pipeline.storage.citation_tables import cited_texts, cited_versions
from pipeline.storage.collections import in_collection, live_name
from pipeline.storage.tables import index_state

_KEY_DIGITS = 32  # of a SHA-256: 128 bits
_IN_BATCH = 500


@dataclass(frozen=True, slots=True)
class CitedPlace:
    """Where a passage of a superseded version stood. ``span``: half-open, characters of the de-identified part."""

    section: str
    ordinal: int
    piece: int
    part: str
    span: Span
    page: int | None
    text_key: str


@dataclass(frozen=True, slots=True)
class CitedVersion:
    """One superseded version of a document."""

    generation: int
    text_version: str
    scrubbed_by: str
    places: tuple[CitedPlace, ...] = field(repr=False)


def text_key(text: str) -> str:
    """Return the key of a passage's text as it is cited, its parents' included."""
    return text_hash(text)[:_KEY_DIGITS]


def place_of(chunk: Chunk) -> CitedPlace:
    """Return where a chunk stands."""
    return CitedPlace(chunk.section.value, chunk.ordinal, chunk.piece, chunk.part, chunk.span, chunk.page, text_key(chunk.text))


def shown_generations(tx: Connection, ids: Sequence[UUID], *, collection: str) -> dict[UUID, int]:
    """Return the generations of documents that readers see in a collection: none while it is a candidate."""
    query = select(index_state.c.document_id, index_state.c.live_generation).where(
        index_state.c.collection == collection, in_collection(None), index_state.c.live_generation.is_not(None)
    )
    found: dict[UUID, int] = {}
    for start in range(0, len(ids), _IN_BATCH):
        batch = tx.execute(query.where(index_state.c.document_id.in_(ids[start : start + _IN_BATCH])))
        found.update({row.document_id: row.live_generation for row in batch})
    return found


def supersede(tx: Connection, document_id: UUID, old: int, new: int, now: datetime, *, keep: int) -> None:
    """Keep what citations of a document's old generation need once the new one is live. Rows of both must still be there.

    Args:
        tx: The transaction of the flip.
        document_id: The document.
        old: The generation that was live.
        new: The one that is.
        now: The time.
        keep: Versions kept of the document, the newest ones.
    """
    made = chunk_store.text_versions(tx, [(document_id, old), (document_id, new)])
    before, after = made.get((document_id, old)), made.get((document_id, new))
    kept = versions(tx, document_id)
    is_new_text = before is not None and after is not None and before.text != after.text
    if not kept and not is_new_text:
        return
    rows = chunk_store.rows_of_generation(tx, document_id, old)
    if is_new_text and before is not None:
        kept.append(CitedVersion(old, before.text, before.scrubbed_by, tuple(place_of(row.chunk) for row in rows)))
        kept.sort(key=lambda one: one.generation, reverse=True)
    good = [one for one in kept if after is not None and one.scrubbed_by == after.scrubbed_by][:keep]
    _keep_versions(tx, document_id, good, now)
    live = {text_key(row.chunk.text) for row in chunk_store.rows_of_generation(tx, document_id, new)}
    _keep_texts(tx, document_id, {place.text_key for one in good for place in one.places} - live, rows)


def supersede_collection(tx: Connection, name: str, now: datetime, *, keep: int) -> None:
    """Keep what citations of a collection need that is about to be forgotten, where the live one shows its documents otherwise."""
    mine, live = index_state.alias("mine"), index_state.alias("live")
    query = (
        select(mine.c.document_id, mine.c.live_generation.label("old"), live.c.live_generation.label("new"))
        .join(live, live.c.document_id == mine.c.document_id)
        .where(
            mine.c.collection == name,
            live.c.collection == live_name(),
            live.c.collection != name,
            mine.c.live_generation.is_not(None),
            live.c.live_generation.is_not(None),
        )
    )
    for row in tx.execute(query).all():
        supersede(tx, row.document_id, row.old, row.new, now, keep=keep)


def versions(tx: Connection, document_id: UUID) -> list[CitedVersion]:
    """Return the superseded versions of a document that are kept, newest first."""
    query = select(cited_versions).where(cited_versions.c.document_id == document_id).order_by(cited_versions.c.generation.desc())
    return [CitedVersion(row.generation, row.text_version, row.scrubbed_by, tuple(map(_place, row.places))) for row in tx.execute(query)]


def texts(tx: Connection, document_id: UUID, keys: Collection[str] | None = None) -> dict[str, str]:
    """Return passages of superseded versions by their keys, ``None``: all that are kept. What the live version has is not among them."""
    query = select(cited_texts.c.text_key, cited_texts.c.text).where(cited_texts.c.document_id == document_id)
    if keys is not None:
        query = query.where(cited_texts.c.text_key.in_(sorted(keys)))
    return {row.text_key: row.text for row in tx.execute(query)}


def forget(tx: Connection, ids: Sequence[UUID]) -> None:
    """Forget what is kept of documents."""
    for start in range(0, len(ids), _IN_BATCH):
        for one in (cited_versions, cited_texts):
            tx.execute(delete(one).where(one.c.document_id.in_(ids[start : start + _IN_BATCH])))


def _keep_versions(tx: Connection, document_id: UUID, wanted: Sequence[CitedVersion], now: datetime) -> None:
    own = cited_versions.c.document_id == document_id
    there = set(tx.execute(select(cited_versions.c.generation).where(own)).scalars())
    generations = {one.generation for one in wanted}
    if there - generations:
        tx.execute(delete(cited_versions).where(own, cited_versions.c.generation.not_in(sorted(generations))))
    for one in wanted:
        if one.generation not in there:
            values = {"generation": one.generation, "text_version": one.text_version, "scrubbed_by": one.scrubbed_by}
            places = [_values(place) for place in one.places]
            tx.execute(insert(cited_versions).values(document_id=document_id, places=places, superseded_at=now, **values))


def _keep_texts(tx: Connection, document_id: UUID, wanted: set[str], leaving: Sequence[ChunkRow]) -> None:
    """Let exactly the wanted texts be kept: those that are kept already, and those of chunks that are about to go."""
    own = cited_texts.c.document_id == document_id
    there = set(tx.execute(select(cited_texts.c.text_key).where(own)).scalars())
    for batch in _batches(sorted(there - wanted)):
        tx.execute(delete(cited_texts).where(own, cited_texts.c.text_key.in_(batch)))
    found: Mapping[str, str] = {text_key(row.chunk.text): row.chunk.text for row in leaving}
    missing = [{"document_id": document_id, "text_key": key, "text": found[key]} for key in sorted(wanted - there) if key in found]
    if missing:
        tx.execute(insert(cited_texts), missing)


def _batches(keys: Sequence[str]) -> list[Sequence[str]]:
    return [keys[start : start + _IN_BATCH] for start in range(0, len(keys), _IN_BATCH)]


def _values(place: CitedPlace) -> list[Any]:
    return [place.section, place.ordinal, place.piece, place.part, place.span.start, place.span.end, place.page, place.text_key]


def _place(values: Sequence[Any]) -> CitedPlace:
    section, ordinal, piece, part, start, end, page, key = values
    return CitedPlace(section, ordinal, piece, part, Span(start, end), page, key)
