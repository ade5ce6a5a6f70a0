"""What goes wrong in other searches of trials: opposite receptor status, exclusion criteria, numbers, hyphens, aliases, units, design prose."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.jobs.index import run_index
from pipeline.jobs.ingest import ingest
from pipeline.jobs.init import initialise
from pipeline.search.request import Hit, SearchRequest, SearchResult
from pipeline.search.search import search
from pipeline.settings import Settings
from pipeline.stages.sources.files import StudyFiles
from pipeline.testing.studies import invented_nct_id, study_record
from pipeline.wiring import Services, open_services

TODAY = date(2031, 5, 17)
Ask = Callable[..., SearchResult]


#: Own number, title, inclusion criterion, exclusion criterion.
TOLD = (
    ("204417", "Study 204417 of tovorelimab", ["Lung cancer with PD-L1 expression of 50 % and more"], ["Interstitial lung disease"]),
    ("204471", "Study 204471 of a vaccine in adults", ["Healthy adults after COVID-19 pneumonia"], ["Fever"]),
    ("4100-03-007", "Study of olmiparib", ["Ovarian cancer that responded to platinum"], ["Earlier IL-6 inhibitor"]),
    ("A1", "Receptors, first", ["Breast cancer that is HR-positive and HER2-negative"], ["Brain metastases"]),
    ("A2", "Receptors, second", ["Breast cancer that is HR-positive and HER2-positive"], ["Brain metastases"]),
    ("A3", "Receptors, third", ["Breast cancer that is HR-negative and HER2-negative"], ["Brain metastases"]),
    ("B1", "Liver, first", ["Hepatitis C that is controlled by treatment"], ["Cirrhosis of any cause"]),
    ("B2", "Liver, second", ["Fibrosis of the liver"], ["Active hepatitis C or D"]),
    ("C1", "Genes, first", ["Gastric cancer with HER2 amplification"], ["Brain metastases"]),
    ("C2", "Genes, second", ["Gastric cancer with EGFR amplification"], ["Brain metastases"]),
    ("D1", "Doses, first", ["Takes remvasol 8 µg/kg each day"], ["Gout"]),
    ("D2", "Doses, second", ["Takes remvasol 8 mg/kg each day"], ["Gout"]),
)
OWN = {invented_nct_id(number): told[0] for number, told in enumerate(TOLD)}


@pytest.fixture(scope="module")
def ask(models: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """A home of invented trials, one that each case needs beside the ones that it must not be taken for."""
    folder = tmp_path_factory.mktemp("cases")
    (folder / "trials").mkdir()
    for number, told in enumerate(TOLD):
        (folder / "trials" / f"{number}.json").write_text(json.dumps(_record(number, *told)), encoding="utf-8")
    settings = Settings(home=folder / "home", models_path=models)
    initialise(settings)
    with open_services(settings) as services:
        ingest(services, StudyFiles([folder / "trials"], settings))
        run_index(services)
        yield lambda query, **wanted: search(services, SearchRequest(query=query, **wanted), today=TODAY)


def _record(number: int, own: str, title: str, included: Sequence[str], excluded: Sequence[str]) -> dict[str, Any]:
    record = study_record(number)
    protocol = record["protocolSection"]
    protocol["identificationModule"] |= {"orgStudyIdInfo": {"id": own}, "briefTitle": title, "officialTitle": title, "acronym": own}
    protocol["identificationModule"].pop("secondaryIdInfos", None)
    prose = f"This open-label, first-in-human study of dose escalation asks what the highest safe dose of {title.lower()} is. "
    protocol["descriptionModule"] = {"briefSummary": prose, "detailedDescription": prose * 3}
    lines = ["Inclusion Criteria:", *(f"* {one}" for one in included), "", "Exclusion Criteria:", *(f"* {one}" for one in excluded)]
    protocol["eligibilityModule"]["eligibilityCriteria"] = "\n".join(lines)
    return record


def own_numbers(result: SearchResult) -> list[str]:
    return [OWN[hit.nct_id or ""] for hit in result.hits]


def criteria(result: SearchResult) -> list[Hit]:
    return [hit for hit in result.hits if hit.section in ("INCLUSION_CRITERION", "EXCLUSION_CRITERION")]


def test_opposite_receptor_status_ranks_below(ask: Ask):
    found = own_numbers(ask("HER2+ disease", criteria_only=True))
    assert found.index("A2") < min(found.index("A1"), found.index("A3"))


def test_a_hit_in_an_exclusion_criterion_is_labelled_and_can_be_left_out(ask: Ask):
    both = {OWN[hit.nct_id or ""]: hit for hit in criteria(ask("active hepatitis C"))}
    assert both["B2"].is_exclusion is True
    assert both["B2"].section == "EXCLUSION_CRITERION"
    assert both["B1"].is_exclusion is False
    included = ask("active hepatitis C", sections=("INCLUSION_CRITERION",))
    assert own_numbers(included)[0] == "B1"
    assert {hit.is_exclusion for hit in included.hits} == {False}


@pytest.mark.parametrize(
    ("query", "only"),
    [("204417", "204417"), ("study 204471", "204471"), ("4100-03-007", "4100-03-007"), ("study 4100 03 007", "4100-03-007")],
)
def test_an_exact_number_finds_its_study_and_no_neighbour(ask: Ask, query: str, only: str):
    result = ask(query)
    assert (result.route, own_numbers(result)) == ("identifier", [only])


def test_an_absent_number_is_answered_as_absent(ask: Ask):
    result = ask("NCT99999999")
    assert (result.route, result.refused, result.hits) == ("absent", True, [])


@pytest.mark.parametrize(
    ("query", "line"),
    [
        ("PDL1", "PD-L1"), ("pd l1", "PD-L1"), ("pd-l1", "PD-L1"), ("covid19", "COVID-19"), ("covid 19", "COVID-19"), ("il6", "IL-6"),
        ("IL 6", "IL-6"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("mode", ["full", "sparse"])
def test_hyphens_within_a_name_do_not_matter(ask: Ask, query: str, line: str, mode: str):
    assert line in ask(query, mode=mode, criteria_only=True).hits[0].text


def test_a_gene_is_found_by_its_other_name_and_no_other_gene_is_taken_for_it(ask: Ask):
    found = own_numbers(ask("ERBB2 amplification in gastric cancer", criteria_only=True))
    assert found.index("C1") < found.index("C2")
    other = own_numbers(ask("EGFR amplification in gastric cancer", criteria_only=True))
    assert other.index("C2") < other.index("C1")


@pytest.mark.parametrize("unit", ["\u00b5g", "\u03bcg", "mcg", "ug", "microgram"])
def test_spellings_of_a_unit_are_one_and_another_unit_is_another(ask: Ask, unit: str):
    found = own_numbers(ask(f"remvasol 8 {unit}/kg", criteria_only=True))
    assert found.index("D1") < found.index("D2")
    assert own_numbers(ask("remvasol 8 mg/kg", criteria_only=True))[0] == "D2"


def test_prose_on_the_design_does_not_drown_a_profile(ask: Ask):
    profile = "Dose escalation, breast cancer, HER2-negative, no brain metastases"
    result = ask(profile, criteria_only=True)
    assert len(criteria(result)) == len(result.hits)
    assert {"A1", "A3"} <= set(own_numbers(result)[:3])
    assert any(hit.section not in ("INCLUSION_CRITERION", "EXCLUSION_CRITERION") for hit in ask("what is the highest safe dose").hits)


def test_a_vector_that_differs_in_its_last_digits_writes_nothing(services: Services, monkeypatch: pytest.MonkeyPatch):
    embed = type(services.embedder).embed_documents

    def in_another_batch(self: Any, texts: Sequence[str]) -> Any:
        return (embed(self, texts) + np.float32(1e-7)).astype(np.float32)

    monkeypatch.setattr(type(services.embedder), "embed_documents", in_another_batch)
    done = run_index(services)
    assert (done.points_written, done.points_deleted) == (0, 0)
