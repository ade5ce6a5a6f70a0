from __future__ import annotations

from dataclasses import asdict
from uuid import UUID

from pipeline.domain.chunks import Chunk, Span
from pipeline.domain.documents import Facets
from pipeline.domain.points import BOOLEAN_FIELDS, INTEGER_FIELDS, KEYWORD_FIELDS
from pipeline.domain.vocabulary import Section
from pipeline.jobs.payloads import MAX_CODES, build_payload
from pipeline.storage.documents import facets_of

CODES = {"loinc_codes": ("4548-4",), "snomed_codes": ("59621000",), "rxnorm_codes": ("314076",), "icd_codes": ("I10",)}


def payload(facets: Facets) -> dict:
    chunk = Chunk(
        section=Section.LABORATORY_RESULTS,
        ordinal=1,
        is_exclusion=None,
        text="A1c 6.30 %",
        embed_text="A1c 6.30 %",
        part="fhir:laboratory_results",
        span=Span(0, 10),
        token_count=5,
    )
    made = build_payload(
        document_id=UUID(int=1),
        source="fhir",
        source_key="k",
        kind="fhir_resource",
        generation=1,
        fingerprint="f",
        model="m",
        facets=facets,
        chunk=chunk,
        text_hash="h",
    )
    return dict(made)


def test_a_resources_codes_encounter_and_status_are_in_its_payload():
    made = payload(Facets(**CODES, encounter="e" * 32, resource_status="final", document_date="2031"))
    assert {name: made[name] for name in CODES} == {name: list(values) for name, values in CODES.items()}
    assert (made["encounter"], made["resource_status"], made["dated_from"]) == ("e" * 32, "final", 20310101)
    assert {*CODES, "encounter", "resource_status"} <= {*KEYWORD_FIELDS, *INTEGER_FIELDS, *BOOLEAN_FIELDS}


def test_what_a_document_does_not_have_is_no_key_of_its_payload():
    assert not {*CODES, "encounter", "resource_status", "patient", "dated_from"} & payload(Facets()).keys()


def test_codes_of_a_payload_are_limited():
    many = tuple(f"{number}-1" for number in range(3 * MAX_CODES))
    assert len(payload(Facets(loinc_codes=many))["loinc_codes"]) == MAX_CODES


def test_facets_come_back_from_truth_as_they_were_and_older_ones_without_codes():
    facets = Facets(**CODES, encounter="e", resource_status="final", phases=("PHASE2",))
    stored = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(facets).items()}
    assert facets_of(stored) == facets
    assert facets_of({"patient": "p"}) == Facets(patient="p")
