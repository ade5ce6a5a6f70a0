"""Files of queries and judgements: every form that is read, and what is said of a line that is none."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from pipeline.domain.errors import UsageError
from pipeline.jobs.evaluate.judged import GoldPassage
from pipeline.jobs.evaluate.reading import read_judged, read_qrels, read_queries


def written(path: Path, text: str) -> Path:
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("q.jsonl", '{"query_id": "a", "text": "gout"}\n\n{"query_id": "b", "text": "flu"}\n'),
        ("q.jsonl", '\ufeff{"id": "a", "query": "gout"}\r\n{"_id": "b", "text": "flu"}\r\n'),
        ("q.json", '[{"id": "a", "text": "gout"},\n {"id": "b", "query": "flu"}]'),
        ("q.json", '{"note": "ours", "queries": [{"id": "a", "query": "gout"}, {"id": "b", "query": "flu"}]}'),
        ("q.jsonl.gz", '{"id": "a", "text": "gout"}\n{"id": "b", "text": "flu"}'),
        ("q.tsv", "query_id\ttext\na\tgout\nb\tflu\n"),
        ("q.tsv", "a\tgout\nb\tflu"),
    ],
)
def test_queries_are_read_in_every_form(tmp_path: Path, name: str, text: str):
    assert [(query.query_id, query.text) for query in read_queries(written(tmp_path / name, text))] == [("a", "gout"), ("b", "flu")]


def test_a_single_query_on_one_line_is_one_query(tmp_path: Path):
    assert len(read_queries(written(tmp_path / "q.jsonl", '{"id": 7, "text": "gout\\u2028flare"}'))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "query_id\tnct_id\tlabel\nq\td1\t2\nq\td2\t0\n",
        "q\td1\t2\nq\td2\t0\n",
        "q 0 d1 2\nq 0 d2 -1\n",
        '{"query_id": "q", "doc_id": "d1", "label": 2}\n{"query_id": "q", "document_id": "d2", "relevance": 0}\n',
        '[{"qid": "q", "relevant": {"d1": 2, "d2": 0}}]',
    ],
)
def test_judgements_are_read_in_every_form(tmp_path: Path, text: str):
    assert read_qrels(written(tmp_path / "qrels", text)) == {"q": {"d1": 2, "d2": 0}}


def test_a_file_name_with_blanks_is_one_document_between_tabs(tmp_path: Path):
    assert read_qrels(written(tmp_path / "q.tsv", "q\tRef No 814.pdf\t1\n")) == {"q": {"Ref No 814.pdf": 1}}


def test_queries_may_hold_their_judgements_and_more(tmp_path: Path):
    row = {
        "query_id": "a",
        "text": "gout",
        "intent": "general",
        "relevant": ["x.pdf"],
        "near_misses": ["y.pdf"],
        "passages": [{"section": "DOSING", "contains": "1.2  MG"}],
        "filters": {"kinds": ["guideline"]},
    }
    path = written(tmp_path / "q.jsonl", json.dumps(row))
    for qrels in (None, path):  # one file for both
        (query,) = read_judged(path, qrels)
        assert (query.labels, query.near, query.groups) == ({"x.pdf": 1}, ("y.pdf",), {"intent": "general"})
    assert query.passages == (GoldPassage("DOSING", "1.2  MG"),)
    assert query.passages[0].fits("DOSING", "first\n1.2 mg then")
    assert not query.passages[0].fits("ADULT", "1.2 mg")
    assert GoldPassage("", "1.2 mg").fits("ADULT", "1.2 mg")


def test_a_file_of_judgements_has_the_last_word(tmp_path: Path):
    queries = written(tmp_path / "q.jsonl", '{"id": "a", "text": "gout", "relevant": ["x"]}\n{"id": "b", "text": "flu", "relevant": ["y"]}')
    found = {query.query_id: query.labels for query in read_judged(queries, written(tmp_path / "r.tsv", "a\tz\t2\nother\tw\t1\n"))}
    assert found == {"a": {"z": 2}, "b": {"y": 1}}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"id": "a", "text": "gout"}\nsecret words', "line 2: is not JSON"),
        ('{"id": "a", "text": "gout"}\n[1]', "line 2: is no JSON object"),
        ('{"text": "secret words"}', "line 1: has no query_id"),
        ('{"id": "a", "text": "  "}', "line 1: has no text"),
        ('{"id": "a", "text": "x", "relevant": "d"}', "no list of documents"),
        ('{"id": "a", "text": "x", "relevant": {"d": "high"}}', "no whole number"),
        ('{"id": "a", "text": "x", "passages": [3]}', "no {section, contains}"),
        ('{"id": "a", "text": "x", "filters": []}\n{"id": "a", "text": "y"}', "the id of query 2 stands twice"),
        ('{"id": "a", "text": "x", "twin_of": "b"}', "twin of a query that is not there"),
        ("secret words", "line 1: is neither JSON"),
        ("", "holds none"),
        ("{}", "line 1: has no query_id"),
    ],
)
def test_a_query_that_cannot_be_used_is_named_and_not_quoted(tmp_path: Path, text: str, said: str):
    with pytest.raises(UsageError) as caught:
        read_queries(written(tmp_path / "q", text))
    assert said in caught.value.message
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("q\td1\t2\nq\tsecret", "line 2: is neither"),
        ("q\td1\t2\nq\td2\tsecret", "line 2: has a label"),
        ("q\td1\t2.5", "line 1: has a label"),
        ("q\td1\t99", "line 1: has a label"),
        ('{"doc_id": "d", "label": 1}', "line 1: has no query_id"),
        ('{"query_id": "q", "doc_id": "d", "label": true}', "line 1: has a label"),
        ("", "holds none"),
    ],
)
def test_a_judgement_that_cannot_be_used_is_named_and_not_quoted(tmp_path: Path, text: str, said: str):
    with pytest.raises(UsageError) as caught:
        read_qrels(written(tmp_path / "r", text))
    assert said in caught.value.message
    assert "secret" not in str(caught.value)


def test_files_that_share_no_id_are_refused(tmp_path: Path):
    with pytest.raises(UsageError, match="no query has a judgement"):
        read_judged(written(tmp_path / "q.tsv", "a\tgout"), written(tmp_path / "r.tsv", "b\td\t1"))


@pytest.mark.parametrize("data", [b"\x1f\x8b\x08broken", b"\xff\xfe\x00", None])
def test_a_file_that_cannot_be_read_is_a_wrong_command(tmp_path: Path, data: bytes | None):
    path = tmp_path / "q.jsonl"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(UsageError, match="file of queries"):
        read_queries(path)


def test_the_shipped_set_is_what_its_readme_says(root: Path):
    found = read_queries(root / "samples" / "evaluation" / "queries.jsonl")
    own = [query for query in found if query.twin_of is None]
    variants = {name: {query.twin_of for query in found if query.groups["variant"] == name} for name in ("typo", "abbreviation")}
    assert (len(found), len(own), len(variants["typo"]), len(variants["abbreviation"])) == (342, 186, 87, 69)
    assert len(variants["typo"] & variants["abbreviation"]) == 59
    assert sum(query.refuse for query in own) == 27
    assert sum(query.query_id.startswith("id-") for query in own) == 29
    assert sum(query.query_id.startswith("dose-") and bool(query.passages) for query in own) == 34
    clean = {query.query_id: query for query in own}
    assert all(query.labels == clean[query.twin_of].labels for query in found if query.twin_of)
    assert all(query.refuse != bool(query.labels) for query in own)
