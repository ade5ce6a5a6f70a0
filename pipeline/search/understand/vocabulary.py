"""The words of an index, for spelling: asked of the index one at a time, and those of open titles and conditions read from truth."""

from __future__ import annotations

from collections import Counter
from typing import Final

from sqlalchemy import Connection, and_, select

from pipeline.domain.points import PointFilter
from pipeline.domain.ports import VectorQuery
from pipeline.domain.visibility import OPEN_ONLY, Visibility
from pipeline.search.held import Held
from pipeline.search.understand.spelling import TitleWords
from pipeline.search.understand.words import keys
from pipeline.storage.documents import facets_of
from pipeline.storage.tables import documents, index_state
from pipeline.wiring import Services

_TITLES: Final[Held[TitleWords]] = Held()


class IndexVocabulary:
    """``Vocabulary`` of one collection, as far as who asks may see it.

    Title words are those of open documents alone, whoever asks: what is kept is the same for all.
    """

    def __init__(self, services: Services, visible: Visibility | None = None) -> None:
        self._services = services
        self._where = PointFilter(visible=visible)

    def holds(self, word: str) -> bool:
        """Whether a passage has this word, or another of its stem."""
        sparse = self._services.sparse.encode_query(word)
        if not sparse.indices:
            return True  # a stop word: in every passage, and in no index
        with self._services.index.session() as index:
            return bool(index.rankings([VectorQuery(sparse)], where=self._where, limit=1)[0])

    def titles(self) -> TitleWords:
        """Return the words of titles and conditions of open documents."""
        with self._services.db.read() as tx:
            name = self._services.collection
            return _TITLES.get(tx, name, lambda: _read(tx, name))


def _read(tx: Connection, collection: str) -> TitleWords:
    state = index_state.c
    live = and_(state.document_id == documents.c.document_id, state.collection == collection, state.live_generation.is_not(None))
    query = (
        select(documents.c.kind, documents.c.title, documents.c.facets).join(index_state, live).where(documents.c.tombstoned_at.is_(None))
    )
    counts: Counter[str] = Counter()
    for kind, title, stored in tx.execute(query):
        facets = facets_of(stored)
        if OPEN_ONLY.sees(kind, facets):
            counts.update({key for text in (title, *facets.conditions) for key in keys(text) if key.isalpha()})
    return TitleWords.of(counts)
