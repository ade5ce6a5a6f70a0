"""Resources that name people in every element go through every command; then everything outside landing is searched for them: see ``fhir_flow.py``."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from pipeline.domain.vocabulary import FhirVersion
from pipeline.stages.assemble.fhir import RENDERED_TYPES
from pipeline.testing.canaries import ADMISSION, found_in, found_outside_landing
from pipeline.testing.canary_fhir import VARIANTS, canaries_of_fhir, resources
from tests.phi import fhir_flow

#: Where a canary must turn up when a guard is off.
FOUND_IN = {
    "no_known_people": "truth.sqlite",
    "no_detector": "truth.sqlite",
    "no_resource_keys": "truth.sqlite",
    "no_pseudonyms": "truth.sqlite",
    "no_list_of_types": "shown",
    "no_list_of_elements": "truth.sqlite",
    "no_allow_list": "truth.sqlite",
}


@pytest.fixture(scope="module")
def flow(run_fhir_flows) -> Path:
    return run_fhir_flows("none")["none"]


@pytest.fixture(scope="module")
def shown(flow: Path) -> str:
    text = (flow / "shown").read_text("utf-8")
    assert text.endswith(f"{fhir_flow.ENDED}\n")
    return text


@pytest.fixture(scope="module")
def printed(shown: str) -> list[dict]:
    """What commands and tasks printed as JSON, log lines left out."""
    values = [json.loads(line) for line in shown.splitlines() if line.startswith("{")]
    return [value for value in values if "event" not in value]


def rows(flow: Path, query: str) -> list[tuple]:
    with sqlite3.connect(flow / "home" / "truth.sqlite") as connection:
        return connection.execute(query).fetchall()


@pytest.mark.usefixtures("shown")  # nothing is found where nothing was done
def test_no_canary_is_in_any_file_or_file_name_outside_landing(flow: Path):
    assert {path.name for path in (flow / "home").iterdir()} >= {"truth.sqlite", "cache.sqlite", "index", "landing", "reports"}
    assert found_outside_landing(flow / "home", canaries_of_fhir()) == {}


def test_every_canary_stands_in_the_resources_or_their_attachments():
    loaded = json.dumps(list(resources(FhirVersion.R4))) + ADMISSION
    assert found_in(loaded.encode(), canaries_of_fhir()) == canaries_of_fhir()


def test_no_canary_is_in_output_logs_metrics_or_xcom(shown: str):
    assert found_in(shown.encode(), canaries_of_fhir() | {"Oddfellow ward", "Quartermain Condition"}) == set()


def test_every_type_is_in_the_index_and_nothing_is_held_back(flow: Path, printed: list[dict]):
    loads = [value["load"]["by_type"] for value in printed if "load" in value]
    assert {kind for kind, counts in loads[0].items() if counts.get("document", 0) >= VARIANTS} == RENDERED_TYPES - {"MedicationUsage"}
    assert {state for (state,) in rows(flow, "SELECT DISTINCT state FROM index_state")} <= {"live", "deleted"}
    text = " ".join(text for (text,) in rows(flow, "SELECT text FROM chunks"))
    assert text.count("[NAME] showed the tag [ID]") > len(RENDERED_TYPES)
    assert "Metoprolol 25 mg" in text
    assert "Clopidogrel 75 mg" in text


def test_a_server_was_asked_in_both_ways_and_its_faults_were_met(printed: list[dict]):
    scopes = [value["load"]["scope"].partition(":")[0] for value in printed if "load" in value]
    assert {"folders", "bulk", "search"} <= set(scopes)
    assert {value["error"]["type"] for value in printed if "error" in value} >= {"RefusedStatusError", "SourceProtocolError"}


def test_the_audit_finds_nothing_and_has_read_everything(flow: Path, printed: list[dict]):
    (audit,) = [value for value in printed if "leaked_documents" in value]
    assert audit["clean"]
    assert audit["chunks"] > len(RENDERED_TYPES) * VARIANTS


def test_broken_resources_are_named_by_rule_and_element(flow: Path):
    found = set(rows(flow, "SELECT path, rule FROM fhir_resources WHERE outcome IN ('quarantined', 'skipped')"))
    assert found >= {("resourceType", "unknown_type"), ("?", "extra_forbidden"), ("modifierExtension", "modifier_extension")}


def test_every_guard_has_its_expectation():
    assert set(FOUND_IN) == set(fhir_flow.GUARDS)


@pytest.fixture(scope="module")
def flows(run_fhir_flows) -> dict[str, Path]:
    return run_fhir_flows(*fhir_flow.GUARDS)


@pytest.mark.slow
@pytest.mark.parametrize("guard", FOUND_IN)
def test_without_this_guard_the_canary_test_fails(flows: dict[str, Path], guard: str):
    folder, place = flows[guard], FOUND_IN[guard]
    if place == "shown":
        assert found_in((folder / "shown").read_bytes(), canaries_of_fhir())
    else:
        assert found_outside_landing(folder / "home", canaries_of_fhir()).get(place), "the canaries are not found without this guard"
