"""What identifiers a collection's documents have, by key: read from truth, kept in memory until truth changes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from sqlalchemy import Connection, Subquery, and_, select

from pipeline.search.held import Held
from pipeline.search.route.keys import key_of, tail_of, trial_series
from pipeline.search.understand.model import Scheme
from pipeline.storage.study_tables import studies, study_aliases, study_secondary_ids
from pipeline.storage.tables import chunks, document_identifiers, documents, index_state

# A name of a series of trials and its number in a registry title: "(MK-3475-189/KEYNOTE-189)", "KEYNOTE-407 in squamous NSCLC".
_SERIES_IN_TITLE: Final = re.compile(r"(?<![\w-])([A-Za-z]{3,14}(?:-[A-Z][a-z]{3,6})?)[- ]?(\d{2,4})(?![\w.%-])")
# A secondary id of the registry may be any text; those of this shape are numbers.
_NUMBER: Final = re.compile(r"(?=.*\d)[A-Za-z0-9][\w./ -]{2,29}\Z", re.ASCII)
_STORED: Final = {scheme.value: scheme for scheme in Scheme}


#: A code of a clinical vocabulary.
Code = tuple[Scheme, str]
#: Vocabularies whose codes are filters, and the facet that holds a document's.
CODED: Final = {
    Scheme.ICD_10: "icd_codes",
    Scheme.LOINC: "loinc_codes",
    Scheme.SNOMED: "snomed_codes",
    Scheme.RXNORM: "rxnorm_codes",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One identifier of one document."""

    scheme: Scheme
    value: str  # as truth keeps it
    document_id: UUID


@dataclass(frozen=True, slots=True)
class Directory:
    """Identifiers of the documents that are live in one collection, by key.

    Attributes:
        entries: By ``key_of``.
        tails: Protocol numbers by their last part.
    """

    entries: dict[str, tuple[Entry, ...]] = field(default_factory=dict, repr=False)
    tails: dict[str, tuple[Entry, ...]] = field(default_factory=dict, repr=False)


_DIRECTORIES: Final[Held[Directory]] = Held()
_CODES: Final[Held[dict[Code, frozenset[UUID]]]] = Held()


def directory(tx: Connection, *, collection: str) -> Directory:
    """Return the identifiers of what is live in a collection, as of the transaction's own view of truth."""
    return _DIRECTORIES.get(tx, collection, lambda: _read(tx, collection))


def documents_with_codes(tx: Connection, *, collection: str) -> dict[Code, frozenset[UUID]]:
    """Return the documents that each code finds, live ones alone: of ICD-10 also those in whose text it stands."""
    return _CODES.get(tx, collection, lambda: _read_codes(tx, collection))


def _read(tx: Connection, collection: str) -> Directory:
    found: dict[str, dict[Entry, None]] = {}
    tails: dict[str, dict[Entry, None]] = {}
    for entry in _entries(tx, collection):
        found.setdefault(key_of(entry.value), {})[entry] = None
        if entry.scheme is Scheme.PROTOCOL_NUMBER and (tail := tail_of(entry.value)):
            tails.setdefault(tail, {})[entry] = None
    return Directory({key: tuple(some) for key, some in found.items()}, {key: tuple(some) for key, some in tails.items()})


def _entries(tx: Connection, collection: str) -> Iterator[Entry]:
    live = _live(collection)
    own = document_identifiers.c
    query = select(own.document_id, own.scheme, own.value).join(live, live.c.document_id == own.document_id).where(own.own)
    for row in tx.execute(query.where(own.scheme.in_(list(_STORED)))):
        yield Entry(_STORED[row.scheme], row.value, row.document_id)
    yield from _of_studies(tx, live)
    for row in tx.execute(select(live.c.document_id)):  # a document's own id, as JSON of a search gives it
        yield Entry(Scheme.DOCUMENT_ID, str(row.document_id), row.document_id)


def _of_studies(tx: Connection, live: Subquery) -> Iterator[Entry]:
    names = studies.c
    query = select(names.document_id, names.nct_id, names.org_study_id, names.acronym, names.brief_title, names.official_title)
    for row in tx.execute(query.join(live, live.c.document_id == names.document_id)):
        yield Entry(Scheme.NCT_ID, row.nct_id, row.document_id)
        if row.org_study_id and _NUMBER.match(row.org_study_id):
            yield Entry(Scheme.PROTOCOL_NUMBER, row.org_study_id, row.document_id)
        for text in (row.acronym, row.brief_title, row.official_title):
            for name, number in _SERIES_IN_TITLE.findall(text or ""):
                if key_of(name) in trial_series()[0]:
                    yield Entry(Scheme.PROTOCOL_NUMBER, f"{name}-{number}", row.document_id)
    yield from _other_numbers(tx, live)


def _other_numbers(tx: Connection, live: Subquery) -> Iterator[Entry]:
    aliases = select(study_aliases.c.document_id, study_aliases.c.alias)
    for document, alias in tx.execute(aliases.join(live, live.c.document_id == study_aliases.c.document_id)):
        yield Entry(Scheme.NCT_ID, alias, document)
    seconds = select(study_secondary_ids.c.document_id, study_secondary_ids.c.secondary_id)
    for document, value in tx.execute(seconds.join(live, live.c.document_id == study_secondary_ids.c.document_id)):
        if _NUMBER.match(value):
            yield Entry(Scheme.PROTOCOL_NUMBER, value, document)


def _live(collection: str) -> Subquery:
    state = index_state.c
    there = and_(documents.c.document_id == state.document_id, documents.c.tombstoned_at.is_(None))
    wanted = and_(state.collection == collection, state.live_generation.is_not(None))
    return select(state.document_id, state.live_generation).join(documents, there).where(wanted).subquery("live")


def _read_codes(tx: Connection, collection: str) -> dict[Code, frozenset[UUID]]:
    live = _live(collection)
    current = and_(live.c.document_id == chunks.c.document_id, live.c.live_generation == chunks.c.generation)
    found: dict[Code, set[UUID]] = {}
    for document, codes in tx.execute(
        select(chunks.c.document_id, chunks.c.icd_codes).join(live, current).where(chunks.c.icd_codes.is_not(None))
    ):
        for code in codes or ():
            found.setdefault((Scheme.ICD_10, code), set()).add(document)
    for document, facets in tx.execute(
        select(documents.c.document_id, documents.c.facets).join(live, live.c.document_id == documents.c.document_id)
    ):
        for scheme, name in CODED.items():
            for code in facets.get(name) or ():
                found.setdefault((scheme, code), set()).add(document)
    return {code: frozenset(some) for code, some in found.items()}
