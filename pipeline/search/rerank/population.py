"""Whom a query, a document or a passage is about: children, adults, or nobody in particular."""

from __future__ import annotations

import re
from enum import Enum
from typing import Final

from pipeline.domain.chunks import Chunk
from pipeline.domain.vocabulary import Section
from pipeline.search.understand.model import Intent, Understood
from pipeline.storage.documents import DocumentRow

#: Years. Below this a patient is treated by pediatric orders: EMS protocols of US counties end them at 14 or with the length-based tape.
PEDIATRIC_BELOW: Final = 15

_CHILD: Final = re.compile(r"\b(?:p(?:a?e)?diatrics?|neonat\w*|newborns?|infants?|child(?:ren)?(?!\s?birth)|toddlers?)\b", re.IGNORECASE)
_ADULT: Final = re.compile(r"\badults?\b", re.IGNORECASE)
_CHILD_NUMBER: Final = re.compile(r"\d-?P\Z")  # EMS agencies number the pediatric twin of protocol 1219 as 1219-P


class Population(Enum):
    """Whom something is about."""

    CHILD = "child"
    ADULT = "adult"
    ANY = "any"


def of_words(text: str) -> Population:
    """Return whom words speak of; ``ANY`` where they name both, or neither."""
    child, adult = _CHILD.search(text) is not None, _ADULT.search(text) is not None
    return Population.ANY if child is adult else Population.CHILD if child else Population.ADULT


def of_query(understood: Understood) -> Population:
    """Return whom a query is about."""
    if Intent.PEDIATRIC in understood.intents:
        return Population.CHILD
    if understood.age_years is not None:
        return Population.CHILD if understood.age_years < PEDIATRIC_BELOW else Population.ADULT
    return of_words(understood.query)


def of_document(document: DocumentRow) -> Population:
    """Return whom a document is about by its number and title."""
    number = document.facets.reference_number
    return Population.CHILD if number and _CHILD_NUMBER.search(number) else of_words(document.title)


def of_chunk(chunk: Chunk) -> Population:
    """Return whom a passage is about by where it stands: its section, then its headings from the inside out."""
    if chunk.section is Section.PEDIATRIC:
        return Population.CHILD
    if chunk.section is Section.ADULT:
        return Population.ADULT
    for heading in reversed(chunk.headings):
        if (found := of_words(heading)) is not Population.ANY:
            return found
    return Population.ANY


def agreement(asked: Population, offered: Population) -> float:
    """Return 1 for the population that was asked for, -1 for the other one, 0 where one of the two is not said.

    A query that says nothing of age is mostly about an adult: what is for children alone then counts -1.
    """
    if asked is Population.ANY:
        return -1.0 if offered is Population.CHILD else 0.0
    if offered is Population.ANY:
        return 0.0
    return 1.0 if asked is offered else -1.0
