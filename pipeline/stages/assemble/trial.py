"""A study in, the document that is indexed out: named parts of text, the fields to filter on, and a hash of each.

Spans of chunks refer to these parts: a change of their wording or order is a new ``READER_VERSION``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Final
from uuid import UUID

from pipeline.domain.documents import Document, Facets, Part
from pipeline.domain.identifiers import fingerprint
from pipeline.domain.registry_enums import label
from pipeline.domain.study import ArmGroup, Intervention, Outcome, OutcomeRole, Study
from pipeline.domain.vocabulary import DocumentKind, Source

#: Part of every trial's recipe.
READER_VERSION: Final = "trial-record-1"


def assemble_trial(study: Study, document_id: UUID) -> Document:
    """Return the document of a study. Parts without text are left out."""
    title = study.brief_title or study.official_title or study.nct_id
    parts = tuple(Part(name, text) for name, text in _parts(study) if text is not None and not text.isspace() and text)
    facets = _facets(study)
    return Document(
        document_id=document_id,
        source=Source.CLINICALTRIALS_GOV.value,
        source_key=study.nct_id,
        kind=DocumentKind.TRIAL,
        title=title,
        parts=parts,
        facets=facets,
        content_hash=fingerprint([title, [[part.name, part.text] for part in parts]]),
        facets_hash=fingerprint(asdict(facets)),
    )


def _facets(study: Study) -> Facets:
    as_of = study.status.last_update_post_date or study.status.status_verified_date
    return Facets(
        nct_id=study.nct_id,
        overall_status=study.status.overall_status,
        status_as_of=as_of.text if as_of is not None else None,
        study_type=study.design.study_type,
        phases=study.design.phases,
        conditions=study.conditions,
    )


def _parts(study: Study) -> Iterator[tuple[str, str | None]]:
    yield "title_conditions", _title_and_conditions(study)
    yield "brief_summary", study.brief_summary
    yield "detailed_description", study.detailed_description
    yield "eligibility_criteria", study.eligibility.criteria
    yield "study_population", study.eligibility.study_population
    for index, arm in enumerate(study.arm_groups):
        yield f"arm_groups[{index}]", _arm_group(arm)
    for index, intervention in enumerate(study.interventions):
        yield f"interventions[{index}]", _intervention(intervention)
    for role in OutcomeRole:
        for index, outcome in enumerate(each for each in study.outcomes if each.role is role):
            yield f"{role.value}_outcomes[{index}]", _outcome(outcome)


def _title_and_conditions(study: Study) -> str:
    lines = [study.brief_title]
    if study.official_title != study.brief_title:
        lines.append(study.official_title)
    lines += [
        f"Acronym: {study.acronym}" if study.acronym else None,
        f"Conditions: {'; '.join(study.conditions)}" if study.conditions else None,
        f"Keywords: {'; '.join(study.keywords)}" if study.keywords else None,
    ]
    return _joined(*lines)


def _arm_group(arm: ArmGroup) -> str:
    kind = f"({label('ArmGroupType', arm.type)})" if arm.type else None
    head = " ".join(word for word in (arm.label, kind) if word)
    return ": ".join(text for text in (head, arm.description) if text)


def _intervention(intervention: Intervention) -> str:
    kind = f"{label('InterventionType', intervention.type)}:" if intervention.type else None
    others = f"({'; '.join(intervention.other_names)})" if intervention.other_names else None
    head = " ".join(word for word in (kind, intervention.name, others) if word)
    return _joined(head, intervention.description)


def _outcome(outcome: Outcome) -> str:
    return _joined(outcome.measure, outcome.description, f"Time frame: {outcome.time_frame}" if outcome.time_frame else None)


def _joined(*lines: str | None) -> str:
    return "\n".join(line for line in lines if line)
