"""Search: understood, routed, retrieved in the engine, hydrated from truth, re-ranked, grouped by document, cited.

Every hit is read from truth: one whose generation is not the live one, or whose document is deleted, is dropped and counted.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from uuid import UUID

from pipeline.domain.documents import Facets
from pipeline.domain.errors import CollectionMissingError
from pipeline.domain.points import PointFilter
from pipeline.domain.ports import VectorIndex
from pipeline.search.access import OPERATOR, Principal
from pipeline.search.evidence import is_refused
from pipeline.search.grouping import arrange
from pipeline.search.hits import Asked, Clock, hits_of
from pipeline.search.passages import Group, Passage
from pipeline.search.patient.model import Patient
from pipeline.search.reading import reading_of
from pipeline.search.request import Mode, SearchRequest, SearchResult
from pipeline.search.rerank import rerank
from pipeline.search.rerank.cross_encoder import read_again
from pipeline.search.retrieve import Candidate, queries_for, retrieve
from pipeline.search.route import Route, RouteName, route
from pipeline.search.thresholds import threshold_of
from pipeline.search.trials import Asked as TrialsAsked
from pipeline.search.trials import find_trials
from pipeline.search.understand import understand
from pipeline.search.understand.model import Understood, Variant, Why
from pipeline.search.understand.vocabulary import IndexVocabulary
from pipeline.storage import chunks as chunk_store
from pipeline.storage.documents import load_documents
from pipeline.storage.freshness import Confirmation, confirmations
from pipeline.wiring import Services, utc_now

# With a server, a flip between the query and the look into truth hides a document from this one search: it is asked once more.
ATTEMPTS = 2


def search(
    services: Services, request: SearchRequest, *, today: date, now: datetime | None = None, principal: Principal = OPERATOR
) -> SearchResult:
    """Answer one search from the collection that is live now.

    Args:
        services: The home.
        request: What is asked.
        today: For the age of statuses, as their sources date them.
        now: For how long ago their sources confirmed them; ``None``: this moment.
        principal: Whom it is answered to: what they may not see is neither shown nor counted.
    """
    there = services.live()
    try:
        return search_in(there, request, today=today, now=now, principal=principal)
    except CollectionMissingError:  # it was live a moment ago, and somebody has retired it by hand since
        if (moved := services.live()).collection == there.collection:
            raise
        return search_in(moved, request, today=today, now=now, principal=principal)


def search_in(
    services: Services, request: SearchRequest, *, today: date, now: datetime | None = None, principal: Principal = OPERATOR
) -> SearchResult:
    """Answer one search from the collection of ``services``. Its hits are hydrated by its name: a promotion in between mixes nothing."""
    start = time.monotonic()
    clock = Clock(today, now or utc_now(), services.settings.status_max_age_hours)
    asked = _understood(services, request, principal)
    way = _route(services, asked, request, principal)
    where = replace(way.where(request.where()), visible=principal.visible)
    found = _found(services, asked, where, request) if way.name is not RouteName.ABSENT else _Found()
    groups = found.groups if request.mode is not Mode.FULL else _arranged(services, asked, found.groups)
    least = threshold_of(asked.intents, services.settings.thresholds, asked=request.threshold)
    strong = [group for group in groups if group.score >= least]
    unknown = found.unknown if principal.visible is None else 0  # truth cannot say to whom these could be shown
    dropped = {"not_in_truth": unknown, "changed_since": found.changed, "below_threshold": len(groups) - len(strong)}
    return SearchResult(
        query=request.query,
        route=way.name.value,
        refused=_refused(services, asked, way, found, request, principal),
        hits=hits_of(services, Asked(asked, way.name.value, where), strong[: request.limit], found.confirmed, clock),
        dropped=dropped,
        seconds=round(time.monotonic() - start, 4),
        reading=reading_of(asked, known=way.known, absent=way.absent),
    )


def _understood(services: Services, request: SearchRequest, principal: Principal) -> Understood:
    if request.mode is Mode.FULL:
        return understand(request.query, IndexVocabulary(services, principal.visible))
    return Understood(query=request.query, variants=(Variant(request.query, Why.ORIGINAL),))


def _refused(services: Services, asked: Understood, way: Route, found: _Found, request: SearchRequest, principal: Principal) -> bool:
    if request.mode is not Mode.FULL:
        return False
    cosines = [passage.candidate.dense for group in found.groups for passage in group.passages]
    best = max((cosine for cosine in cosines if cosine is not None), default=None)
    return is_refused(asked, way, best, IndexVocabulary(services, principal.visible))


def _arranged(services: Services, asked: Understood, found: Sequence[Group]) -> list[Group]:
    groups = rerank(asked, found)
    if (scorer := services.cross_encoder) is not None:
        groups = read_again(asked.query, groups, scorer, documents=services.settings.cross_encoder_documents)
    return arrange(groups)


def _route(services: Services, asked: Understood, request: SearchRequest, principal: Principal) -> Route:
    if request.mode is not Mode.FULL:
        return Route(RouteName.HYBRID)
    with services.db.read() as tx:
        return route(tx, asked, collection=services.collection, visible=principal.visible)


@dataclass(frozen=True, slots=True)
class _Found:
    groups: list[Group] = field(default_factory=list)
    unknown: int = 0  # points that truth does not know as live
    changed: int = 0  # points of documents that truth, by now, says the filters do not want
    confirmed: dict[UUID, Confirmation] = field(default_factory=dict)


def _found(services: Services, asked: Understood, where: PointFilter, request: SearchRequest) -> _Found:
    """Return documents with their passages, in the order of fused scores."""
    settings = services.settings
    embedders = {model.vector: services.embedder_of(model) for model in services.dense_models(where.kinds)}
    queries = [
        query
        for query in queries_for(asked, embedders, services.sparse)
        if request.mode not in (Mode.DENSE, Mode.SPARSE) or query.is_dense == (request.mode is Mode.DENSE)
    ]
    wanted = request.limit * settings.overfetch
    found = _Found()
    for _ in range(ATTEMPTS):
        with services.index.session() as index:
            services.require_collection()
            if asked.patient is not None:
                wordings = TrialsAsked.of(queries, where, collection=services.collection, rrf_k=settings.rrf_k)
                found = _found_trials(services, index, wordings, asked.patient, limit=request.limit)
            else:
                candidates = retrieve(index, queries, where, candidates=wanted, rrf_k=settings.rrf_k)
                found = _hydrate(services, candidates, where)  # while writers, who flip in a session, wait
        if not found.unknown or len(found.groups) >= request.limit:
            break
    return found


def _found_trials(services: Services, index: VectorIndex, asked: TrialsAsked, patient: Patient, *, limit: int) -> _Found:
    """Return what truth says of a patient's trials, with the signals that they were chosen by."""
    with services.db.read() as tx:
        trials = find_trials(index, tx, asked, patient, limit=limit)
    found = _hydrate(services, trials.candidates, asked.where)
    groups = [replace(group, signals=trials.signals.get(group.document_id, {})) for group in found.groups]
    return replace(found, groups=groups)


def _hydrate(services: Services, candidates: Sequence[Candidate], where: PointFilter) -> _Found:
    """Return what truth says of the candidates, and how many were left out."""
    ids = [candidate.point_id for candidate in candidates if isinstance(candidate.point_id, UUID)]
    with services.db.read() as tx:
        rows = chunk_store.rows_by_point(tx, ids, collection=services.collection)
        known = load_documents(tx, sorted({row.document_id for row in rows.values()}))
        confirmed = {one.document_id: one for one in confirmations(tx, known)}
    passages: dict[UUID, list[Passage]] = {}
    unknown = changed = 0
    for candidate in candidates:
        row = rows.get(candidate.point_id) if isinstance(candidate.point_id, UUID) else None
        if row is None:
            unknown += 1
        elif where.visible is not None and not where.visible.sees(known[row.document_id].kind, known[row.document_id].facets):
            continue  # its label has changed since its payloads were written: not even counted
        elif not _fits(where, known[row.document_id].facets):
            changed += 1
        else:
            passages.setdefault(row.document_id, []).append(Passage(candidate, row, candidate.fused))
    groups = [Group(known[document], tuple(members), members[0].score) for document, members in passages.items()]
    return _Found(groups, unknown, changed, confirmed)


def _fits(where: PointFilter, facets: Facets) -> bool:
    """Whether a study is, by truth, one that the filters want: a status may have changed since its payloads were written."""
    return (
        (not where.overall_status or facets.overall_status in where.overall_status)
        and (not where.study_types or facets.study_type in where.study_types)
        and (not where.phases or not set(where.phases).isdisjoint(facets.phases))
        and (not where.conditions or not set(where.conditions).isdisjoint(facets.conditions))
        and (not where.patients or facets.patient in where.patients)
        and (not where.access or facets.access in where.access)
        and (not where.departments or facets.department in where.departments)
    )
