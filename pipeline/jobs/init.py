"""Makes a home: folders, schema, site secret, verified model export, collection. Safe to run again."""

from __future__ import annotations

from typing import Any

from pydantic import Field
from sqlalchemy import Connection

from pipeline.domain.errors import ForeignModelError
from pipeline.domain.vocabulary import CollectionRole
from pipeline.jobs.certificates.forgotten import recall
from pipeline.jobs.rekey import RekeySummary
from pipeline.jobs.summaries import Summary
from pipeline.observability import log_event
from pipeline.settings import Settings
from pipeline.stages.embed import prepare_model
from pipeline.storage import collections, index_state
from pipeline.storage.collections import CollectionRecord
from pipeline.storage.engine import Database
from pipeline.storage.migrations import current_revision, upgrade
from pipeline.storage.secrets import ensure_site_secret
from pipeline.wiring import Services, foreign_collection, settings_of_kind, utc_now


class InitSummary(Summary):
    """What a home consists of after ``init``."""

    home: str
    schema_revision: str
    collection: str
    model: str
    dimensions: int
    created: bool
    rebuilt: bool
    recalled_deletions: int = Field(0, description="certified deletions that truth had forgotten; `clindex index` erases what is back")
    rekeyed: RekeySummary | None = None


def initialise(settings: Settings, *, rebuild_index: bool = False) -> InitSummary:
    """Make the home that the settings name, or bring it up to date.

    Args:
        settings: Where the home is.
        rebuild_index: Drop the collection and make it anew; the next ``index`` writes every document again (from the cache where it can).

    Raises:
        ForeignModelError: A collection for another model or payload is there, and ``rebuild_index`` was not asked for; all else was brought up
            to date.
        SecretMismatchError: The site secret is not the one the home was made with.
        ModelError: The model's weights are not the published ones, or its export differs from the original.
    """
    settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    db = Database.open(settings.database)
    services = Services(settings, db)
    try:
        upgrade(db)
        ensure_site_secret(settings, db)
        for one in (settings, *(settings_of_kind(settings, kind) for kind in settings.kind_models)):
            prepare_model(one)
        recalled = recall(services)
        _register(services)
        try:
            created = _collection(services, rebuild=rebuild_index)
        except ForeignModelError as error:
            raise _all_but_the_collection(error, current_revision(db) or "") from None
        return InitSummary(
            home=str(settings.home.absolute()),
            schema_revision=current_revision(db) or "",
            collection=settings.collection,
            model=services.model_fingerprint,
            dimensions=services.dimensions,
            created=created,
            rebuilt=rebuild_index,
            recalled_deletions=recalled,
        )
    finally:
        services.close()


def _all_but_the_collection(error: ForeignModelError, revision: str) -> ForeignModelError:
    """Return the error with what is done by then: schema, secret and models are, the collection was left as it is."""
    return ForeignModelError(
        f"the database is up to date (schema {revision}) and the collection was left as it is: {error.message}", remedy=error.remedy
    )


def _collection(services: Services, *, rebuild: bool) -> bool:
    """Create the collection where there is none. Returns whether it did.

    The index is held all the while, so that no writer flips in between; truth forgets what is live before a new collection takes its
    place, so that the next ``index`` writes every document, wherever this is killed.
    """
    with services.index.session() as index:
        info = None if rebuild else index.describe()
        if info is not None and info.spec is not None and info.spec != services.spec:
            raise foreign_collection(info.spec, services.spec)
        if info is None or (info.spec is None and info.points == 0):
            with services.db.begin() as tx:
                index_state.forget_points(tx, utc_now(), collection=services.collection)
                _record(tx, services)
        if rebuild:
            index.remove()
        index.create(services.spec)
    services.catalog.point(services.settings.collection, services.collection)
    log_event("collection_ready", collection=services.collection, created=info is None)
    return info is None


def _register(services: Services) -> None:
    """Say in truth which collection is live: the one that the settings name, unless another was promoted."""
    with services.db.begin() as tx:
        live = collections.live(tx)
        if live is not None and live.name == services.collection:
            return
        if live is not None:  # CLINDEX_COLLECTION names another one now
            collections.set_role(tx, live.name, CollectionRole.PREVIOUS)
        _record(tx, services)
        collections.adopt_unnamed(tx, services.collection)


def _record(tx: Connection, services: Services) -> None:
    """Write what the live collection is made for: what the settings say now."""
    spec = services.spec
    made_for: dict[str, Any] = {
        "model": spec.model,
        "dimensions": spec.dimensions,
        "sparse": spec.sparse,
        "payload_version": spec.payload_version,
        "settings": services.collection_settings(),
    }
    if collections.get(tx, services.collection) is not None:
        collections.set_role(tx, services.collection, CollectionRole.LIVE, **made_for)
        return
    record = CollectionRecord(
        name=services.collection, role=CollectionRole.LIVE, reason="the home's first collection", created_at=utc_now(), **made_for
    )
    collections.add(tx, record)
