"""Alembic migrations of the truth, run by the code itself: no alembic.ini, no working directory, shipped with the package."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from pipeline.domain.errors import HomeNotInitialisedError
from pipeline.storage.engine import Database

_FOLDER: Final = Path(__file__).parent


def upgrade(db: Database) -> None:
    """Bring the database to the code's schema, all or nothing (MySQL commits each statement by itself). Makes a missing SQLite file.

    Raises:
        HomeNotInitialisedError: The database is ahead of the code.
        StoreUnavailableError: It does not answer.
    """
    db.prepare()
    if current_revision(db) is not None:
        _refuse_unknown(current_revision(db))
    config = _config()
    with db.begin() as tx:
        config.attributes["connection"] = tx
        command.upgrade(config, "head")


def current_revision(db: Database) -> str | None:
    """Return the database's schema version, or ``None`` where it has none."""
    with db.read() as tx:
        return MigrationContext.configure(tx).get_current_revision()


def head_revision() -> str:
    """Return the code's schema version."""
    head = _scripts().get_current_head()
    if head is None:
        raise RuntimeError("the package holds no migration")
    return head


def require_current(db: Database) -> None:
    """Check that the database has the code's schema. Nothing is changed or made.

    Raises:
        HomeNotInitialisedError: There is no database yet, or its schema is behind or ahead of the code.
    """
    current = current_revision(db)
    if current == head_revision():
        return
    if current is None:
        raise HomeNotInitialisedError("the database holds no schema yet", remedy="run clindex init")
    _refuse_unknown(current)
    raise HomeNotInitialisedError(
        f"the database's schema {current} is behind the code's {head_revision()}", remedy="run clindex init, which migrates it"
    )


def _refuse_unknown(current: str | None) -> None:
    known = {script.revision for script in _scripts().walk_revisions()}
    if current not in known:
        raise HomeNotInitialisedError(
            f"the database's schema {current} is unknown to this code ({head_revision()}): a newer Clindex has migrated it",
            remedy="install that version of Clindex or a later one; a schema is never migrated backwards",
        )


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    return config


def _scripts() -> ScriptDirectory:
    return ScriptDirectory.from_config(_config())
