"""One study of the registry's API v2 as JSON bytes in, a ``Study`` out.

Everything but the NCT id may be missing or malformed: it is then left out, and a notice says so. Contacts, officials and
investigators are never read, and the name of a sponsor that is a person is replaced.
"""

from __future__ import annotations

from typing import Final

from pipeline.domain.errors import RecordError
from pipeline.domain.identifiers import is_nct_id
from pipeline.domain.study import (
    ArmGroup,
    Design,
    Eligibility,
    Intervention,
    Location,
    Outcome,
    OutcomeRole,
    SecondaryId,
    Sponsor,
    Status,
    Study,
)
from pipeline.domain.vocabulary import FailureCategory, NoticeCategory
from pipeline.json_bytes import read_json
from pipeline.stages.normalize.fields import Fields, Notices

#: Stands for the name of a sponsor or organisation that is a person (class ``INDIV``).
INDIVIDUAL: Final = "[individual]"

_MAX_LATITUDE: Final = 90.0
_MAX_LONGITUDE: Final = 180.0
_OUTCOME_LISTS: Final = (
    ("primaryOutcomes", OutcomeRole.PRIMARY),
    ("secondaryOutcomes", OutcomeRole.SECONDARY),
    ("otherOutcomes", OutcomeRole.OTHER),
)


def normalize_study(data: bytes) -> Study:
    """Return the study that ``data`` holds.

    Raises:
        RecordError: ``not_json``, ``not_a_study`` (no protocol section), or ``invalid_nct_id``. The message quotes nothing.
    """
    value = read_json(data)
    if not isinstance(value, dict) or not isinstance(value.get("protocolSection"), dict):
        raise RecordError(FailureCategory.NOT_A_STUDY, "no object with a protocolSection")
    notices = Notices()
    record = Fields(value, "", notices)
    protocol = record.object("protocolSection")
    identification = protocol.module("identificationModule")
    nct_id = identification.prose("nctId")  # as it is: an id with blanks around it is none
    if nct_id is None or not is_nct_id(nct_id):
        raise RecordError(FailureCategory.INVALID_NCT_ID, "protocolSection.identificationModule.nctId is missing or malformed")
    description = protocol.module("descriptionModule")
    conditions = protocol.module("conditionsModule")
    sponsors = protocol.module("sponsorCollaboratorsModule")
    arms = protocol.module("armsInterventionsModule")
    return Study(
        nct_id=nct_id,
        brief_title=identification.line("briefTitle"),
        official_title=identification.line("officialTitle"),
        acronym=identification.line("acronym"),
        org_study_id=identification.object("orgStudyIdInfo").line("id"),
        organization=_organisation(identification.object("organization"), "fullName"),
        nct_id_aliases=tuple(alias for alias in identification.lines("nctIdAliases") if is_nct_id(alias)),
        secondary_ids=_secondary_ids(identification),
        status=_status(protocol.module("statusModule")),
        lead_sponsor=_sponsor(sponsors.object("leadSponsor")),
        collaborators=tuple(sponsor for each in sponsors.objects("collaborators") if (sponsor := _sponsor(each)) is not None),
        brief_summary=description.prose("briefSummary"),
        detailed_description=description.prose("detailedDescription"),
        conditions=conditions.lines("conditions"),
        keywords=conditions.lines("keywords"),
        design=_design(protocol.module("designModule")),
        arm_groups=_arm_groups(arms),
        interventions=_interventions(arms),
        outcomes=_outcomes(protocol.module("outcomesModule")),
        eligibility=_eligibility(protocol.module("eligibilityModule")),
        locations=tuple(_location(site) for site in protocol.module("contactsLocationsModule").objects("locations")),
        has_results=record.flag("hasResults"),
        notices=tuple(notices),
    )


def _organisation(fields: Fields, key: str) -> str | None:
    """Return an organisation's name, or a placeholder where it is a person."""
    name = fields.line(key)
    return INDIVIDUAL if fields.code("class", "AgencyClass") == "INDIV" else name


def _sponsor(fields: Fields) -> Sponsor | None:
    name = _organisation(fields, "name")
    return Sponsor(name, fields.code("class", "AgencyClass")) if name is not None else None


def _secondary_ids(identification: Fields) -> tuple[SecondaryId, ...]:
    return tuple(
        SecondaryId(id=key, type=info.code("type", "SecondaryIdType"), domain=info.line("domain"), link=info.line("link"))
        for info in identification.objects("secondaryIdInfos")
        if (key := info.line("id")) is not None
    )


def _status(module: Fields) -> Status:
    return Status(
        overall_status=module.code("overallStatus", "Status"),
        last_known_status=module.code("lastKnownStatus", "Status"),
        why_stopped=module.line("whyStopped"),
        status_verified_date=module.date("statusVerifiedDate"),
        start_date=module.date_struct("startDateStruct"),
        primary_completion_date=module.date_struct("primaryCompletionDateStruct"),
        completion_date=module.date_struct("completionDateStruct"),
        study_first_submit_date=module.date("studyFirstSubmitDate"),
        study_first_post_date=module.date_struct("studyFirstPostDateStruct"),
        last_update_submit_date=module.date("lastUpdateSubmitDate"),
        last_update_post_date=module.date_struct("lastUpdatePostDateStruct"),
        results_first_post_date=module.date_struct("resultsFirstPostDateStruct"),
    )


def _design(module: Fields) -> Design:
    info = module.object("designInfo")
    masking = info.object("maskingInfo")
    enrollment = module.object("enrollmentInfo")
    return Design(
        study_type=module.code("studyType", "StudyType"),
        phases=module.codes("phases", "Phase"),
        allocation=info.code("allocation", "DesignAllocation"),
        intervention_model=info.code("interventionModel", "InterventionalAssignment"),
        observational_model=info.code("observationalModel", "ObservationalModel"),
        time_perspective=info.code("timePerspective", "DesignTimePerspective"),
        primary_purpose=info.code("primaryPurpose", "PrimaryPurpose"),
        masking=masking.code("masking", "DesignMasking"),
        who_masked=masking.codes("whoMasked", "WhoMasked"),
        enrollment_count=enrollment.count("count"),
        enrollment_type=enrollment.code("type", "EnrollmentType"),
    )


def _arm_groups(module: Fields) -> tuple[ArmGroup, ...]:
    return tuple(
        ArmGroup(
            label=arm.line("label") or "",
            type=arm.code("type", "ArmGroupType"),
            description=arm.prose("description"),
            intervention_names=arm.lines("interventionNames"),
        )
        for arm in module.objects("armGroups")
    )


def _interventions(module: Fields) -> tuple[Intervention, ...]:
    return tuple(
        Intervention(
            name=each.line("name") or "",
            type=each.code("type", "InterventionType"),
            description=each.prose("description"),
            arm_group_labels=each.lines("armGroupLabels"),
            other_names=each.lines("otherNames"),
        )
        for each in module.objects("interventions")
    )


def _outcomes(module: Fields) -> tuple[Outcome, ...]:
    return tuple(
        Outcome(role, measure=each.line("measure") or "", description=each.prose("description"), time_frame=each.line("timeFrame"))
        for key, role in _OUTCOME_LISTS
        for each in module.objects(key)
    )


def _eligibility(module: Fields) -> Eligibility:
    criteria = module.prose("eligibilityCriteria")
    if criteria is None:
        module.notices.add(NoticeCategory.NO_ELIGIBILITY, module.path_of("eligibilityCriteria"))
    return Eligibility(
        criteria=criteria,
        sex=module.code("sex", "Sex"),
        minimum_age=module.age("minimumAge"),
        maximum_age=module.age("maximumAge"),
        std_ages=module.codes("stdAges", "StandardAge"),
        healthy_volunteers=module.flag("healthyVolunteers"),
        gender_based=module.flag("genderBased"),
        gender_description=module.line("genderDescription"),
        study_population=module.prose("studyPopulation"),
        sampling_method=module.code("samplingMethod", "SamplingMethod"),
    )


def _location(site: Fields) -> Location:
    point = site.object("geoPoint")
    return Location(
        facility=site.line("facility"),
        status=site.code("status", "RecruitmentStatus"),
        city=site.line("city"),
        state=site.line("state"),
        zip=site.line("zip"),
        country=site.line("country"),
        latitude=point.degrees("lat", limit=_MAX_LATITUDE),
        longitude=point.degrees("lon", limit=_MAX_LONGITUDE),
    )
