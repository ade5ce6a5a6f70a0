"""What readers did with hits, and two settings compared on the same searches. Ids, enum values and counts; no text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from sqlalchemy import Connection, func, insert, select

from pipeline.storage.retrieval_tables import feedback, interleavings


class Event(StrEnum):
    """What a reader did."""

    OPENED = "opened"
    USEFUL = "useful"
    NOT_USEFUL = "not_useful"
    REFINED = "refined"  # asked again in other words
    EXPORTED = "exported"


#: Events that speak for the setting whose hit it was.
CREDITED = (Event.OPENED, Event.USEFUL, Event.EXPORTED)


@dataclass(frozen=True, slots=True)
class Interleaving:
    """Which setting each shown document of one search was drawn for."""

    search_id: UUID
    first: str
    second: str
    teams: Mapping[UUID, str]


def add(tx: Connection, search_id: UUID, event: Event, now: datetime, *, document_id: UUID | None, position: int | None) -> None:
    """Keep one event. The caller has checked that the search showed the document."""
    tx.execute(insert(feedback).values(search_id=search_id, at=now, event=event.value, document_id=document_id, position=position))


def counts(tx: Connection, since: datetime | None = None) -> dict[str, int]:
    """Return how often each event was kept, those that never were included."""
    query = select(feedback.c.event, func.count()).group_by(feedback.c.event)
    if since is not None:
        query = query.where(feedback.c.at >= since)
    found: dict[str, int] = {row[0]: row[1] for row in tx.execute(query)}
    return {event.value: found.get(event.value, 0) for event in Event}


def searches_with_feedback(tx: Connection, since: datetime | None = None) -> int:
    """Return of how many searches something was said."""
    query = select(func.count(feedback.c.search_id.distinct()))
    if since is not None:
        query = query.where(feedback.c.at >= since)
    number: int = tx.execute(query).scalar_one()
    return number


def keep_interleaving(tx: Connection, drawn: Interleaving) -> None:
    """Keep whose hit each shown document was."""
    teams = {str(document): name for document, name in drawn.teams.items()}
    tx.execute(insert(interleavings).values(search_id=drawn.search_id, first=drawn.first, second=drawn.second, teams=teams))


def credits(tx: Connection) -> dict[tuple[str, str], list[tuple[int, int]]]:  # noqa: A001 - the builtin is the interpreter's licence
    """Return for each pair of settings, a search at a time, how many documents of either were credited; searches without credit are left out.

    A document counts once for a search, whatever was done with it.
    """
    events = tuple(event.value for event in CREDITED)
    query = (
        select(interleavings.c.search_id, interleavings.c.first, interleavings.c.second, interleavings.c.teams, feedback.c.document_id)
        .join(feedback, feedback.c.search_id == interleavings.c.search_id)
        .where(feedback.c.event.in_(events), feedback.c.document_id.is_not(None))
    )
    credited: dict[tuple[str, str], dict[UUID, dict[UUID, str]]] = {}
    for row in tx.execute(query):
        of_search = credited.setdefault((row.first, row.second), {}).setdefault(row.search_id, {})
        if name := row.teams.get(str(row.document_id)):
            of_search[row.document_id] = name
    return {
        (first, second): [
            (sum(name == first for name in teams.values()), sum(name == second for name in teams.values()))
            for teams in searches.values()
            if teams
        ]
        for (first, second), searches in credited.items()
    }
