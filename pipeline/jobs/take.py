"""Takes one landed record into truth, in one transaction: one function a source."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final
from uuid import UUID

from pipeline.domain.documents import Document
from pipeline.domain.identifiers import document_id
from pipeline.domain.study import Notice
from pipeline.domain.vocabulary import PUBLIC_KINDS, NoticeCategory, Source
from pipeline.jobs.site_files import SiteFile, read_site_file
from pipeline.stages.assemble import assemble_trial
from pipeline.stages.normalize import normalize_study
from pipeline.storage import documents, runs
from pipeline.storage.crawls import ListedRecord
from pipeline.storage.runs import RunOutcome
from pipeline.storage.studies import replace_study
from pipeline.wiring import Services, utc_now

Taker = Callable[[Services, UUID, ListedRecord], str]


def take_trial(services: Services, run_id: UUID, record: ListedRecord) -> str:
    """Put one study into truth, its children replaced. Returns whether it is ``new`` or ``changed``.

    Raises:
        RecordError: It is no study that can be stored.
    """
    key = document_id(Source.CLINICALTRIALS_GOV, record.source_key)
    study = normalize_study(services.landing.get(record.payload_sha256))
    document = assemble_trial(study, key)
    with services.db.begin() as tx:
        known = documents.exists(tx, key)
        documents.upsert_document(tx, document, record.payload_sha256, utc_now())
        replace_study(tx, key, study)
        runs.add_outcomes(tx, run_id, [_notice(record, notice) for notice in study.notices])
    return "changed" if known else "new"


def take_file(services: Services, run_id: UUID, record: ListedRecord) -> str:
    """Put what may be known of one of the site's files into truth: hashes, kind, facets, and a title that names nobody.

    Raises:
        RecordError: Its text or its sidecar cannot be used.
    """
    file = read_site_file(services, record.payload_sha256)
    document = replace(file.document, title=_shown_title(services, file))
    notices = [Notice(NoticeCategory.DEPARTMENT_NOT_LISTED, "department")] if file.facts.department_unlisted else []
    with services.db.begin() as tx:
        known = documents.exists(tx, document.document_id)
        documents.upsert_document(tx, document, record.payload_sha256, utc_now(), root=file.landed.root)
        runs.add_outcomes(tx, run_id, [_notice(record, notice) for notice in notices])
    return "changed" if known else "new"


def _shown_title(services: Services, file: SiteFile) -> str:
    """Return the title that truth keeps and hits show. A public kind's is a sidecar's words; ours name nobody."""
    document: Document = file.document
    if document.kind not in PUBLIC_KINDS:
        return document.title
    policy = services.policy(document.kind, document.source)
    return services.scrubber.scrub(document.title, policy, subject=file.subject, known=file.known).text


def _notice(record: ListedRecord, notice: Notice) -> RunOutcome:
    return RunOutcome(
        stage="normalize",
        severity="notice",
        category=notice.category.value,
        source_key=record.source_key,
        field=notice.field,
        value=notice.value,
        origin=record.origin,
    )


#: What takes a record of each source.
TAKERS: Final[Mapping[str, Taker]] = MappingProxyType({Source.CLINICALTRIALS_GOV.value: take_trial, Source.DOCUMENTS.value: take_file})
