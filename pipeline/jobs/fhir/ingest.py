"""Ingestion of FHIR: a feed is loaded, then what is loaded is listed and taken as documents are."""

from __future__ import annotations

from pipeline.domain.errors import UsageError
from pipeline.domain.fhir import ResourceFeed
from pipeline.domain.vocabulary import FhirVersion
from pipeline.jobs.fhir.documents import FhirDocuments
from pipeline.jobs.fhir.feeds import FeedOptions, chosen, open_feed
from pipeline.jobs.fhir.files_of_patients import refresh_files
from pipeline.jobs.fhir.load_feed import load_feed
from pipeline.jobs.fhir.summaries import FhirSummary
from pipeline.jobs.ingest import ingest, is_incomplete
from pipeline.wiring import Services


def ingest_fhir(services: Services, feed: ResourceFeed, *, default: FhirVersion = FhirVersion.R4, access: str | None = None) -> FhirSummary:
    """Load a feed and take the documents of everything that is loaded.

    Args:
        services: The home.
        feed: Where resources come from.
        default: Release of FHIR of resources that do not tell theirs.
        access: Access label of the documents.

    Raises:
        UsageError: The label is none of the site's.
        GuardRefusedError: So much vanished that feed or listing is suspect; nothing was removed.
    """
    refuse_unknown_label(services, access)
    loaded = load_feed(services, feed, default=default)
    files_changed, files_failed = refresh_files(services)
    ingested = ingest(services, FhirDocuments(services, access=access))
    return FhirSummary(load=loaded, ingest=ingested, files_changed=files_changed, files_failed=files_failed)


def ingest_configured(services: Services, *, full: bool = False) -> list[FhirSummary]:
    """Load and take the feeds that the settings name, one after the other; none: there are none.

    Raises:
        See ``ingest_fhir`` and ``open_feed``.
    """
    settings = services.settings
    if settings.fhir_url is None and not settings.fhir_paths:
        return []
    found = []
    for options in chosen(services, FeedOptions(full=full)):
        with open_feed(services, options) as feed:
            found.append(ingest_fhir(services, feed, default=settings.fhir_version))
    return found


def refuse_unknown_label(services: Services, access: str | None) -> None:
    """Refuse an access label that is none of the site's.

    Raises:
        UsageError: It is none.
    """
    if access is not None and access not in services.settings.access_labels:
        raise UsageError("no such access label", remedy="CLINDEX_ACCESS_LABELS names them.")


def is_fhir_incomplete(summary: FhirSummary) -> bool:
    """Whether something was left out: a file, an entry, a resource or a document."""
    return bool(summary.load.failed or summary.files_failed) or not summary.load.complete or is_incomplete(summary.ingest)
