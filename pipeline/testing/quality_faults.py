"""A fault for each expectation of data quality, put into a copy of the sample home; each in rows of its own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any, Final
from uuid import UUID, uuid4

from sqlalchemy import Connection, delete, insert, select, update

from pipeline.domain.points import PointFilter, StoredPoint
from pipeline.domain.vocabulary import RunKind, Section
from pipeline.jobs.quality.model import Figures
from pipeline.storage import runs as run_store
from pipeline.storage.fhir_tables import fhir_resources
from pipeline.storage.retrieval_tables import search_log
from pipeline.storage.study_tables import studies
from pipeline.storage.tables import chunk_accounts, chunks, document_pages, documents, index_state, runs
from pipeline.wiring import Services, utc_now

#: Rows that break an expectation, by its id.
Seeded = dict[str, set[str]]

#: Stands for the row of the check itself, whose id is not known beforehand.
THE_CHECK: Final = "the check"

_STUDY_FAULTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "study_id_shape": {"nct_id": "NCT1234567"},
    "study_status_present": {"overall_status": None},
    "study_status_known": {"overall_status": "ON_STRIKE"},
    "study_type_known": {"study_type": "GUESSWORK"},
    "study_minimum_age": {"minimum_age_days": -365.25, "maximum_age_days": None},
    "study_maximum_age": {"minimum_age_days": None, "maximum_age_days": 200 * 365.25},
    "study_age_order": {"minimum_age_days": 60 * 365.25, "maximum_age_days": 20 * 365.25},
    "study_enrollment": {"enrollment_count": 99_000_000},
    "study_update_dated": {"last_update_post_date_sort": None},
}
_DOCUMENT_FAULTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "document_kind_known": {"kind": "poem"},
    "document_source_known": {"source": "hearsay"},
    "document_hash_shape": {"content_hash": "not a hash"},
    "document_title_present": {"title": ""},
}
_ACCOUNT_FAULTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "document_outcome_known": {"outcome": "enjoyed"},
    "document_text_explained": {"unexplained": 7},
    "document_redacted_share": {"characters": 100, "redacted": 80},
}
_PAGE_FAULTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "page_number": {"page": 0},
    "page_outcome_known": {"outcome": "skimmed"},
    "page_read": {"outcome": "failed"},
    "page_characters": {"characters": -1},
    "page_confidence_range": {"confidence": 1.5},
    "page_ocr_confidence": {"outcome": "ocr", "confidence": 0.4},
    "page_text_explained": {"unexplained": 3},
}
_CHUNK_FAULTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "chunk_section_known": {"section": "POEM"},
    "chunk_element_known": {"element": "song"},
    "chunk_ordinal": {"ordinal": 0},
    "chunk_pieces": {"piece": 3, "pieces": 2},
    "chunk_text_present": {"text": "  ", "embed_text": None},
    "chunk_tokens_counted": {"token_count": 0},
    "chunk_fits_window": {"token_count": 5000},
    "chunk_span": {"span_start": 10, "span_end": 10},
    "chunk_confidence_range": {"confidence": 1.5},
    "chunk_ocr_confidence": {"confidence": 0.3},
}
_RESOURCE_FAULTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "resource_key_shape": {"resource_key": "Patient/7"},
    "resource_type_shape": {"resource_type": "lab value"},
    "resource_outcome_known": {"outcome": "liked"},
    "resource_landed": {"payload_sha256": None},
    "resource_valid": {"outcome": "quarantined", "path": "Observation.status"},
    "resource_fault_named": {"outcome": "skipped"},
}
_RUN_FAULTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "run_kind_known": {"kind": "dance"},
    "run_ended_well": {"kind": "audit", "state": "killed"},
    "run_lasts": {"kind": "evaluate", "finished_at": timedelta(hours=-1)},
    "run_failed_share": {"kind": "ingest_documents", "counts": {"seen": 10, "failed": 4}},
}


def seed_faults(services: Services) -> Seeded:
    """Put every fault into a home that has none, and return the rows that each concerns."""
    seeded: Seeded = defaultdict(set)
    with services.db.begin() as tx:
        spare = iter(tx.execute(select(studies.c.document_id).order_by(studies.c.document_id)).scalars().all())
        _seed_studies(tx, seeded, spare)
        _seed_documents(tx, seeded, spare)
        _seed_pages(tx, seeded, next(spare))
        _seed_chunks(services, tx, seeded, spare)
        _seed_resources(tx, seeded)
        _seed_runs(tx, seeded)
        _seed_home(tx, seeded, next(spare))
    _seed_points(services, seeded, next(spare))
    _seed_childless(services, seeded, next(spare))
    _seed_drift(services, seeded)
    return dict(seeded)


def _seed_studies(tx: Connection, seeded: Seeded, spare: Iterator[UUID]) -> None:
    ahead = {"study_update_not_ahead": {"last_update_post_date_sort": (utc_now() + timedelta(days=40)).date()}}
    for name, values in {**_STUDY_FAULTS, **ahead}.items():
        document = next(spare)
        tx.execute(update(studies).where(studies.c.document_id == document).values(values))
        seeded[name].add(str(document))


def _seed_documents(tx: Connection, seeded: Seeded, spare: Iterator[UUID]) -> None:
    for table, faults in ((documents, _DOCUMENT_FAULTS), (chunk_accounts, _ACCOUNT_FAULTS)):
        for name, values in faults.items():
            document = next(spare)
            tx.execute(update(table).where(table.c.document_id == document).values(values))
            seeded[name].add(str(document))
    first, copied, short = next(spare), next(spare), next(spare)
    content = tx.execute(select(documents.c.content_hash).where(documents.c.document_id == first)).scalar_one()
    tx.execute(update(documents).where(documents.c.document_id == copied).values(content_hash=content))
    seeded["document_not_copied"] |= {str(first), str(copied)}
    tx.execute(update(index_state).where(index_state.c.document_id == short).values(live_chunks=index_state.c.live_chunks + 1))
    seeded["document_chunks_agree"].add(str(short))


def _seed_pages(tx: Connection, seeded: Seeded, document: UUID) -> None:
    zeros = dict.fromkeys(
        ("body", "furniture", "dropped", "unexplained", "tables", "figures", "suspects", "rotation", "skew", "dpi", "seconds", "lowest"), 0
    )
    for number, (name, values) in enumerate(_PAGE_FAULTS.items(), start=1):
        sound = {"document_id": document, "page": number, "outcome": "text_layer", "confidence": 1.0, "characters": 9}
        row = {**zeros, **sound, **values}
        tx.execute(insert(document_pages).values(row))
        seeded[name].add(f"{document}/page {row['page']}")


def _seed_chunks(services: Services, tx: Connection, seeded: Seeded, spare: Iterator[UUID]) -> None:
    placeholder = min(services.policy("trial", "clinicaltrials.gov").placeholders.values())
    dense = {"chunk_placeholder_density": {"text": f"{placeholder} {placeholder} seen", "embed_text": None}}
    query = select(chunks.c.point_id).where(chunks.c.section == Section.OUTCOME.value)
    for name, values in {**_CHUNK_FAULTS, **dense}.items():
        point = None
        while point is None:  # an outcome has no polarity, so that its section may be any
            point = tx.execute(query.where(chunks.c.document_id == next(spare)).limit(1)).scalar_one_or_none()
        tx.execute(update(chunks).where(chunks.c.point_id == point).values(values))
        seeded[name].add(str(point))
    of_criteria = select(chunks.c.point_id).where(chunks.c.section == Section.INCLUSION_CRITERION.value)
    document = next(spare)
    turned = tx.execute(of_criteria.where(chunks.c.document_id == document).order_by(chunks.c.point_id).limit(1)).scalar_one()
    tx.execute(update(chunks).where(chunks.c.point_id == turned).values(is_exclusion=True))
    seeded["chunk_polarity"].add(str(turned))
    alike = list(tx.execute(select(chunks.c.point_id).where(chunks.c.document_id == next(spare)).limit(5)).scalars())
    for number, point in enumerate(alike):
        tx.execute(update(chunks).where(chunks.c.point_id == point).values(text=f"Visit {number}: blood is drawn", embed_text=None))
    seeded["chunk_not_repeated"] |= {str(point) for point in alike}


def _seed_resources(tx: Connection, seeded: Seeded) -> None:
    now = utc_now()
    for number, (name, values) in enumerate(_RESOURCE_FAULTS.items()):
        sound = {"resource_key": f"{number:032x}", "resource_type": "Observation", "outcome": "document", "payload_sha256": "0" * 64}
        row = {**sound, "load_id": uuid4(), "scope": "all", "seen_at": now, "updated_at": now, **values}
        tx.execute(insert(fhir_resources).values(row))
        seeded[name].add(str(row["resource_key"]))


def _seed_runs(tx: Connection, seeded: Seeded) -> None:
    now = utc_now()
    for name, values in _RUN_FAULTS.items():
        run_id = uuid4()
        row = {"run_id": run_id, "state": "success", "started_at": now, "counts": {}, **values}
        tx.execute(insert(runs).values({**row, "finished_at": now + values.get("finished_at", timedelta())}))
        seeded[name].add(str(run_id))


def _seed_home(tx: Connection, seeded: Seeded, held: UUID) -> None:
    blocked = {"state": "failed", "error_category": "quality_blocked"}
    tx.execute(update(index_state).where(index_state.c.document_id == held).values(blocked))
    read = select(chunk_accounts.c.document_id).where(chunk_accounts.c.outcome == "both")
    unread = list(tx.execute(read.order_by(chunk_accounts.c.document_id.desc()).limit(30)).scalars())
    tx.execute(update(chunk_accounts).where(chunk_accounts.c.document_id.in_(unread)).values(outcome="unparsed"))
    for name in ("home_nothing_held", "home_points_agree", "home_unparsed_share"):
        seeded[name].add(THE_CHECK)


def _seed_points(services: Services, seeded: Seeded, document: UUID) -> None:
    with services.index.session() as index:
        lost, old, odd, strange, *_ = points = list(index.scan(PointFilter(document_ids=(document,)), vectors=True))
        extra = StoredPoint(uuid4(), points[-1].payload, points[-1].vectors)
        index.restore([extra])
        changes = ((old, {"generation": 77}), (odd, {"section": "POEM"}), (strange, {"kind": "poem"}))
        index.set_payload([(UUID(str(point.id)), {**point.payload, **change}) for point, change in changes])
        index.delete_points([lost.id])
    seeded["point_in_index"].add(str(lost.id))
    seeded["point_in_truth"].add(str(extra.id))
    seeded["point_generation"].add(str(old.id))
    seeded["point_section_known"].add(str(odd.id))
    seeded["point_kind_known"].add(str(strange.id))
    seeded["point_payload"] |= {str(point.id) for point, _ in changes}


def _seed_childless(services: Services, seeded: Seeded, document: UUID) -> None:
    """Take every chunk of a document away, in truth and in the index."""
    with services.db.begin() as tx:
        tx.execute(delete(chunks).where(chunks.c.document_id == document))
        tx.execute(update(index_state).where(index_state.c.document_id == document).values(live_chunks=0))
    with services.index.session() as index:
        index.delete_matching(PointFilter(document_ids=(document,)))
    seeded["document_has_chunks"].add(str(document))


def _seed_drift(services: Services, seeded: Seeded) -> None:
    """Keep an earlier check of quite another home, and searches since that found nothing."""
    model = services.spec.dense[0]
    other = Figures(
        lengths=[0] * 16 + [1000],
        sections={Section.APPENDIX.value: 1000},
        model=model.model,
        centroid=[1.0] + [0.0] * (model.dimensions - 1),
        spread=0.01,
        vectors=1000,
        searches=1000,
        zero_hits=10,
    )
    before = utc_now() - timedelta(days=1)
    seal = {"previous": "0" * 64, "hash": "0" * 64, "seal": "0" * 64}
    with services.db.begin() as tx:
        run_id = run_store.start_run(tx, RunKind.QUALITY, before)
        run_store.finish_run(tx, run_id, "success", {"figures": other.model_dump()}, before)
        for number in range(1, 31):
            row = {
                "number": number,
                "search_id": uuid4(),
                "at": utc_now(),
                "role": "operator",
                "endpoint": "/search",
                "query_hash": "0" * 64,
            }
            tx.execute(insert(search_log).values({**row, **seal, "filters": {}, "documents": [], "hits": 0}))
    for name in ("drift_lengths", "drift_sections", "drift_centroid", "drift_spread", "zero_hit_rate", "drift_zero_hits"):
        seeded[name].add(THE_CHECK)
