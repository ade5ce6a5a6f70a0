"""``clindex demo``: a home, the nightly DAGs through Airflow, two searches, the report."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import Field
from rich.text import Text

from pipeline.cli.output import Json, Verbose, execute, out, plain, say, table
from pipeline.cli.searching import render_search
from pipeline.domain.errors import IncompleteRunError, UsageError
from pipeline.jobs.summaries import Summary
from pipeline.search.request import SearchResult
from pipeline.settings import Settings

DEMO_LIMIT = 200  # live studies: one polite page, indexed in a few minutes on 2 cores
SAMPLE_QUERIES = (
    "HER2-positive breast cancer, no prior taxane",
    "epinephrine dose for a child with anaphylaxis",
    "potassium replaced after furosemide",
    "critically high potassium result",
)


class DemoSummary(Summary):
    """What the demo did."""

    home: str
    ingest: dict[str, Any]
    ingest_documents: dict[str, Any]
    load_fhir: dict[str, Any] = Field({})
    ingest_fhir: dict[str, Any] = Field({})
    index: dict[str, Any]
    reconcile: dict[str, Any]
    documents: dict[str, int]
    searches: list[SearchResult]
    report: str
    seconds: float

    @property
    def incomplete(self) -> bool:
        """Whether index and database differ."""
        return not self.reconcile.get("clean")


def demo(
    query: Annotated[str | None, typer.Option(help="Take live studies from the registry for these words in place of the samples.")] = None,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Run the nightly DAGs through Airflow over the sample corpus, search it, and show where the report is."""
    execute(lambda: run_demo(Settings(), query=query), as_json=as_json, render=render_demo, failed=lambda s: s.incomplete, verbose=verbose)


def run_demo(settings: Settings, *, query: str | None) -> DemoSummary:
    """Set a home up and run one night on it.

    Raises:
        UsageError: The repository's DAGs and samples are not where this package was installed from.
        IncompleteRunError: A DAG run was not a success; its log is above.
    """
    from pipeline.jobs.init import initialise
    from pipeline.search.request import SearchRequest
    from pipeline.search.search import search
    from pipeline.storage import index_state, runs
    from pipeline.wiring import open_services

    start = time.monotonic()
    root = repository()
    initialise(settings)
    conf: dict[str, object] = {"ingest_trials": {"query": query, "limit": DEMO_LIMIT}}
    if query is None:
        samples = root / "samples"
        conf = {
            "ingest_trials": {"from_path": str(samples / "trials")},
            "ingest_documents": {"paths": [str(samples / "documents" / name) for name in ("public", "ward")]},
            "ingest_fhir": {"paths": [str(samples / "fhir")]},
        }
    _run_dags(settings, root, conf)
    with open_services(settings) as services:
        with services.db.read() as tx:
            latest = {
                kind: runs.latest_run(tx, kind) for kind in ("ingest", "ingest_documents", "load_fhir", "ingest_fhir", "index", "reconcile")
            }
            documents = index_state.state_counts(tx)
        today = datetime.now(UTC).date()
        texts = (query, f"{query} exclusion") if query else SAMPLE_QUERIES
        searches = [search(services, SearchRequest(query=text, limit=3), today=today) for text in texts]
    counts = {kind: dict(run.counts) if run else {} for kind, run in latest.items()}
    return DemoSummary(
        home=str(settings.home.absolute()),
        ingest=counts["ingest"],
        ingest_documents=counts["ingest_documents"],
        load_fhir=counts["load_fhir"],
        ingest_fhir=counts["ingest_fhir"],
        index=counts["index"],
        reconcile=counts["reconcile"],
        documents=documents,
        searches=searches,
        report=str(settings.reports_folder / "latest.html"),
        seconds=time.monotonic() - start,
    )


def repository() -> Path:
    """Return the repository's root, where DAGs and samples are.

    Raises:
        UsageError: This package was installed without them.
    """
    root = Path(__file__).resolve().parents[2]
    if not (root / "dags").is_dir() or not (root / "samples" / "trials").is_dir():
        raise UsageError("the demo needs the repository's dags/ and samples/", remedy="Run `make demo` in a clone.")
    return root


def airflow_environment(settings: Settings, root: Path) -> dict[str, str]:
    """Return the environment in which Airflow runs on a home: its own SQLite, our DAGs and plugins, nothing shared with other homes."""
    airflow_home = settings.home.absolute() / "airflow"
    airflow_home.mkdir(parents=True, exist_ok=True)
    return {
        **os.environ,
        "CLINDEX_HOME": str(settings.home.absolute()),
        "AIRFLOW_HOME": str(airflow_home),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__DAGS_FOLDER": str(root / "dags"),
        "AIRFLOW__CORE__PLUGINS_FOLDER": str(root / "plugins"),
        "AIRFLOW__DAG_PROCESSOR__DAG_BUNDLE_STORAGE_PATH": str(airflow_home / "bundles"),
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{airflow_home / 'airflow.db'}",
        "AIRFLOW__LOGGING__LOGGING_LEVEL": "WARNING",
        "PYTHONWARNINGS": "ignore",
    }


def _run_dags(settings: Settings, root: Path, conf: dict[str, object]) -> None:
    command = [sys.executable, str(root / "scripts" / "run-dags"), json.dumps(conf)]
    # Airflow prints on stdout; ours is for the result.
    done = subprocess.run(command, env=airflow_environment(settings, root), stdout=sys.stderr, check=False)  # noqa: S603
    if done.returncode != 0:
        raise IncompleteRunError("a DAG run was not a success", remedy="Its log is above; `clindex status` shows the runs.")


def render_demo(summary: DemoSummary) -> None:
    """Print the summary table, the example searches and the report's path."""
    index, found = summary.index, summary.reconcile
    rows: list[tuple[str, object]] = [
        ("studies seen", summary.ingest.get("seen", 0)),
        ("files seen", summary.ingest_documents.get("seen", 0)),
        *((f"  pages: {name.replace('_', ' ')}", count) for name, count in summary.ingest_documents.get("pages", {}).items()),
        ("FHIR resources read", summary.load_fhir.get("entries", 0)),
        ("  documents of them", summary.ingest_fhir.get("seen", 0)),
        ("documents live", summary.documents.get("live", 0)),
        ("chunks written", index.get("chunks", 0)),
        ("texts embedded", index.get("embedded", 0)),
        ("texts from cache", index.get("cached", 0)),
        ("points expected", found.get("expected", 0)),
        ("points found", found.get("found", 0)),
    ]
    rows += [(f"  {name}", count) for name, count in found.get("classes", {}).items()]
    rows += [("reconciliation", "clean: index equals database" if found.get("clean") else "DRIFT"), ("seconds", round(summary.seconds, 1))]
    table("Nightly run through Airflow", rows)
    for result in summary.searches:
        out().print()
        out().rule(Text(plain(f"clindex search “{result.query}”")), align="left")
        render_search(result)
    say(f"\nReport: {summary.report}")
    say(f"Home:   {summary.home}")
    say('Go on with `clindex search "…"` in the virtual environment, or open Airflow on this home with `make up`.')
