"""Holds documents back that break a blocking expectation, before any of their points is written: what is blocked never goes live.

The same suites are checked by Great Expectations after each indexing (``job``). Here its library is not loaded: importing it takes 3 s and
some 200 MB in every indexing process. The four kinds of checks that suites may use are a line each; a test holds both against the same rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from math import isnan
from typing import Any, Final
from uuid import UUID

from pipeline.domain.vocabulary import FailureCategory
from pipeline.jobs.prepare import Prepared, StageFailure
from pipeline.jobs.quality import prepared_rows, truth_rows
from pipeline.jobs.quality.suites import Check, DataSet, Expectation, Severity, suite
from pipeline.storage import index_state, review
from pipeline.wiring import Services, utc_now

Row = Mapping[str, Any]

_ROWS_NAMED: Final = 5  # rows named for each expectation that a document breaks: enough to find the place


def holds(expectation: Expectation, value: Any) -> bool:
    """Whether a value is as expected. As in Great Expectations only ``NOT_NULL`` says anything of a missing value."""
    missing = value is None or (isinstance(value, float) and isnan(value))
    if expectation.check is Check.NOT_NULL or missing:
        return expectation.check is not Check.NOT_NULL or not missing
    kwargs = expectation.kwargs
    match expectation.check:
        case Check.IN_SET:
            return value in kwargs["value_set"]
        case Check.REGEX:
            return re.search(kwargs["regex"], str(value)) is not None
        case _:
            low, high = kwargs.get("min_value"), kwargs.get("max_value")
            return bool((low is None or value >= low) and (high is None or value <= high))


def broken(data_set: DataSet, rows: Iterable[Row], *, severity: Severity) -> dict[str, list[str]]:
    """Return the rows (by their ``row``) that break expectations of this severity, by the expectation's id."""
    lines = [line for line in suite(data_set) if line.severity is severity]
    found: dict[str, list[str]] = {}
    for row in rows:
        for line in lines:
            if line.column in row and not holds(line, row[line.column]):
                found.setdefault(line.id, []).append(str(row["row"]))
    return found


def hold_back(services: Services, prepared: Sequence[Prepared]) -> tuple[list[Prepared], list[StageFailure]]:
    """Return which documents may go live, and a failure for each that breaks a blocking expectation: ids of expectations and rows.

    The version of a document that is live stays live.
    """
    if not prepared:
        return [], []
    ids = [one.document.document_id for one in prepared]
    now = utc_now()
    with services.db.read() as tx:
        keys = {key: row.source_key for key, row in index_state.get_many(tx, ids).items()}
        accepted = review.accepted_expectations(tx, ids)
        beside: dict[UUID, dict[str, list[str]]] = {}
        for data_set, rows in (
            (DataSet.STUDIES, truth_rows.studies_of(tx, ids, now)),
            (DataSet.PAGES, truth_rows.pages_of(tx, ids)),
        ):
            for row in rows:
                _add(beside.setdefault(UUID(row["document_id"]), {}), broken(data_set, [row], severity=Severity.BLOCK))
    passed: list[Prepared] = []
    failures: list[StageFailure] = []
    for one in prepared:
        found = beside.get(one.document.document_id, {})
        _add(found, broken(DataSet.DOCUMENTS, [prepared_rows.document_row(one)], severity=Severity.BLOCK))
        _add(found, broken(DataSet.CHUNKS, prepared_rows.chunk_rows(services, one), severity=Severity.BLOCK))
        for name, contents in accepted.get(one.document.document_id, {}).items():
            if one.document.content_hash in contents:  # a person let exactly this content pass
                found.pop(name, None)
        if found:
            document = one.document.document_id
            failures.append(StageFailure(document, keys[document], FailureCategory.QUALITY_BLOCKED, named(found)))
        else:
            passed.append(one)
    return passed, failures


def _add(to: dict[str, list[str]], found: Mapping[str, list[str]]) -> None:
    for name, rows in found.items():
        to.setdefault(name, []).extend(rows)


def named(found: Mapping[str, Sequence[str]]) -> str:
    """Return broken expectations and their rows as a run keeps them: ``chunk_fits_window: NOTE_TEXT/3/1, NOTE_TEXT/4/1 (+2)``."""
    parts = []
    for name, rows in sorted(found.items()):
        more = f" (+{len(rows) - _ROWS_NAMED})" if len(rows) > _ROWS_NAMED else ""
        parts.append(f"{name}: {', '.join(rows[:_ROWS_NAMED])}{more}")
    return "; ".join(parts)
