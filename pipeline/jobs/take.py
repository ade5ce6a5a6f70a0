"""Takes one landed record into truth, in one transaction: one function a source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final, Literal
from uuid import UUID

from pipeline.domain.documents import Document
from pipeline.domain.identifiers import document_id
from pipeline.domain.reading import LOW_CONFIDENCE, PageOutcome, ReadPage
from pipeline.domain.study import Notice
from pipeline.domain.vocabulary import PUBLIC_KINDS, DocumentKind, NoticeCategory, Provenance, Source
from pipeline.jobs.fhir.compose import compose
from pipeline.jobs.readings import OnPage
from pipeline.jobs.review.fixing import fix_of, fixed, refuse_public
from pipeline.jobs.site_files import SiteFile, read_site_file
from pipeline.stages.assemble import assemble_trial
from pipeline.stages.deidentify.coded import coded_in
from pipeline.stages.identify import FactScheme
from pipeline.stages.normalize import normalize_study
from pipeline.storage import documents, file_rows, runs
from pipeline.storage.crawls import ListedRecord
from pipeline.storage.file_rows import FigureRow, IdentifierRow
from pipeline.storage.runs import RunOutcome
from pipeline.storage.studies import replace_study
from pipeline.wiring import Services, utc_now

MAX_PAGES_NAMED: Final = 20


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of one record: ``new`` or ``changed``, and its pages by outcome where it has pages."""

    state: str
    pages: Counter[str] = field(default_factory=Counter)


Taker = Callable[[Services, UUID, ListedRecord, OnPage], Taken]


def take_trial(services: Services, run_id: UUID, record: ListedRecord, on_page: OnPage) -> Taken:
    """Put one study into truth, its children replaced.

    Raises:
        RecordError: It is no study that can be stored.
    """
    del on_page  # a study has no pages
    key = document_id(Source.CLINICALTRIALS_GOV, record.source_key)
    study = normalize_study(services.landing.get(record.payload_sha256))
    document = fixed(assemble_trial(study, key), fix_of(services, key))
    with services.db.begin() as tx:
        known = documents.exists(tx, key)
        documents.upsert_document(tx, document, record.payload_sha256, utc_now())
        replace_study(tx, key, study)
        runs.add_outcomes(tx, run_id, [_notice(record, notice) for notice in study.notices])
    return Taken("changed" if known else "new")


def take_file(services: Services, run_id: UUID, record: ListedRecord, on_page: OnPage) -> Taken:
    """Put what may be known of one of the site's files into truth: hashes, kind, facets, the account of its pages, a title that names nobody.

    Raises:
        RecordError: It cannot be read, or its sidecar cannot be used.
    """
    fix = fix_of(services, document_id(Source.DOCUMENTS, record.source_key))
    file = read_site_file(services, record.payload_sha256, kind=fix.kind if fix else None, on_page=on_page)
    refuse_public(file, fix)
    document = fixed(replace(file.document, title=_shown_title(services, file)), fix)
    key, read = document.document_id, file.reading.file
    figures = [FigureRow(figure, file.reading.images.get(figure.number)) for figure in read.figures]
    with services.db.begin() as tx:
        known = documents.exists(tx, key)
        documents.upsert_document(tx, document, record.payload_sha256, utc_now(), root=file.landed.root)
        file_rows.replace_pages(tx, key, read.pages)
        file_rows.replace_figures(tx, key, figures)
        file_rows.replace_identifiers(tx, key, identifier_rows(file))
        runs.add_outcomes(tx, run_id, file_outcomes(file, record))
    return Taken("changed" if known else "new", Counter(page.outcome.value for page in read.pages))


def take_resource(services: Services, run_id: UUID, record: ListedRecord, on_page: OnPage) -> Taken:
    """Put what may be known of a FHIR resource's document into truth: hashes, kind, facets, a title that names nobody.

    Raises:
        RecordError: It cannot be rendered, or landing has lost a part of it.
    """
    del on_page
    made = compose(services, record.payload_sha256)
    policy = services.policy(made.document.kind, made.document.source)
    coded = coded_in(made.document.parts)
    (title,) = services.scrubber.scrub_all([made.document.title], policy, subject=made.subject, known=made.known, coded=coded)
    document = fixed(replace(made.document, title=title.text), fix_of(services, made.document.document_id))
    told = [
        RunOutcome("read", "failure", category.value, source_key=record.source_key, field=path, origin=record.origin)
        for path, category in made.attached.failures
    ]
    with services.db.begin() as tx:
        known = documents.exists(tx, document.document_id)
        documents.upsert_document(tx, document, record.payload_sha256, utc_now())
        runs.add_outcomes(tx, run_id, told)
    return Taken("changed" if known else "new")


def _shown_title(services: Services, file: SiteFile) -> str:
    """Return the title that truth keeps and hits show. A public kind's is a sidecar's words; ours name nobody."""
    document: Document = file.document
    if document.kind not in PUBLIC_KINDS:
        return document.title
    policy = services.policy(document.kind, document.source)
    return services.scrubber.scrub(document.title, policy, subject=file.subject, known=file.known).text


def identifier_rows(file: SiteFile) -> list[IdentifierRow]:
    """Return the numbers that name a document with where each comes from. Of a clinical document there are none."""
    if file.document.kind not in PUBLIC_KINDS:
        return []
    said = file.facts.sidecar
    given = [(FactScheme.PROTOCOL_NUMBER, said.protocol_number), (FactScheme.AMENDMENT, said.amendment)]
    given += [(FactScheme.NCT_ID, one) for one in said.nct_ids]
    rows = [IdentifierRow(scheme.value, value, Provenance.RECORD, None, own=True) for scheme, value in given if value]
    return rows + [IdentifierRow(one.scheme.value, one.value, one.provenance, one.page, one.own) for one in file.identity.facts]


def file_outcomes(file: SiteFile, record: ListedRecord) -> list[RunOutcome]:
    """Return what the report has to say of a file that was taken: pages that failed make the run incomplete, the rest are notices."""
    pages = file.reading.file.pages
    found = [
        _of_pages(record, "failure", category.value, [page for page in pages if page.failure is category])
        for category in dict.fromkeys(page.failure for page in pages if page.failure is not None)
    ]
    found += [
        _of_pages(record, "notice", category.value, noted)
        for category, noted in (
            (NoticeCategory.PAGE_NO_TEXT, [page for page in pages if page.outcome is PageOutcome.NO_TEXT]),
            (NoticeCategory.LOW_CONFIDENCE, [page for page in pages if page.confidence < LOW_CONFIDENCE]),
            (NoticeCategory.OCR_SUSPECT, [page for page in pages if page.suspects]),
            (NoticeCategory.UNEXPLAINED_CHARACTERS, [page for page in pages if page.unexplained]),
        )
        if noted
    ]
    notices = [Notice(NoticeCategory.DEPARTMENT_NOT_LISTED, "department")] if file.facts.department_unlisted else []
    if file.facts.kind is None:
        unknown = file.document.kind is DocumentKind.UNKNOWN
        notices.append(
            Notice(NoticeCategory.KIND_UNKNOWN if unknown else NoticeCategory.KIND_BY_CLASSIFIER, "kind", file.document.kind.value)
        )
    found += [RunOutcome("read", "notice", name, source_key=record.source_key, origin=record.origin) for name in file.reading.file.notices]
    return found + [_notice(record, notice) for notice in notices]


def _of_pages(record: ListedRecord, severity: Literal["failure", "notice"], category: str, pages: Sequence[ReadPage]) -> RunOutcome:
    numbers = ", ".join(str(page.number) for page in pages[:MAX_PAGES_NAMED]) + (" …" if len(pages) > MAX_PAGES_NAMED else "")
    return RunOutcome(
        stage="read",
        severity=severity,
        category=category,
        source_key=record.source_key,
        field="pages",
        value=numbers,
        origin=record.origin,
        count=len(pages),
    )


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
TAKERS: Final[Mapping[str, Taker]] = MappingProxyType(
    {Source.CLINICALTRIALS_GOV.value: take_trial, Source.DOCUMENTS.value: take_file, Source.FHIR.value: take_resource}
)
