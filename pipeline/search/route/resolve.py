"""Mentions of a query against what the index holds: which are identifiers, and of which documents."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Final
from uuid import UUID

from sqlalchemy import Connection

from pipeline.domain.points import PointFilter
from pipeline.domain.visibility import Visibility
from pipeline.lexicons import entries
from pipeline.search.route.directory import CODED, Directory, Entry, directory, documents_with_codes
from pipeline.search.route.keys import key_of, long_series
from pipeline.search.route.model import Route, RouteName
from pipeline.search.understand.model import Intent, Mention, Scheme, Understood
from pipeline.storage.documents import load_documents

# A number of one study at least, without a word that says so: "KEYNOTE-189", "3000-02-005", "CA116001". Shorter ones ("COVID-19", "CD19",
# "IL-6", "0-1") are names and ranges far more often.
_LEAST_DIGITS: Final = 3
_LONGEST_NAME: Final = 7  # characters of a gene, a drug's code or a virus with a hyphen and three digits ("BX-220", "MIR-155", "LAG-525")
_LEAST_DIGITS_BARE: Final = 5  # digits alone, in a longer question


def route(tx: Connection, understood: Understood, *, collection: str, visible: Visibility | None = None) -> Route:
    """Return where a query goes by what truth says the collection holds.

    Args:
        tx: Reads truth.
        understood: The query.
        collection: Only what is live in it counts.
        visible: Who asks. A document that they may not see is not held: its identifiers are answered as those of no document.
    """
    if not understood.mentions:
        return Route(RouteName.HYBRID)
    is_child = Intent.PEDIATRIC in understood.intents
    found = {mention: _documents(tx, mention, collection, is_child=is_child) for mention in understood.mentions}
    seen = _visible(tx, {document for some in found.values() for document in some}, visible)
    known = _longest([mention for mention, some in found.items() if some & seen])
    absent = tuple(one for one in understood.mentions if one.schemes == (Scheme.NCT_ID,) and not found[one] & seen)
    if known:
        return Route(RouteName.IDENTIFIER, known, absent, _narrowed(known, {one: found[one] & seen for one in known}))
    if absent:
        return Route(RouteName.ABSENT, (), absent)
    return Route(RouteName.HYBRID, (), tuple(one for one in understood.mentions if _is_asked_for(one)))


def _is_asked_for(mention: Mention) -> bool:
    """Whether a query is little but a number that can only be a document's: "policy 510", "KEYNOTE-189", "CA116001"; not "COVID-19", "CA125"."""
    digits, letters = sum(sign.isdigit() for sign in mention.value), sum(sign.isalpha() for sign in mention.value)
    if not mention.alone or digits < _LEAST_DIGITS or not {Scheme.PROTOCOL_NUMBER, Scheme.REFERENCE_NUMBER} & set(mention.schemes):
        return False
    return mention.said or digits >= _LEAST_DIGITS_BARE or (letters > 0 and "-" in mention.value and len(mention.value) > _LONGEST_NAME)


def _narrowed(known: tuple[Mention, ...], found: dict[Mention, frozenset[UUID]]) -> PointFilter:
    """Return the filter of what is named: the documents; where only codes of vocabularies are, what is coded with them.

    Codes of one vocabulary are alternatives; those of several must all hold.
    """
    named = [one for one in known if _scheme_of_code(one) is None]
    if not named:
        codes = {scheme: tuple(sorted({one.value for one in known if one.schemes == (scheme,)})) for scheme in CODED}
        return PointFilter(
            icd_codes=codes[Scheme.ICD_10],
            loinc_codes=codes[Scheme.LOINC],
            snomed_codes=codes[Scheme.SNOMED],
            rxnorm_codes=codes[Scheme.RXNORM],
        )
    return PointFilter(document_ids=tuple(sorted({document for one in named for document in found[one]})))


def _documents(tx: Connection, mention: Mention, collection: str, *, is_child: bool) -> frozenset[UUID]:
    """Return the documents that a mention names, where the query uses it as an identifier."""
    if (scheme := _scheme_of_code(mention)) is not None:
        return documents_with_codes(tx, collection=collection).get((scheme, mention.value), frozenset())
    held = directory(tx, collection=collection)
    exact = _of_schemes(held.entries.get(key_of(mention.value), ()), mention)
    if not exact and (series := long_series(mention.value)):
        exact = _of_schemes(held.entries.get(key_of(series), ()), mention)
    if exact and is_child and mention.value[-1].isdigit():  # "1203 peds" may mean 1203-P, its twin for children: the words decide
        exact += _of_schemes(held.entries.get(key_of(f"{mention.value}-P"), ()), mention)
    if exact:
        return frozenset(entry.document_id for entry in exact) if _is_used_as_one(mention) else frozenset()
    return _by_tail(held, mention)


def _scheme_of_code(mention: Mention) -> Scheme | None:
    """Return the vocabulary of a mention that can only be a code; ``None`` for what names documents."""
    return mention.schemes[0] if len(mention.schemes) == 1 and mention.schemes[0] in CODED else None


def _of_schemes(found: Iterable[Entry], mention: Mention) -> list[Entry]:
    return [entry for entry in found if entry.scheme in mention.schemes]


def _by_tail(held: Directory, mention: Mention) -> frozenset[UUID]:
    """Return the study that a team calls by the last part of its number, where a word says so or it stands alone, and it is one study's."""
    if Scheme.PROTOCOL_NUMBER not in mention.schemes or not (mention.said or mention.alone):
        return frozenset()
    found = held.tails.get(mention.value, ())
    return frozenset(entry.document_id for entry in found) if len({key_of(entry.value) for entry in found}) == 1 else frozenset()


def _is_used_as_one(mention: Mention) -> bool:
    """Whether the query means an identifier that the index holds, and not a dose, a gene or a virus that is written alike."""
    if mention.said:
        return True
    digits, letters = sum(sign.isdigit() for sign in mention.value), sum(sign.isalpha() for sign in mention.value)
    if letters == 0 and not re.search(r"[-/]", mention.value):
        return mention.alone or digits >= _LEAST_DIGITS_BARE
    return digits >= _LEAST_DIGITS and mention.value.casefold() not in _names()


@cache
def _names() -> frozenset[str]:
    return frozenset(entry.rstrip("?").casefold() for name in ("genes", "measures", "clinical_words") for entry in entries(name))


def _longest(known: list[Mention]) -> tuple[Mention, ...]:
    """Leave out a mention that lies within a longer known one ("1203" of "1203-P")."""
    return tuple(
        one
        for one in known
        if not any(
            other is not one and other.start <= one.start and one.end <= other.end and other.end - other.start > one.end - one.start
            for other in known
        )
    )


def _visible(tx: Connection, ids: set[UUID], visible: Visibility | None) -> frozenset[UUID]:
    """Return those of the documents that are there for who asks."""
    rows = load_documents(tx, sorted(ids))
    return frozenset(
        document for document, row in rows.items() if not row.tombstoned and (visible is None or visible.sees(row.kind, row.facets))
    )
