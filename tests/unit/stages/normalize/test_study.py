from __future__ import annotations

from datetime import date
from typing import Any

import orjson
import pytest

from pipeline.domain.errors import RecordError
from pipeline.domain.study import DatePrecision, Notice, OutcomeRole, Sponsor
from pipeline.domain.vocabulary import NoticeCategory
from pipeline.stages.normalize import normalize_study
from pipeline.testing.studies import CRITERIA, invented_nct_id, study_record

P = "protocolSection."


def normalized(record: Any):
    return normalize_study(orjson.dumps(record))


def notices_of(record: Any) -> set[tuple[NoticeCategory, str, str | None]]:
    return {(notice.category, notice.field, notice.value) for notice in normalized(record).notices}


def test_reads_every_field_of_a_complete_study_without_a_notice():
    study = normalized(study_record(3))
    assert study.nct_id == invented_nct_id(3)
    assert study.brief_title == "Uritrol for Gout, Study 4"
    assert study.acronym == "URI-GO"
    assert study.org_study_id == "CLX-0003"
    assert study.secondary_ids[0].type == "EUDRACT_NUMBER"
    assert study.organization == "Example Institute of Rheumatology"
    assert study.lead_sponsor == Sponsor("Example Institute of Rheumatology", "OTHER")
    assert study.collaborators == (Sponsor("Invented Pharma Ltd", "INDUSTRY"),)
    assert study.conditions == ("Gout", "Hyperuricemia")
    assert study.keywords == ("urate", "flare")
    assert study.design.phases == ("PHASE2", "PHASE3")
    assert study.design.who_masked == ("PARTICIPANT", "INVESTIGATOR")
    assert study.design.enrollment_count == 103
    assert [arm.label for arm in study.arm_groups] == ["Uritrol", "Placebo"]
    assert study.interventions[0].other_names == ("CLX-001",)
    assert [outcome.role for outcome in study.outcomes] == [OutcomeRole.PRIMARY, OutcomeRole.SECONDARY]
    assert study.eligibility.criteria == CRITERIA
    assert study.eligibility.healthy_volunteers is False
    assert study.locations[0].city == "Springfield"
    assert study.locations[0].latitude == pytest.approx(39.92423)
    assert study.has_results is False
    assert study.notices == ()


def test_keeps_how_precise_a_date_is():
    status = normalized(study_record()).status
    assert status.start_date is not None
    assert status.completion_date is not None
    assert status.primary_completion_date is not None
    assert (status.start_date.text, status.start_date.precision) == ("2023-11", DatePrecision.MONTH)
    assert status.start_date.sort_value == date(2023, 11, 1)
    assert status.start_date.type == "ACTUAL"
    assert (status.primary_completion_date.text, status.primary_completion_date.precision) == ("2026-01-31", DatePrecision.DAY)


def test_contacts_and_officials_never_enter_the_study():
    shown = repr(normalized(study_record()))
    for name in ("Invented Contact", "Invented Official", "Invented Nurse", "555-0100", "contact@example.org"):
        assert name not in shown


def test_replaces_the_name_of_a_sponsor_who_is_a_person():
    record = study_record(
        sponsorCollaboratorsModule={
            "responsibleParty": {"type": "SPONSOR_INVESTIGATOR", "investigatorFullName": "Mary Example"},
            "leadSponsor": {"name": "Mary Example", "class": "INDIV"},
            "collaborators": [{"name": "John Example", "class": "INDIV"}],
        }
    )
    record["protocolSection"]["identificationModule"]["organization"] = {"fullName": "Mary Example", "class": "INDIV"}
    study = normalized(record)
    assert study.lead_sponsor == Sponsor("[individual]", "INDIV")
    assert study.collaborators == (Sponsor("[individual]", "INDIV"),)
    assert study.organization == "[individual]"
    assert "Example" not in repr((study.lead_sponsor, study.collaborators, study.organization))


def test_a_study_with_nothing_but_its_id_is_taken_with_notices():
    record = {"protocolSection": {"identificationModule": {"nctId": "NCT90000001"}}}
    study = normalized(record)
    assert study.nct_id == "NCT90000001"
    assert study.brief_title is None
    missing = {notice.field for notice in study.notices if notice.category == NoticeCategory.MISSING_MODULE}
    assert missing == {
        P + module
        for module in (
            "statusModule",
            "sponsorCollaboratorsModule",
            "descriptionModule",
            "conditionsModule",
            "designModule",
            "armsInterventionsModule",
            "outcomesModule",
            "eligibilityModule",
            "contactsLocationsModule",
        )
    }
    assert Notice(NoticeCategory.NO_ELIGIBILITY, P + "eligibilityModule.eligibilityCriteria") in study.notices


@pytest.mark.parametrize("criteria", ["", "   \n ", None])
def test_blank_criteria_are_no_criteria(criteria: str | None):
    record = study_record(eligibilityModule={"eligibilityCriteria": criteria, "sex": "ALL"})
    assert normalized(record).eligibility.criteria is None
    assert (NoticeCategory.NO_ELIGIBILITY, P + "eligibilityModule.eligibilityCriteria", None) in notices_of(record)


def test_a_null_module_is_a_missing_module():
    record = study_record()
    record["protocolSection"]["outcomesModule"] = None
    assert notices_of(record) == {(NoticeCategory.MISSING_MODULE, P + "outcomesModule", None)}


def test_an_unknown_code_is_kept_and_noted_once():
    sites = [{"facility": "A", "status": "PAUSED"}, {"facility": "B", "status": "PAUSED"}]
    record = study_record(contactsLocationsModule={"locations": sites})
    assert [site.status for site in normalized(record).locations] == ["PAUSED", "PAUSED"]
    assert normalized(record).notices == (Notice(NoticeCategory.UNKNOWN_VALUE, P + "contactsLocationsModule.locations[].status", "PAUSED"),)


def test_an_unknown_value_that_could_be_free_text_is_kept_but_not_shown_in_the_notice():
    record = study_record(contactsLocationsModule={"locations": [{"status": "call Mary Example"}]})
    assert normalized(record).locations[0].status == "call Mary Example"
    assert notices_of(record) == {(NoticeCategory.UNKNOWN_VALUE, P + "contactsLocationsModule.locations[].status", None)}


@pytest.mark.parametrize(
    ("module", "value", "field"),
    [
        ("conditionsModule", {"conditions": "Gout"}, "conditionsModule.conditions"),
        ("conditionsModule", {"conditions": ["Gout", 7, None]}, "conditionsModule.conditions[]"),
        ("conditionsModule", ["Gout"], "conditionsModule"),
        ("descriptionModule", {"briefSummary": 12}, "descriptionModule.briefSummary"),
        ("statusModule", {"startDateStruct": "2024-05"}, "statusModule.startDateStruct"),
        ("designModule", {"enrollmentInfo": {"count": -1}}, "designModule.enrollmentInfo.count"),
        ("designModule", {"enrollmentInfo": {"count": True}}, "designModule.enrollmentInfo.count"),
        ("designModule", {"enrollmentInfo": {"count": 1e300}}, "designModule.enrollmentInfo.count"),
        ("designModule", {"designInfo": [{}]}, "designModule.designInfo"),
        ("eligibilityModule", {"eligibilityCriteria": "x", "healthyVolunteers": "Yes"}, "eligibilityModule.healthyVolunteers"),
        ("contactsLocationsModule", {"locations": [None]}, "contactsLocationsModule.locations[]"),
        (
            "contactsLocationsModule",
            {"locations": [{"geoPoint": {"lat": 91, "lon": 0}}]},
            "contactsLocationsModule.locations[].geoPoint.lat",
        ),
        ("outcomesModule", {"primaryOutcomes": [{"measure": {}}]}, "outcomesModule.primaryOutcomes[].measure"),
    ],
)
def test_a_field_of_the_wrong_type_is_skipped_with_a_notice(module: str, value: Any, field: str):
    assert (NoticeCategory.WRONG_TYPE, P + field, None) in notices_of(study_record(**{module: value}))


def test_nul_and_lone_surrogates_become_replacement_characters():
    record = study_record(conditionsModule={"conditions": ["Go\x00ut"]})
    study = normalized(record)
    assert study.conditions == ("Go\ufffdut",)
    assert study.notices == (Notice(NoticeCategory.TEXT_REPAIRED, P + "conditionsModule.conditions[]"),)

    escaped = orjson.dumps(study_record(descriptionModule={"briefSummary": "SURROGATE"})).replace(b"SURROGATE", b"a\\ud83d b")
    raw = orjson.dumps(study_record(descriptionModule={"briefSummary": "SURROGATE"})).replace(b"SURROGATE", b"a\xed\xa0\xbd b")
    for data in (escaped, raw):
        study = normalize_study(data)
        assert study.brief_summary == "a\ufffd b"
        assert Notice(NoticeCategory.TEXT_REPAIRED, P + "descriptionModule.briefSummary") in study.notices


def test_prose_is_kept_exactly_as_sent():
    text = "  First.\r\n\n* second \n"
    assert normalized(study_record(descriptionModule={"briefSummary": text})).brief_summary == text


def test_unreadable_ages_and_dates_are_noted():
    record = study_record(
        eligibilityModule={"eligibilityCriteria": "x", "minimumAge": "eighteen", "maximumAge": "N/A"},
        statusModule={"statusVerifiedDate": "2024-13", "overallStatus": "COMPLETED"},
    )
    study = normalized(record)
    assert study.eligibility.minimum_age is not None
    assert study.eligibility.minimum_age.days is None
    assert study.eligibility.maximum_age is None
    assert study.status.status_verified_date is None
    assert notices_of(record) == {
        (NoticeCategory.UNPARSED_AGE, P + "eligibilityModule.minimumAge", None),
        (NoticeCategory.UNPARSED_DATE, P + "statusModule.statusVerifiedDate", None),
    }


@pytest.mark.parametrize(
    ("data", "category"),
    [
        (b"", "not_json"),
        (b"{", "not_json"),
        (b"\xff\xfe{}", "not_json"),
        (b'{"protocolSection": NaN}', "not_json"),
        (b"[" * 5000 + b"]" * 5000, "not_json"),
        (b"[]", "not_a_study"),
        (b'{"resourceType": "Patient"}', "not_a_study"),
        (b'{"protocolSection": []}', "not_a_study"),
        (b'{"protocolSection": {}}', "invalid_nct_id"),
        (b'{"protocolSection": {"identificationModule": []}}', "invalid_nct_id"),
        (b'{"protocolSection": {"identificationModule": {"nctId": 90000001}}}', "invalid_nct_id"),
        (b'{"protocolSection": {"identificationModule": {"nctId": "NCT9000000"}}}', "invalid_nct_id"),
        (b'{"protocolSection": {"identificationModule": {"nctId": "NCT90000001\\n"}}}', "invalid_nct_id"),
        ('{"protocolSection": {"identificationModule": {"nctId": "NCT９0000001"}}}'.encode(), "invalid_nct_id"),
    ],
)
def test_what_is_no_study_is_refused_by_category_and_quotes_nothing(data: bytes, category: str):
    with pytest.raises(RecordError) as caught:
        normalize_study(data)
    assert caught.value.category == category
    assert "9000000" not in caught.value.message
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
