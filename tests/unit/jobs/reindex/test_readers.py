"""What a reader sees while a candidate is built, promoted, moved back and retired: an old complete document or a new one, never a mix."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

from pipeline.jobs.reindex.build import fill, open_candidate
from pipeline.jobs.reindex.candidate import run_candidate
from pipeline.jobs.reindex.promote import roll_back
from pipeline.jobs.reindex.retire import retire
from pipeline.settings import Settings
from pipeline.testing.collections import recut
from pipeline.testing.night_jobs import hashing_services
from pipeline.testing.readers import Expectation, Reader, served

QUERIES = ("EGFR mutation", "heart failure", "adequate organ function", "pregnancy")


def test_no_search_fails_or_mixes_while_collections_change_places(small: Settings):
    other = recut(small)
    with hashing_services(small) as services:
        old = served(services)
    reader = Reader(small, QUERIES, hashing_services)
    with reader.reading():
        with hashing_services(other) as services:
            run_candidate(services, reason="test", go_live=True)
            new = served(services)
        with hashing_services(other) as services:
            roll_back(services)
            assert served(services) == old
        with hashing_services(other) as services:
            roll_back(services)  # forth again
        with hashing_services(other) as services:
            retire(services, datetime.now(UTC), at_once=True)
    assert old.keys() == new.keys()
    assert old != new
    assert len(reader.answers) > 5
    assert Expectation.between(old, new).judge(reader.answers) == Counter()
    assert any(answer.served == old for answer in reader.answers)
    assert reader.answers[-1].served == new


def test_a_search_does_not_wait_for_the_writer_of_a_candidate(small: Settings):
    with hashing_services(small) as services:
        record = open_candidate(services, reason="test")
        fill(services, record)
        with services.at(record).index.session() as held:  # as a writer holds it, batch after batch
            impatient = small.model_copy(update={"lock_timeout_seconds": 0.1})
            reader = Reader(impatient, QUERIES, hashing_services)
            with reader.reading():
                assert held.count() > 0
    assert [answer.failure for answer in reader.answers if answer.failure] == []
