"""Which feed is read: the paths that are given, or the server of the settings; everything, or what changed since the last complete load."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from pipeline.domain.errors import UsageError
from pipeline.domain.fhir import ResourceFeed
from pipeline.domain.vocabulary import FhirWay
from pipeline.fhir.models import shown_type
from pipeline.stages.normalize.fhir.types import DOCUMENTS, SUPPORTING
from pipeline.stages.sources.fhir.bulk import BulkFeed
from pipeline.stages.sources.fhir.folder import FolderFeed
from pipeline.stages.sources.fhir.search import SearchFeed
from pipeline.stages.sources.fhir.server import FhirServer
from pipeline.storage import fhir_loads
from pipeline.wiring import Services, utc_now

#: A Binary is asked for by the documents that refer to it: no server searches or exports all of them.
_NOT_ASKED_FOR = "Binary"


@dataclass(frozen=True, slots=True)
class FeedOptions:
    """What a command or a DAG's form says; what it leaves out, settings say.

    Attributes:
        paths: Folders, files and URLs of files; none: the server.
        way: How the server is asked.
        group: Id of a Group whose members are exported.
        types: Types of resources that are asked for.
        since: Only what changed from then on, or from the last complete load where that was earlier: what lies between would never be seen.
        full: Everything, and what is not named any more is gone.
        authority: Whose ids the resources have.
    """

    paths: Sequence[str] = field(default=(), repr=False)
    way: FhirWay | None = None
    group: str | None = field(default=None, repr=False)
    types: Sequence[str] = ()
    since: datetime | None = None
    full: bool = False
    authority: str | None = None


@contextmanager
def open_feed(services: Services, options: FeedOptions) -> Iterator[ResourceFeed]:
    """Open the feed that the options and the settings name.

    Raises:
        UsageError: Options contradict each other, or neither a folder nor a server is known.
        ConfigurationError: See ``FhirServer``.
    """
    settings = services.settings
    authority = options.authority or settings.fhir_authority
    paths = tuple(options.paths)
    if not paths and settings.fhir_url is None and options.way is None:
        paths = settings.fhir_paths
    if paths:
        if options.way or options.group or options.types or options.since:
            raise UsageError("--from, --group, --type and --since ask a server; files are read whole")
        yield FolderFeed(paths, secret=services.secret, authority=authority, full=options.full)
        return
    if settings.fhir_url is None:
        raise UsageError("no FHIR resources are known", remedy="Name files or folders, or set CLINDEX_FHIR_URL or CLINDEX_FHIR_PATHS.")
    if options.full and options.since is not None:
        raise UsageError("--full and --since contradict each other")
    server = FhirServer(settings)
    try:
        yield _server_feed(services, server, options, authority)
    finally:
        server.close()


def chosen(services: Services, options: FeedOptions) -> list[FeedOptions]:
    """Return the feeds of one night: the paths that are given, else the server and the folders that settings name; both may be."""
    folders = services.settings.fhir_paths
    if options.paths or services.settings.fhir_url is None or not folders:
        return [options]
    return [options, FeedOptions(paths=folders, full=options.full, authority=options.authority)]


def _server_feed(services: Services, server: FhirServer, options: FeedOptions, authority: str) -> ResourceFeed:
    settings = services.settings
    types = _types(options.types or settings.fhir_types)
    group = options.group or settings.fhir_group

    def bulk(since: str | None) -> ResourceFeed:
        level = f"group:{group}" if group else settings.fhir_level
        hours = settings.fhir_export_hours
        return BulkFeed(server, secret=services.secret, authority=authority, level=level, types=types, since=since, hours=hours)

    def search(since: str | None) -> ResourceFeed:
        overlap = timedelta(seconds=settings.fhir_overlap_seconds)
        size = settings.fhir_page_size
        return SearchFeed(server, secret=services.secret, authority=authority, types=types, since=since, page_size=size, overlap=overlap)

    if (options.way or settings.fhir_from) is FhirWay.SEARCH:
        if group:
            raise UsageError(
                "a search knows no group: it would load everybody",
                remedy="Ask with --from bulk, or leave --group and CLINDEX_FHIR_GROUP out.",
            )
        return _since(services, search, options)
    return _since(services, bulk, options)


def _since(services: Services, make: Callable[[str | None], ResourceFeed], options: FeedOptions) -> ResourceFeed:
    """Return the feed of what changed, or of everything where that is asked for, or due."""
    everything = make(None)
    if options.full:
        return everything
    with services.db.read() as tx:
        loaded_to = fhir_loads.last_transaction_time(tx, everything.scope)
        full_at = fhir_loads.last_full(tx, everything.scope)
    if options.since is not None:
        asked = options.since if loaded_to is None else min(options.since, datetime.fromisoformat(loaded_to))
        return make(asked.isoformat())
    is_due = full_at is None or utc_now() - full_at > timedelta(days=services.settings.fhir_full_days)
    return everything if loaded_to is None or is_due else make(loaded_to)


def _types(asked: Sequence[str]) -> tuple[str, ...]:
    if unknown := [one for one in asked if shown_type(one) != one]:
        raise UsageError(f"{len(unknown)} of the types of resources do not exist", remedy="Their names are FHIR's: Observation, Condition.")
    return tuple(asked) or tuple(sorted((DOCUMENTS | SUPPORTING) - {_NOT_ASKED_FOR}))
