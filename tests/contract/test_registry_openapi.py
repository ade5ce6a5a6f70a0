"""The registry's own OpenAPI file against our enumerations and our stand-in server. Skipped where the file is absent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from pipeline.domain.registry_enums import ENUMERATIONS
from pipeline.testing.registry_queries import KNOWN_PARAMETERS
from pipeline.testing.registry_server import RegistryServer
from pipeline.testing.studies import study_records

yaml = pytest.importorskip("yaml")
jsonschema = pytest.importorskip("jsonschema")

# Enumerations of fields that are not stored: results, documents, contacts, statistics, and how the site searches.
NOT_STORED = {
    "AgreementRestrictionType",
    "AnalysisDispersionType",
    "BioSpecRetention",
    "BrowseLeafRelevance",
    "ConfidenceIntervalNumSides",
    "ContactRole",
    "EventAssessment",
    "FieldStatsType",
    "FilterType",
    "IpdSharing",
    "IpdSharingInfoType",
    "MeasureDispersionType",
    "MeasureParam",
    "NonInferiorityType",
    "OfficialRole",
    "OutcomeMeasureType",
    "ReferenceType",
    "ReportingStatus",
    "ResponsiblePartyType",
    "UnpostedEventType",
    "ViolationEventType",
}


@pytest.fixture(scope="module")
def contract(shared_data: Path) -> dict[str, Any]:
    path = shared_data / "data" / "specs" / "ctg-oas-v2.yaml"
    if not path.is_file():
        pytest.skip("no OpenAPI file beside the repository")
    loaded: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    return loaded


@pytest.fixture(scope="module")
def registry() -> Iterator[RegistryServer]:
    with RegistryServer(study_records(3), aliases={"NCT90009999": "NCT90000001"}) as server:
        yield server


def enumerations(contract: dict[str, Any]) -> dict[str, set[str]]:
    return {name: set(schema["enum"]) for name, schema in contract["components"]["schemas"].items() if "enum" in schema}


def test_every_enumeration_is_mapped_or_named_as_not_stored(contract: dict[str, Any]):
    assert set(enumerations(contract)) == set(ENUMERATIONS) | NOT_STORED
    assert not set(ENUMERATIONS) & NOT_STORED


def test_every_value_is_mapped_and_none_is_invented(contract: dict[str, Any]):
    values = enumerations(contract)
    assert {name: set(labels) for name, labels in ENUMERATIONS.items()} == {name: values[name] for name in ENUMERATIONS}


def check(contract: dict[str, Any], schema: str, value: Any) -> None:
    root = {"$ref": f"#/components/schemas/{schema}", "components": contract["components"]}
    jsonschema.Draft4Validator(root).validate(value)


def test_the_stand_in_answers_what_the_contract_says(contract: dict[str, Any], registry: RegistryServer):
    first = httpx.get(f"{registry.url}/studies", params={"pageSize": 2, "countTotal": "true", "sort": "LastUpdatePostDate:asc"}).json()
    check(contract, "PagedStudies", first)
    assert first["totalCount"] == 3
    params = {"pageSize": 2, "sort": "LastUpdatePostDate:asc", "pageToken": first["nextPageToken"]}
    last = httpx.get(f"{registry.url}/studies", params=params).json()
    check(contract, "PagedStudies", last)
    assert "nextPageToken" not in last
    check(contract, "Study", httpx.get(f"{registry.url}/studies/NCT90009999", follow_redirects=True).json())
    check(contract, "Version", httpx.get(f"{registry.url}/version").json())


def test_the_check_would_find_a_wrong_answer(contract: dict[str, Any]):
    with pytest.raises(jsonschema.ValidationError):
        check(contract, "PagedStudies", {"studies": [{"protocolSection": {"designModule": {"phases": ["PHASE9"]}}}]})


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/studies?pageSize=2&pageToken=nonsense", 400),
        ("/studies?unknown=1", 400),
        ("/studies?pageToken=", 400),
        ("/studies?sort=NCTId", 400),
        ("/studies?filter.overallStatus=RECRUITING&filter.overallStatus=COMPLETED", 400),
        ("/studies/NCT99999999", 404),
        ("/studies?filter.overallStatus=RECRUITING|COMPLETED", 200),
        ("/studies?filter.ids=NCT90000001,nct90000002", 200),
        ("/studies?pageSize=99999", 200),
    ],
)
def test_the_stand_in_refuses_what_the_contract_refuses(registry: RegistryServer, path: str, status: int):
    answer = httpx.get(f"{registry.url}{path}")
    assert answer.status_code == status
    if status != 200:
        assert answer.headers["Content-Type"] == "text/plain"


def test_the_parameters_we_send_are_in_the_contract(contract: dict[str, Any]):
    described = {parameter["name"] for parameter in contract["paths"]["/studies"]["get"]["parameters"]}
    assert described >= KNOWN_PARAMETERS
