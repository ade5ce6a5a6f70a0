"""A mark of the truth that changes with every commit that could change an answer: what is cached under an older one is never served again.

No writer names it. Every write to a table of ours, but for those below, puts a new random mark in the same transaction, as its last
statement: nobody waits for anything while he holds its row, so writers cannot lock each other out over it.
"""

from __future__ import annotations

from typing import Any, Final
from uuid import uuid4

from sqlalchemy import Connection, Engine, event
from sqlalchemy.sql.dml import UpdateBase

from pipeline.storage import meta
from pipeline.storage.tables import METADATA

#: Writing these changes no answer: what searches themselves write, signs of life, and facts about the home.
WITHOUT_ANSWERS: Final = frozenset({"meta", "api_keys", "search_log", "interleavings", "feedback", "runs", "run_outcomes"})

_KEY: Final = "truth_version"
_CHANGED: Final = "clindex_truth_changed"


def read(tx: Connection) -> str:
    """Return the mark; empty where nothing was ever written. Read it before what is to be cached under it."""
    return meta.get(tx, _KEY) or ""


def watch(engine: Engine) -> None:
    """Notice on every connection of an engine whether the open transaction writes what answers are made of."""

    @event.listens_for(engine, "begin")
    def forget(connection: Connection) -> None:
        connection.info.pop(_CHANGED, None)

    @event.listens_for(engine, "before_execute")
    def notice(connection: Connection, statement: Any, *_: Any) -> None:
        if isinstance(statement, UpdateBase):
            name = getattr(statement.table, "name", "")
            if name in METADATA.tables and name not in WITHOUT_ANSWERS:
                connection.info[_CHANGED] = True


def renew(tx: Connection) -> None:
    """Put a new mark if the transaction has written what answers are made of. Its last statement."""
    if tx.info.pop(_CHANGED, False):
        meta.put(tx, _KEY, uuid4().hex)
