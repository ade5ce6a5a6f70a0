"""Runs FHIR resources through every command, once for each named guard switched off: ``python fhir_flow.py FOLDER GUARD ...``.

What it prints (``shown``) is what commands, logs, steps' return values and exceptions show.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Final

from pipeline.domain.vocabulary import FhirVersion
from pipeline.testing.canaries import PATIENT
from pipeline.testing.canary_fhir import ID, resource_id, resources, write_broken_resources
from pipeline.testing.fhir_bulk import bad_line
from pipeline.testing.fhir_resources import outcome
from pipeline.testing.fhir_server import FhirServer
from pipeline.testing.http_faults import fails
from tests.phi.canary_flow import QUERY, cited, command, deletion, run_all, steps, warm_up

#: Folders and the release that each is of.
RELEASES: Final = (("r4", "4.0"), ("r5", "5.0"), ("stu3", "3.0"))


def no_known_people() -> None:
    """What Patient, RelatedPerson and Practitioner resources say is not looked for, by neither reader."""
    import pipeline.jobs.fhir.compose as compose
    from pipeline.stages.deidentify import KnownIdentifiers

    compose.known_of_people = lambda *_, **__: KnownIdentifiers()


def no_detector() -> None:
    """Nothing is recognised, and nobody reads a second time."""
    from tests.phi.canary_flow import no_detector_and_no_gate

    no_detector_and_no_gate()


def no_resource_keys() -> None:
    """A resource's type and id are its key."""
    import pipeline.jobs.fhir.keys as keys

    keys.resource_key = lambda secret, authority, kind, own_id: f"{kind}/{own_id}"


def no_pseudonyms() -> None:
    """A patient's id is the patient's pseudonym."""
    import pipeline.jobs.fhir.compose as compose
    import pipeline.jobs.fhir.keys as keys

    compose.patient_pseudonym = keys.patient_pseudonym = lambda secret, number: number


def no_list_of_types() -> None:
    """A type of resource is called as it calls itself."""
    import pipeline.jobs.fhir.keys as keys

    keys.shown_type = lambda kind: kind


def no_list_of_elements() -> None:
    """A rule that is broken names the element as it was written."""
    import pipeline.stages.normalize.fhir.rules as rules

    rules._problem = lambda error: (".".join(map(str, error["loc"])), "invalid")


def no_allow_list() -> None:
    """An element that is not on the list is seen by what renders: here in place of the code."""
    import pipeline.jobs.fhir.rendering as rendering

    allowed_fields = rendering.allowed_fields
    rendering.allowed_fields = lambda resource: {**allowed_fields(resource), "code": {"text": str(resource.get("extension"))}}


GUARDS: Final[dict[str, Callable[[], None]]] = {
    one.__name__: one
    for one in (no_known_people, no_detector, no_resource_keys, no_pseudonyms, no_list_of_types, no_list_of_elements, no_allow_list)
}
#: What is loaded with a guard off: every leak is made by these.
OF_A_GUARD: Final = ("Patient", "RelatedPerson", "Practitioner", "Condition")
ENDED: Final = "the flow came to its end"
#: Of what is broken; with another guard off it is left out.
OF_FAILURES: Final = frozenset({"no_list_of_types", "no_list_of_elements"})


def asked_server() -> None:
    """A server's resources by bulk export and by search, well and badly, and as Airflow's tasks leave them in XCom."""
    group = {"resourceType": "Group", "id": ID, "member": [{"entity": {"reference": f"Patient/{resource_id('Patient')}"}}]}
    gone = f"{ID}-gone"
    with FhirServer([*resources(FhirVersion.R4), group, {"resourceType": "Observation", "id": gone}]) as server:
        os.environ |= {"CLINDEX_FHIR_URL": server.url, "CLINDEX_FHIR_REQUESTS_PER_MINUTE": "100000", "CLINDEX_FHIR_MAX_ATTEMPTS": "1"}
        types = [word for kind in ("Patient", "Observation", "DocumentReference") for word in ("--type", kind)]
        ask = ("ingest", "fhir", *types, "--verbose")
        server.outcome_lines = [outcome("exception", f"cannot export {PATIENT}")]
        command(*ask, "--from", "bulk", "--json")
        server.outcome_lines = []
        server.remove("Observation", gone)
        command(*ask, "--from", "search", "--json")
        command(*ask, "--from", "bulk", "--group", ID)
        command(*ask, "--from", "bulk", "--group", f"{ID}-other")
        said = json.dumps(outcome("not-found", f"{PATIENT} is unknown"))
        for path, fault in (
            ("/files", bad_line(1, PATIENT.encode())),
            ("/files", fails(403, said)),
            ("/status", fails(500, said)),
            ("/$export", fails(400, said)),
        ):
            server.fail_next(fault, path=path)
            command(*ask, "--from", "bulk", "--full")
        for path, fault in (("/Observation", fails(400, said)), ("/Patient", bad_line(1, PATIENT.encode()))):
            server.fail_next(fault, path=path)
            command(*ask, "--from", "search", "--full", "--json")
        airflow(["Patient", "Observation"])
    command(*ask)


def airflow(types: list[str]) -> None:
    """Print what the tasks of the DAG leave in XCom."""
    from pipeline.jobs.steps import fhir as tasks
    from pipeline.jobs.steps import nightly

    loaded, found = tasks.load(types=types), tasks.fetch()
    taken = [nightly.normalize_batch(found["fetched"], batch) for batch in found["batches"]]
    summary = nightly.complete_ingest(found, taken)
    sys.stdout.write(json.dumps([loaded, found, taken, summary]) + "\n")
    try:
        tasks.judge({**loaded, "files_failed": 1}, summary)
    except Exception as error:
        traceback.print_exception(error)


def main(ward: Path, guard: str) -> None:
    """Run the whole flow; with a guard off, what it guards."""
    if guard != "none":
        GUARDS[guard]()
    if guard in OF_FAILURES:
        command("ingest", "fhir", str(write_broken_resources(ward)), "--verbose", "--json")
        return
    if guard != "none":
        command("ingest", "fhir", *(str(ward / "r4" / f"Quartermain {kind}.ndjson.gz") for kind in OF_A_GUARD), "--verbose", "--json")
        command("index", "--verbose", "--json")
        return
    for name, release in RELEASES:
        command("ingest", "fhir", str(ward / name), "--version", release, "--verbose", "--json")
    command("index", "--verbose", "--json")
    command("ingest", "fhir", str(write_broken_resources(ward)), "--verbose", "--json")
    asked_server()
    command("index", "--verbose")
    command("search", QUERY, "--json")
    command("search", QUERY, "--resource-status", "final")
    cited()
    steps()
    command("reconcile", "--deep", "--verbose", "--json")
    command("audit", "phi", "--json")
    command("quality", "--all", "--verbose", "--json")
    deletion()
    command("ingest", "fhir", str(ward / "r4"), "--full", "--verbose")
    command("report", "--json")
    command("status", "--json")
    command("metrics")
    sys.stdout.write(f"{ENDED}\n")


if __name__ == "__main__":
    warm_up()
    run_all(Path(sys.argv[1]), sys.argv[2:], main)
