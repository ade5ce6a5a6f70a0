"""Killed at any write or at any moment, a load of FHIR leaves what the next one brings to the same truth as one that nobody disturbed."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import Any, Final

import pytest
from sqlalchemy import Table, select

from pipeline.settings import Settings
from pipeline.storage.fhir_tables import fhir_patients, fhir_references, fhir_resources
from pipeline.storage.tables import documents
from pipeline.testing import night_jobs as jobs
from pipeline.testing.homes import copy_of
from pipeline.testing.kills import kill_after, kill_at
from pipeline.wiring import open_services

pytestmark = pytest.mark.slow

SEED: Final = 20310923
KILLS: Final = 3  # at writes; and one at a moment
PATIENTS: Final = 3
RESULTS: Final = 560  # with their reports more than one transaction holds
#: What tells a run apart and not what truth says.
_OF_A_RUN: Final = frozenset({"load_id", "seen_at", "updated_at", "tombstoned_at", "created_at", "status_as_of"})


def export(*, later: bool) -> str:
    """Return an export: patients, results of them, some reports; a later one names some no more, others are new, changed, invalid or in error."""
    resources: list[dict[str, Any]] = []
    for number in range(PATIENTS):
        name = [{"family": f"Basaltine{number}{'x' * later}"}]
        resources.append({"resourceType": "Patient", "id": f"quartz-{number}", "name": name, "identifier": [{"value": f"774119{number}"}]})
    for number in range(20 * later, RESULTS + 20 * later):
        result = {
            "resourceType": "Observation",
            "id": f"o{number}",
            "meta": {"versionId": "2" if later and number % 9 == 0 else "1"},
            "status": "entered-in-error" if later and number % 90 == 0 else "final",
            "code": {"text": "Measured amount"},
            "subject": {"reference": f"Patient/quartz-{number % PATIENTS}"},
            "valueString": f"level {number}" + " again" * (later and number % 9 == 0),
        }
        resources.append({**result, "status": "never"} if later and number % 100 == 0 else result)
    for number in range(20, RESULTS, 40):
        subject = {"reference": f"Patient/quartz-{number % PATIENTS}"}
        report = {"resourceType": "DiagnosticReport", "id": f"r{number}", "status": "final", "code": {"text": "Panel"}, "subject": subject}
        resources.append({**report, "result": [{"reference": f"Observation/o{number}"}]})
    return "".join(json.dumps(one) + "\n" for one in resources)


def state(settings: Settings) -> dict[str, Any]:
    """Return what truth says of resources and documents, and what landing holds."""
    with open_services(settings) as services:
        with services.db.read() as tx:
            tables: tuple[Table, ...] = (fhir_resources, fhir_references, fhir_patients, documents)
            found: dict[str, Any] = {
                table.name: sorted(
                    repr(tuple(row._mapping[column.name] for column in table.c if column.name not in _OF_A_RUN))
                    for row in tx.execute(select(table))
                )
                for table in tables
            }
            found["gone"] = sorted(
                map(str, tx.execute(select(documents.c.document_id).where(documents.c.tombstoned_at.is_not(None))).scalars())
            )
        return {**found, "landing": sorted(services.landing.objects())}


@pytest.fixture
def loaded(home: Settings) -> Settings:
    """A home with an export, before which a later one lies."""
    folder = home.home / jobs.INCOMING
    folder.mkdir()
    (folder / "all.ndjson").write_text(export(later=False), encoding="utf-8")
    jobs.ingest_fhir(home)
    (folder / "all.ndjson").write_text(export(later=True), encoding="utf-8")
    return home


def test_after_any_kill_the_next_load_ends_where_an_undisturbed_one_does(loaded: Settings, tmp_path: Path) -> None:
    undisturbed = copy_of(loaded, tmp_path / "undisturbed")
    began = time.monotonic()
    writes = kill_at(undisturbed, jobs.ingest_fhir, None) or []
    seconds = time.monotonic() - began
    wanted = state(undisturbed)
    assert (len(wanted["gone"]), len(wanted["fhir_resources"])) == (26, PATIENTS + RESULTS + 20 + 14)
    rng = random.Random(SEED)
    for number, at in enumerate(sorted(rng.sample(range(len(writes)), KILLS))):
        killed = copy_of(loaded, tmp_path / f"killed-{number}")
        assert kill_at(killed, jobs.ingest_fhir, at) is None
        jobs.ingest_fhir(killed)
        assert state(killed) == wanted, f"killed after write {at} of {len(writes)}"
    killed = copy_of(loaded, tmp_path / "killed-at-a-moment")
    kill_after(killed, jobs.ingest_fhir, rng.uniform(0, seconds))
    jobs.ingest_fhir(killed)
    assert state(killed) == wanted
