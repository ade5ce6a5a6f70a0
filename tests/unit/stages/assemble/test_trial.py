from __future__ import annotations

from dataclasses import replace
from datetime import date
from uuid import UUID

import orjson
import pytest

from pipeline.domain.documents import Document, Facets
from pipeline.domain.study import (
    ArmGroup,
    DatePrecision,
    Eligibility,
    Intervention,
    Outcome,
    OutcomeRole,
    PartialDate,
    Status,
    Study,
)
from pipeline.stages.assemble import assemble_trial
from pipeline.stages.normalize import normalize_study
from pipeline.testing.studies import CRITERIA, study_record

ID = UUID("00000000-0000-5000-8000-000000000001")
STUDY = normalize_study(orjson.dumps(study_record()))


def texts(document: Document) -> dict[str, str]:
    return {part.name: part.text for part in document.parts}


def test_a_complete_study_becomes_these_parts_in_this_order():
    document = assemble_trial(STUDY, ID)
    assert (document.document_id, document.source, document.source_key) == (ID, "clinicaltrials.gov", "NCT90000001")
    assert document.title == "Uritrol for Gout, Study 1"
    assert list(texts(document).items()) == [
        (
            "title_conditions",
            "Uritrol for Gout, Study 1\n"
            "A Randomized Trial of Uritrol Against Placebo in Adults With Gout, Study 1\n"
            "Acronym: URI-GO\n"
            "Conditions: Gout; Hyperuricemia\n"
            "Keywords: urate; flare",
        ),
        ("brief_summary", "This study asks whether uritrol lowers serum urate in adults with gout."),
        ("detailed_description", "Participants take one tablet a day for 24 weeks.\n\nUrate is measured every four weeks."),
        ("eligibility_criteria", CRITERIA),
        ("arm_groups[0]", "Uritrol (Experimental): Uritrol 80 mg daily"),
        ("arm_groups[1]", "Placebo (Placebo comparator)"),
        ("interventions[0]", "Drug: Uritrol (CLX-001)\nFilm-coated tablet, 80 mg"),
        ("interventions[1]", "Drug: Placebo"),
        ("primary_outcomes[0]", "Serum urate\nShare of participants below 6.0 mg/dL\nTime frame: 24 weeks"),
        ("secondary_outcomes[0]", "Gout flares\nTime frame: 24 weeks"),
    ]


def test_facets_are_the_registry_s_own_codes():
    assert assemble_trial(STUDY, ID).facets == Facets(
        nct_id="NCT90000001",
        overall_status="RECRUITING",
        status_as_of="2024-01-15",
        study_type="INTERVENTIONAL",
        phases=("PHASE2", "PHASE3"),
        conditions=("Gout", "Hyperuricemia"),
    )


def test_the_status_is_as_of_the_last_update_or_else_of_the_verification():
    month = PartialDate("2023-07", DatePrecision.MONTH, date(2023, 7, 1))
    study = Study(nct_id="NCT90000001", status=Status(overall_status="UNKNOWN", status_verified_date=month))
    assert assemble_trial(study, ID).facets.status_as_of == "2023-07"
    assert assemble_trial(replace(study, status=Status()), ID).facets.status_as_of is None


def test_a_study_with_nothing_has_no_parts_and_its_id_for_a_title():
    document = assemble_trial(Study(nct_id="NCT90000001"), ID)
    assert document.parts == ()
    assert document.title == "NCT90000001"


def test_equal_titles_stand_once():
    study = Study(nct_id="NCT90000001", brief_title="Same", official_title="Same")
    assert texts(assemble_trial(study, ID)) == {"title_conditions": "Same"}


@pytest.mark.parametrize(
    ("study", "expected"),
    [
        (Study("NCT90000001", arm_groups=(ArmGroup(""),)), {}),
        (Study("NCT90000001", arm_groups=(ArmGroup("A"), ArmGroup("", description="B"))), {"arm_groups[0]": "A", "arm_groups[1]": "B"}),
        (Study("NCT90000001", arm_groups=(ArmGroup("A", type="NEW_TYPE"),)), {"arm_groups[0]": "A (NEW_TYPE)"}),
        (Study("NCT90000001", interventions=(Intervention("X"),)), {"interventions[0]": "X"}),
        (Study("NCT90000001", interventions=(Intervention("X", other_names=("Y", "Z")),)), {"interventions[0]": "X (Y; Z)"}),
        (Study("NCT90000001", outcomes=(Outcome(OutcomeRole.OTHER, ""),)), {}),
        (Study("NCT90000001", eligibility=Eligibility(study_population="Adults")), {"study_population": "Adults"}),
        (
            Study("NCT90000001", outcomes=(Outcome(OutcomeRole.SECONDARY, "S"), Outcome(OutcomeRole.PRIMARY, "P"))),
            {"primary_outcomes[0]": "P", "secondary_outcomes[0]": "S"},
        ),
    ],
)
def test_blank_parts_are_left_out_and_indexes_stay(study: Study, expected: dict[str, str]):
    assert texts(assemble_trial(study, ID)) == expected


def test_a_change_of_status_changes_the_facets_hash_only():
    before = assemble_trial(STUDY, ID)
    after = assemble_trial(replace(STUDY, status=replace(STUDY.status, overall_status="COMPLETED")), ID)
    assert after.content_hash == before.content_hash
    assert after.facets_hash != before.facets_hash


def test_a_change_of_text_changes_the_content_hash_only():
    before = assemble_trial(STUDY, ID)
    after = assemble_trial(replace(STUDY, brief_summary="Another summary."), ID)
    assert after.content_hash != before.content_hash
    assert after.facets_hash == before.facets_hash


def test_text_that_moves_to_another_part_changes_the_content_hash():
    one = assemble_trial(Study("NCT90000001", brief_summary="Text"), ID)
    other = assemble_trial(Study("NCT90000001", detailed_description="Text"), ID)
    assert one.content_hash != other.content_hash


def test_fields_that_are_not_indexed_change_no_hash():
    before = assemble_trial(STUDY, ID)
    after = assemble_trial(replace(STUDY, locations=(), lead_sponsor=None, notices=()), ID)
    assert (after.content_hash, after.facets_hash) == (before.content_hash, before.facets_hash)
