"""Audits what is stored and shown for identifiers: texts, headings, tables and titles in truth, every payload in the index. Reads only.

The gate reads all of it again with the known identifiers of the patient; so does the detector. Where the source is at hand, what
de-identification took away from it is read for clinical terms. Nothing that was found is shown: classes, counts, places.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection

from pipeline.domain.chunks import Chunk
from pipeline.domain.clinical_codes import is_code
from pipeline.domain.dates import days_of
from pipeline.domain.documents import Facets
from pipeline.domain.errors import RecordError, UsageError
from pipeline.domain.phi import Found
from pipeline.domain.points import PointFilter
from pipeline.domain.vocabulary import DocumentKind
from pipeline.jobs.audit.summary import AuditSummary, LeakPlace, Reader
from pipeline.jobs.audit.tally import Tally
from pipeline.jobs.gating import row_text
from pipeline.jobs.load import Loaded, loader
from pipeline.observability import ProgressReporter, log_event
from pipeline.stages.deidentify import KnownIdentifiers, Policy
from pipeline.stages.deidentify.clinical_terms import is_clinical_term
from pipeline.stages.deidentify.coded import Coded, coded_in
from pipeline.stages.deidentify.gate import suspects
from pipeline.stages.deidentify.placeholders import placeholder_spans
from pipeline.stages.deidentify.plain import plain
from pipeline.storage import chunks as chunk_store
from pipeline.storage import citation_archive, index_state, quarantine, runs
from pipeline.storage.chunks import ChunkRow
from pipeline.storage.documents import load_documents
from pipeline.storage.file_rows import load_table_rows
from pipeline.storage.index_state import IndexRow
from pipeline.wiring import Services, utc_now

_BATCH: Final = 64  # documents whose sources and titles are loaded together
_BESIDE: Final = re.compile(
    r"\[(?:NAME|ORG|ID|DATE|ADDRESS)\](?:'s)?[ -](?:disease|syndrome|lymphoma|sign|test|score|scale|palsy|fracture|catheter|mg|mcg|ml|mmol|units?|%)",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W\d_][\w'-]{3,}")
# Values that Clindex itself makes: codes, hashes and keys without a blank. Anything else in a payload is read.
_OWN_FIELDS: Final = frozenset(
    (
        *("document_id", "fingerprint", "model", "source", "kind", "section", "part", "text_hash", "natural_key"),
        *(
            "nct_id",
            "nct_ids",
            "overall_status",
            "study_type",
            "phases",
            "access",
            "patient",
            "author_role",
            "encounter",
            "resource_status",
        ),
    )
)


# What those values look like: hashes, ids, words and codes, with section and number behind them. What a pen could have put there is read.
_OWN_VALUE: Final = re.compile(
    r"(?:[0-9a-f]{32}|[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|NCT\d{8}|[A-Za-z][A-Za-z_./]{0,60}\d{0,2})(?:\|[A-Z_]{2,40}|\|\d{1,6}){0,4}"
)
#: Fields of codes, by their vocabulary: a well-formed code of it is no number of a person.
_CODE_FIELDS: Final = {"loinc_codes": "LOINC", "snomed_codes": "SNOMED", "rxnorm_codes": "RxNorm"}
_OWN_NUMBERS: Final = frozenset({"generation", "ordinal", "piece", "span", "page"})
_OWN_NAME: Final = re.compile(r"[a-z_]{1,40}")


@dataclass(frozen=True, slots=True)
class _Judged:
    """What one document is read with."""

    document_id: UUID | None
    policy: Policy
    label: str  # of the policy, in the report
    known: KnownIdentifiers = field(repr=False)
    written: frozenset[str] = field(repr=False)
    released: bool
    coded: Coded | None = field(default=None, repr=False)  # of a rendered resource


def run_audit(services: Services, *, documents: Sequence[UUID] | None = None) -> AuditSummary:
    """Audit the index, as one run with its counts recorded.

    Args:
        services: The home.
        documents: Only these; ``None``: all, and every payload of the index.

    Raises:
        UsageError: Truth does not know one of these.
    """
    _refuse_unknown(services, documents)
    start = time.monotonic()
    with services.db.begin() as tx:
        run_id = runs.start_run(tx, "audit", utc_now())
    tally = Tally()
    summary: AuditSummary | None = None
    try:
        _audit_truth(services, tally, documents)
        _audit_index(services, tally, documents)
        summary = _summary(run_id, tally, time.monotonic() - start)
    finally:
        state: runs.RunState = "failed" if summary is None else "success" if summary.clean else "incomplete"
        counts = summary.model_dump(mode="json", exclude={"places"}) if summary else {}
        with services.db.begin() as tx:
            runs.finish_run(tx, run_id, state, counts, utc_now())
    log_event("audit_finished", run_id=str(run_id), state=state, leaked_documents=summary.leaked_documents)
    return summary


def _refuse_unknown(services: Services, only: Sequence[UUID] | None) -> None:
    """Nothing was read of a mistyped id: that must not be called clean."""
    if not only:
        return
    with services.db.read() as tx:
        known = index_state.get_many(tx, only, collection=services.collection)
    if missing := sorted(str(one) for one in only if one not in known):
        raise UsageError(f"no document {missing[0]} is known", remedy="`clindex search --json` and `clindex quarantine list` show ids.")


def _audit_truth(services: Services, tally: Tally, only: Sequence[UUID] | None) -> None:
    with services.db.read() as tx:
        total = index_state.state_counts(tx, collection=services.collection).get("live") if only is None else len(only)
    with services.db.read() as tx, ProgressReporter("audit documents", total=total) as progress:
        rows = _rows(services, tx, only)
        live = (row for row in rows if row.live_generation is not None and not row.tombstoned)
        while batch := list(islice(live, _BATCH)):
            _audit_batch(services, tally, batch)
            progress.advance(len(batch))


def _rows(services: Services, tx: Connection, only: Sequence[UUID] | None) -> Iterator[IndexRow]:
    if only is None:
        return index_state.scan(tx, collection=services.collection)
    return iter(index_state.get_many(tx, only, collection=services.collection).values())


def _audit_batch(services: Services, tally: Tally, rows: Sequence[IndexRow]) -> None:
    load = loader(services, rows)
    with services.db.read() as tx:
        shown = load_documents(tx, [row.document_id for row in rows])
        released = quarantine.released_among(tx, [(row.document_id, row.live_fingerprint or "") for row in rows])
    for row in rows:
        judged = _judged(services, tally, row, load, released=row.document_id in released)
        with services.db.read() as tx:
            stored = chunk_store.rows_of_generation(tx, row.document_id, row.live_generation or 0)
        tally.documents += 1
        _read(services, tally, judged, shown[row.document_id].title, where="title")
        _read_beside(services, tally, judged, stored, shown[row.document_id].facets)
        for one in stored:
            tally.chunks += 1
            texts = {one.chunk.text, one.chunk.embed_text}
            for text in sorted(texts, key=len)[-1:] if _contained(texts) else sorted(texts):
                _read(services, tally, judged, text, where=one.chunk.part, chunk=one.chunk, detect=True)
            _count_placeholders(tally, judged, one.chunk.text)


def _read_beside(services: Services, tally: Tally, judged: _Judged, stored: Sequence[ChunkRow], facets: Facets) -> None:
    """Read what truth holds beside the chunks' own texts: headings, rows of tables, facets."""
    with services.db.read() as tx:
        rows = load_table_rows(tx, judged.document_id) if judged.document_id else []
        gone = citation_archive.texts(tx, judged.document_id) if judged.document_id else {}
    for text in sorted(gone.values()):
        _read(services, tally, judged, text, where="superseded")
    for heading in sorted({heading for one in stored for heading in one.chunk.headings}):
        _read(services, tally, judged, heading, where="heading")
    for text in sorted({row_text(row.cells) for row in rows}):
        _read(services, tally, judged, text, where="table")
    for text in sorted(set(_texts(asdict(facets)))):
        _read(services, tally, judged, text, where="facet")


def _contained(texts: set[str]) -> bool:
    """Whether the longest of the texts holds the others."""
    longest = max(texts, key=len)
    return all(text in longest for text in texts)


def _judged(services: Services, tally: Tally, row: IndexRow, load: Callable[[IndexRow], Loaded], *, released: bool) -> _Judged:
    policy = services.policy(row.kind, row.source)
    current = services.recipe(DocumentKind(row.kind), row.source).fingerprint_of(row.content_hash)
    label = policy.id if row.live_fingerprint == current else f"before {policy.id}"
    sums = tally.policy(label)
    sums.documents += 1
    known, written, coded = KnownIdentifiers(), frozenset[str](), None
    if policy.reads_language:
        try:
            loaded = load(row)
        except RecordError:  # its source is gone: what is stored is read all the same
            loaded = None
        if loaded is not None:
            known = loaded.known or known
            written = _read_source(services, tally, label, policy, loaded)
            coded = coded_in(loaded.document.parts)
    return _Judged(row.document_id, policy, label, known, written, released, coded)


def _read_source(services: Services, tally: Tally, label: str, policy: Policy, loaded: Loaded) -> frozenset[str]:
    """Count the clinical terms of a source and those in replaced stretches; return what was written in the place of identifiers."""
    sums = tally.policy(label)
    sums.sources_read += 1
    texts = [loaded.document.title, *(part.text for part in loaded.document.parts)]
    known = loaded.known or KnownIdentifiers()
    written: set[str] = set()
    coded = coded_in(loaded.document.parts)
    scrub = services.scrubber.scrub_all(texts, policy, subject=loaded.subject, known=known, coded=coded)
    for text, scrubbed in zip(texts, scrub, strict=True):
        sums.clinical_terms += sum(1 for match in _WORD.finditer(text) if is_clinical_term(match.group()))
        for one in scrubbed.replacements:
            written.add(scrubbed.text[one.start : one.end])
            taken = text[one.source_start : one.source_end]
            if lost := sum(1 for match in _WORD.finditer(taken) if is_clinical_term(match.group())):
                sums.lost[one.category.value] += lost
    return frozenset(value for value in written if not value.startswith("[")) | (coded.measures if coded else frozenset())


def _read(
    services: Services, tally: Tally, judged: _Judged, text: str, *, where: str, chunk: Chunk | None = None, detect: bool = False
) -> None:
    """Let gate and detector read one text, and count what they find."""
    found = suspects(text, judged.policy.classes, known=judged.known.values, written=judged.written)
    readers: list[tuple[Reader, list[Found]]] = [
        ("gate", [one for one in found if one.by != "gate.known"]),
        ("known", [one for one in found if one.by == "gate.known"]),
    ]
    if detect:
        readers.append(("detector", list(_detected(services, judged, text, found))))
    for reader, places in readers:
        for category in sorted({one.category for one in places}):
            _count(tally, judged, reader, [one for one in places if one.category is category], where, chunk)


def _detected(services: Services, judged: _Judged, text: str, by_gate: Sequence[Found]) -> Iterator[Found]:
    """Yield what the detector alone still finds, placeholders and written values left out."""
    masked = placeholder_spans(text, judged.policy.placeholders.values())
    (places,) = services.scrubber.find_all([plain(text)], judged.policy, known=judged.known, coded=judged.coded)
    for one in places:
        value = text[one.start : one.end]
        if any(start < one.end and one.start < end for start, end in masked) or any(one.overlaps(other) for other in by_gate):
            continue
        if not any(value in own or own in value for own in judged.written):
            yield one


def _count(tally: Tally, judged: _Judged, reader: Reader, places: Sequence[Found], where: str, chunk: Chunk | None) -> None:
    place = LeakPlace(
        document_id=str(judged.document_id) if judged.document_id else None,
        policy=judged.label,
        category=places[0].category.value,
        by=reader,
        where=where,
        section=chunk.section.value if chunk else None,
        ordinal=chunk.ordinal if chunk else None,
        count=len(places),
        start=places[0].start,
        characters=sum(one.end - one.start for one in places),
    )
    tally.leak(place, judged.document_id, released=judged.released)


def _count_placeholders(tally: Tally, judged: _Judged, text: str) -> None:
    sums = tally.policy(judged.label)
    found = [end - start for start, end in placeholder_spans(text, judged.policy.placeholders.values())]
    sums.characters += len(text)
    sums.placeholders += len(found)
    sums.placeholder_characters += sum(found)
    sums.beside_clinical_words += sum(1 for _ in _BESIDE.finditer(text))


def _audit_index(services: Services, tally: Tally, only: Sequence[UUID] | None) -> None:
    """Let the gate read every text that a payload holds, whoever wrote the point."""
    where = PointFilter(document_ids=tuple(only)) if only else None
    with services.index.session() as index, ProgressReporter("audit payloads", total=index.count(where)) as progress:
        for point in index.scan(where):
            tally.points += 1
            progress.advance()
            policy = services.policy(str(point.payload.get("kind")), str(point.payload.get("source")))
            judged = _Judged(_document_of(point.payload), policy, policy.id, KnownIdentifiers(), frozenset(), released=False)
            for text in _texts(_without_own_days(point.payload)):
                _read(services, tally, judged, text, where="payload")


def _document_of(payload: Any) -> UUID | None:
    try:
        return UUID(str(payload.get("document_id")))
    except ValueError:
        return None


def _without_own_days(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return a payload without the days that Clindex wrote from its date: the date itself is read, days of another date are too."""
    own = days_of(str(payload.get("document_date") or payload.get("status_as_of") or "")) or (None, None)
    return {name: value for name, value in payload.items() if (name, value) not in (("dated_from", own[0]), ("dated_to", own[1]))}


def _texts(value: Any, name: str = "") -> Iterator[str]:
    """Yield the texts, names and numbers in a payload that are no codes, hashes or counts of ours."""
    if isinstance(value, str):
        if not (name in _OWN_FIELDS and _OWN_VALUE.fullmatch(value)) and not is_code(_CODE_FIELDS.get(name, ""), value):
            yield value
    elif isinstance(value, int | float) and not isinstance(value, bool):
        if name not in _OWN_NUMBERS:
            yield f"{name}: {value}" if _OWN_NAME.fullmatch(name) else str(value)
    elif isinstance(value, dict):
        for key, one in value.items():
            if not _OWN_NAME.fullmatch(str(key)):
                yield str(key)
            yield from _texts(one, str(key))
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one, name)


def _summary(run_id: UUID, tally: Tally, seconds: float) -> AuditSummary:
    leaks = tally.leaks.listed()
    return AuditSummary(
        run_id=str(run_id),
        clean=not leaks,
        documents=tally.documents,
        chunks=tally.chunks,
        points=tally.points,
        leaked_documents=len(tally.leaked),
        leaked_characters=sum(one.characters for one in leaks),
        leaks=leaks,
        suspected=tally.suspected.listed(),
        released=tally.released.listed(),
        places=tally.places,
        policies=[sums.summary(name) for name, sums in sorted(tally.policies.items())],
        seconds=round(seconds, 3),
    )
