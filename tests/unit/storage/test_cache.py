from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from pipeline.domain.identifiers import text_hash
from pipeline.domain.ports import EmbeddingCache
from pipeline.storage.cache import SqlEmbeddingCache
from pipeline.storage.engine import Database


@pytest.fixture
def cache(empty_db: Database) -> EmbeddingCache:
    return SqlEmbeddingCache(empty_db)


def _vectors(count: int, *, seed: int = 1, dimensions: int = 384) -> dict[str, NDArray[np.float32]]:
    numbers = np.random.default_rng(seed).random((count, dimensions), dtype=np.float32)
    return {text_hash(f"{seed} {n}"): numbers[n] for n in range(count)}


def test_vectors_come_back_bit_by_bit_and_unknown_ones_are_absent(cache: EmbeddingCache) -> None:
    vectors = _vectors(5)
    cache.put_many(vectors, fingerprint="model a")
    found = cache.get_many([*vectors, text_hash("unknown")], fingerprint="model a")
    assert found.keys() == vectors.keys()
    for key, vector in vectors.items():
        assert found[key].dtype == np.float32
        np.testing.assert_array_equal(found[key], vector)


def test_vectors_of_another_model_are_not_returned(cache: EmbeddingCache) -> None:
    vectors = _vectors(2)
    cache.put_many(vectors, fingerprint="model a " * 100)
    assert cache.get_many(vectors, fingerprint="model b") == {}
    assert len(cache.get_many(vectors, fingerprint="model a " * 100)) == 2


def test_a_vector_that_is_there_already_stays(cache: EmbeddingCache) -> None:
    vectors = _vectors(1)
    cache.put_many(vectors, fingerprint="m")
    (key,) = vectors
    cache.put_many({key: np.zeros(384, dtype=np.float32)}, fingerprint="m")
    np.testing.assert_array_equal(cache.get_many([key], fingerprint="m")[key], vectors[key])


def test_nothing_asked_and_nothing_given_is_no_error(cache: EmbeddingCache) -> None:
    cache.put_many({}, fingerprint="m")
    assert cache.get_many([], fingerprint="m") == {}


def test_a_forgotten_text_is_forgotten_for_every_model(empty_db: Database) -> None:
    cache = SqlEmbeddingCache(empty_db)
    vectors = _vectors(2)
    for model in ("a", "b"):
        cache.put_many(vectors, fingerprint=model)
    gone, kept = vectors
    assert cache.delete_many([gone, text_hash("unknown")]) == 2
    assert [list(cache.get_many(vectors, fingerprint=model)) for model in ("a", "b")] == [[kept], [kept]]


def test_a_second_opening_finds_what_the_first_one_kept(empty_url: str) -> None:
    vectors = _vectors(1)
    for db in (Database.open(empty_url), Database.open(empty_url)):
        SqlEmbeddingCache(db).put_many(vectors, fingerprint="m")
        assert len(SqlEmbeddingCache(db).get_many(vectors, fingerprint="m")) == 1
        db.dispose()


def test_twenty_thousand_vectors_are_read_in_less_than_half_a_second(empty_db: Database) -> None:
    cache = SqlEmbeddingCache(empty_db)
    vectors = _vectors(20_000)
    cache.put_many(vectors, fingerprint="m")
    times = []
    for _ in range(3):
        start = time.process_time()  # of this process alone: a busy machine does not fail the test
        assert len(cache.get_many(vectors, fingerprint="m")) == 20_000
        times.append(time.process_time() - start)
    assert min(times) < 0.5


@pytest.mark.parametrize("rubbish", [b"not a database at all" * 100, b"SQLite format 3\x00" + b"\xff" * 8000])
def test_a_damaged_file_is_moved_aside_reported_and_begun_anew(tmp_path: Path, rubbish: bytes, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "cache.sqlite"
    path.write_bytes(rubbish)
    cache = SqlEmbeddingCache(Database.open(f"sqlite:///{path}"))
    vectors = _vectors(1)
    cache.put_many(vectors, fingerprint="m")
    assert len(cache.get_many(vectors, fingerprint="m")) == 1
    assert [one.read_bytes() for one in tmp_path.glob("cache.sqlite.damaged-*")] == [rubbish]
    assert [record.getMessage() for record in caplog.records] == ["cache_damaged"]


def test_damage_found_while_reading_loses_the_vectors_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    db = Database.open(f"sqlite:///{path}")
    cache = SqlEmbeddingCache(db)
    vectors = _vectors(200)
    cache.put_many(vectors, fingerprint="m")
    db.dispose()  # writes the log back into the file
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (size - 4096))
    assert cache.get_many(vectors, fingerprint="m") == {}
    cache.put_many(vectors, fingerprint="m")
    assert len(cache.get_many(vectors, fingerprint="m")) == 200
