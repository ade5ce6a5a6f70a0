"""The Airflow tasks that load FHIR resources and list the documents that they are (see ``steps.nightly``)."""

from __future__ import annotations

from dataclasses import asdict

from pipeline.domain.errors import IncompleteRunError
from pipeline.jobs.fetch import fetch as fetch_records
from pipeline.jobs.fetch import key_ranges
from pipeline.jobs.fhir.documents import FhirDocuments
from pipeline.jobs.fhir.feeds import FeedOptions, chosen, open_feed
from pipeline.jobs.fhir.files_of_patients import refresh_files
from pipeline.jobs.fhir.ingest import refuse_unknown_label
from pipeline.jobs.fhir.load_feed import load_feed
from pipeline.jobs.steps.nightly import REMEDY, batch_size, hand_on, judge_ingest, pack
from pipeline.jobs.steps.task import Json, task_home


def load(*, full: bool = False, paths: list[str] | None = None, types: list[str] | None = None) -> Json:
    """Load the files that are given, or every feed of the settings. Returns what each load did, in counts.

    Raises:
        UsageError: No feed is known, or see ``open_feed``.
    """
    loads = []
    with task_home() as services:
        for options in chosen(services, FeedOptions(paths=paths or (), types=types or (), full=full)):
            with open_feed(services, options) as feed:
                loads.append(
                    load_feed(services, feed, default=services.settings.fhir_version).model_dump(mode="json", exclude={"failures"})
                )
        changed, failed = refresh_files(services)
    return {"loads": loads, "files_changed": changed, "files_failed": failed}


def fetch(*, access: str | None = None) -> Json:
    """List the documents of everything that is loaded. Returns the crawl and the stretches of changed ones.

    Raises:
        UsageError: The label is none of the site's.
    """
    with task_home() as services:
        refuse_unknown_label(services, access)
        fetched = fetch_records(services, FhirDocuments(services, access=access))
        hand_on(services, fetched.run_id)
        ranges = key_ranges(services, fetched.crawl_id, size=batch_size(services.settings, fetched.changed))
    return {"fetched": pack(fetched), "batches": [asdict(one) for one in ranges]}


def judge(loaded: Json, summary: Json) -> None:
    """Make an incomplete load, or an incomplete ingestion of its documents, red.

    Args:
        loaded: What ``load`` returned.
        summary: What ``complete_ingest`` returned.

    Raises:
        IncompleteRunError: A feed was incomplete; entries, resources, attachments, files or documents failed.
    """
    wrong = [one for one in loaded["loads"] if one["failed"] or not one["complete"]]
    said = [f"load run {one['run_id']}: {one['failed']} entries failed, feed complete: {one['complete']}" for one in wrong]
    if loaded["files_failed"]:
        said.append(f"{loaded['files_failed']} files of patients failed")
    try:
        judge_ingest(summary)
    except IncompleteRunError as error:
        said.append(error.message)
    if said:
        raise IncompleteRunError("; ".join(said), remedy=REMEDY)
