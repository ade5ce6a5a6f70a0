"""Evaluation by a site's own judgements, where it has any: nDCG@10 of search on one collection and on another.

nDCG as in Järvelin and Kekäläinen, ACM TOIS 20(4), 2002, with gains 2^grade - 1. Queries and judgements stay in their files.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log2
from pathlib import Path
from typing import Final

from pipeline.domain.errors import ConfigurationError
from pipeline.search.request import Hit, SearchRequest
from pipeline.search.search import search_in
from pipeline.wiring import Services, utc_now

K: Final = 10
# One query's worth of rounding, not of quality: a mean over queries is compared as it is but for this.
TOLERANCE: Final = 1e-6

Judged = dict[str, tuple[str, dict[str, int]]]  # query id -> text, grade by document


def judgements(services: Services) -> Judged | None:
    """Return the site's judged queries, or ``None`` where the settings name none.

    Raises:
        ConfigurationError: One of the two files is missing or cannot be read; the message names the setting and the line.
    """
    queries, qrels = services.settings.evaluation_queries, services.settings.evaluation_qrels
    if queries is None and qrels is None:
        return None
    if queries is None or qrels is None:
        raise ConfigurationError("evaluation needs both CLINDEX_EVALUATION_QUERIES and CLINDEX_EVALUATION_QRELS")
    grades: dict[str, dict[str, int]] = {}
    for number, line in _lines(qrels, "CLINDEX_EVALUATION_QRELS"):
        try:
            query, _, document, grade = line.split()
            grades.setdefault(query, {})[document] = int(grade)
        except ValueError:
            raise ConfigurationError(f"CLINDEX_EVALUATION_QRELS: line {number} is not `query-id 0 document grade`") from None
    texts: dict[str, str] = {}
    for number, line in _lines(queries, "CLINDEX_EVALUATION_QUERIES"):
        name, _, words = line.partition("\t")
        if not words.strip():
            raise ConfigurationError(f"CLINDEX_EVALUATION_QUERIES: line {number} is not `id TAB query`")
        texts[name] = words
    return {name: (words, grades[name]) for name, words in texts.items() if any(grade > 0 for grade in grades.get(name, {}).values())}


def _lines(path: Path, setting: str) -> list[tuple[int, str]]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{setting} cannot be read ({type(error).__name__})") from None
    return [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]


def mean_ndcg(there: Services, judged: Judged) -> float:
    """Return the mean nDCG@10 of search on one collection, 0 to 1."""
    today = utc_now().date()
    values = []
    for words, grades in judged.values():
        hits = search_in(there, SearchRequest(query=words, limit=K), today=today).hits
        values.append(ndcg([_grade(hit, grades) for hit in hits], list(grades.values())))
    return sum(values) / len(values) if values else 0.0


def _grade(hit: Hit, grades: dict[str, int]) -> int:
    return max(grades.get(name, 0) for name in (hit.document_id, hit.nct_id or hit.document_id))


def ndcg(found: Sequence[int], judged: Sequence[int]) -> float:
    """Return nDCG@10 of the grades of what was found, in order, against all grades that were given."""
    best = _gain(sorted(judged, reverse=True))
    return _gain(found) / best if best else 0.0


def _gain(grades: Sequence[int]) -> float:
    return sum((2.0 ** max(grade, 0) - 1.0) / log2(rank + 1) for rank, grade in enumerate(grades[:K], start=1))
