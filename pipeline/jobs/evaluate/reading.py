"""Judged queries from files: queries with their judgements inside, or queries and a file of judgements (qrels).

Queries: JSON Lines or one JSON array, ``{query_id | id | _id, text | query, ...}``, or lines ``id TAB text``. Judgements: lines ``query document
label`` (a header is allowed) or ``query 0 document label`` (TREC), by tabs or blanks, or JSON Lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from pipeline.domain.errors import UsageError
from pipeline.jobs.evaluate.judged import RELEVANT, GoldPassage, JudgedQuery
from pipeline.jobs.evaluate.lines import bad, numbered, objects, text_of

_QUERY_ID: Final = ("query_id", "id", "_id", "qid")
_TEXT: Final = ("text", "query")
_DOCUMENT: Final = ("document_id", "doc_id", "docid", "nct_id", "corpus_id", "source_key", "file", "document")
_LABEL: Final = ("label", "relevance", "score", "grade")
_RELEVANT: Final = ("relevant", "nct_ids", "gold")
_GROUPS: Final = ("intent", "source", "kind", "variant", "collection")
_HEADER: Final = frozenset({"query_id", "query-id", "qid", "topic", "query"})

_HIGHEST: Final = 31  # 2^label is a gain

Labels = dict[str, dict[str, int]]


def read_judged(queries: Path, qrels: Path | None) -> list[JudgedQuery]:
    """Return the queries with their judgements; a file of judgements has the last word on the queries that it names.

    Raises:
        UsageError: A file or a line cannot be used; says which line, and what is wrong with it, and quotes nothing.
    """
    found = read_queries(queries)
    if qrels is not None and qrels != queries:
        labels = read_qrels(qrels)
        found = [replace(query, labels=labels[query.query_id]) if query.query_id in labels else query for query in found]
    if not any(query.labels or query.refuse for query in found):
        raise UsageError("no query has a judgement", remedy="The ids of queries in both files must be the same ones.")
    return found


def read_queries(path: Path) -> list[JudgedQuery]:
    """Return the queries of a file.

    Raises:
        UsageError: See ``read_judged``.
    """
    text = text_of(path, "queries")
    rows = objects(text, "queries") if text.lstrip()[:1] in ("{", "[") else _tabbed(text)
    found = [_query(number, row) for number, row in rows]
    seen: set[str] = set()
    for number, query in enumerate(found, start=1):
        if query.query_id in seen:
            raise UsageError(f"queries: the id of query {number} stands twice", remedy="Give each query its own id.")
        seen.add(query.query_id)
    if not found:
        raise UsageError("the file of queries holds none")
    if lost := sorted(query.query_id for query in found if query.twin_of is not None and query.twin_of not in seen):
        raise UsageError(f"queries: {lost[0]} is a twin of a query that is not there")
    return found


def _tabbed(text: str) -> Iterable[tuple[int, dict[str, Any]]]:
    for number, line in numbered(text):
        name, _, words = line.partition("\t")
        if number == 1 and name.strip().lower() in _HEADER:
            continue
        if not words.strip():
            raise bad("queries", number, "is neither JSON nor `id TAB text`")
        yield number, {"id": name.strip(), "text": words.strip()}


def _query(number: int, row: Mapping[str, Any]) -> JudgedQuery:
    name, words = _first(row, _QUERY_ID), _first(row, _TEXT)
    if not isinstance(name, str | int) or isinstance(name, bool) or not str(name).strip():
        raise bad("queries", number, f"has no {_QUERY_ID[0]}")
    if not isinstance(words, str) or not words.strip():
        raise bad("queries", number, f"has no {_TEXT[0]}")
    groups = {field: str(row[field]) for field in _GROUPS if isinstance(row.get(field), str)}
    twin, filters = row.get("twin_of"), row.get("filters") or {}
    if not isinstance(filters, dict):
        raise bad("queries", number, "has filters that are no JSON object")
    return JudgedQuery(
        query_id=str(name),
        text=words,
        labels=_relevant(number, row),
        near=tuple(_names(number, row.get("near_misses") or [], "near_misses")),
        passages=tuple(_passage(number, one) for one in row.get("passages") or []),
        refuse=bool(row.get("refuse")),
        twin_of=str(twin) if twin else None,
        groups=groups,
        filters=filters,
    )


def _relevant(number: int, row: Mapping[str, Any]) -> dict[str, int]:
    given = _first(row, _RELEVANT)
    if given is None:
        return {}
    if isinstance(given, dict):
        return {str(name): _label("queries", number, label) for name, label in given.items()}
    return dict.fromkeys(_names(number, given, "relevant"), RELEVANT)


def _names(number: int, given: Any, field: str) -> list[str]:
    if isinstance(given, list) and all(isinstance(name, str) and name for name in given):
        return given
    raise bad("queries", number, f"has {field} that are no list of documents")


def _passage(number: int, given: Any) -> GoldPassage:
    if isinstance(given, dict) and all(isinstance(given.get(field, ""), str) for field in ("section", "contains")):
        return GoldPassage(given.get("section", ""), given.get("contains", ""))
    raise bad("queries", number, "has a passage that is no {section, contains}")


def read_qrels(path: Path) -> Labels:
    """Return labels by query and document. Of a pair that stands twice, the last line counts.

    Raises:
        UsageError: See ``read_judged``.
    """
    text = text_of(path, "qrels")
    labels: Labels = {}
    if text.lstrip()[:1] in ("{", "["):
        for number, row in objects(text, "qrels"):
            query = _first(row, _QUERY_ID)
            if query is None:
                raise bad("qrels", number, f"has no {_QUERY_ID[0]}")
            document = _first(row, _DOCUMENT)
            pairs = {str(document): _label("qrels", number, _first(row, _LABEL))} if document is not None else _relevant(number, row)
            labels.setdefault(str(query), {}).update(pairs)
    else:
        for number, line in numbered(text):
            cells = [cell.strip() for cell in line.split("\t")] if "\t" in line else line.split()
            if number == 1 and cells[0].lower() in _HEADER and not _is_whole(cells[-1]):
                continue
            if len(cells) not in (3, 4):
                raise bad("qrels", number, "is neither `query document label` nor `query 0 document label`")
            labels.setdefault(cells[0], {})[cells[-2]] = _label("qrels", number, cells[-1])
    if not labels:
        raise UsageError("the file of qrels holds none")
    return labels


def _label(what: str, number: int, given: Any) -> int:
    if isinstance(given, bool) or not _is_whole(given):
        raise bad(what, number, "has a label that is no whole number")
    return max(int(float(given)), 0)  # TREC's -1 and -2: spam, or not judged


def _is_whole(given: Any) -> bool:
    try:
        return float(given) == int(float(given)) and abs(float(given)) <= _HIGHEST
    except (TypeError, ValueError, OverflowError):
        return False


def _first(row: Mapping[str, Any], fields: Iterable[str]) -> Any:
    return next((row[field] for field in fields if row.get(field) is not None), None)
