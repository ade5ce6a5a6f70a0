"""The chain of certificates as it is stored: its head, its end, what was lifted since. On SQLite and PostgreSQL."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID, uuid4

import pytest

from pipeline.domain.errors import StoreRejectedError
from pipeline.domain.vocabulary import RunKind
from pipeline.storage import certificates, meta, runs
from pipeline.storage.certificates import NO_PREVIOUS, CertificateRow, LastVerification
from pipeline.storage.engine import Database


def row(number: int, now: datetime, deletion: UUID | None = None) -> CertificateRow:
    return CertificateRow(
        number, deletion or uuid4(), {"number": number, "ä": [1, {"b": None}]}, NO_PREVIOUS, f"{number:064x}", "a" * 64, now
    )


def add(db: Database, one: CertificateRow) -> CertificateRow:
    with db.begin() as tx:
        certificates.add(tx, one, head_seal="b" * 64)
    return one


def test_a_certificate_comes_back_as_it_was_and_is_the_head(db: Database, now: datetime):
    first, second = add(db, row(1, now)), add(db, row(2, now))
    with db.read() as tx:
        assert certificates.listed(tx) == [first, second]
        assert (certificates.get(tx, 1), certificates.get(tx, 3)) == (first, None)
        assert (certificates.last(tx), certificates.of_deletion(tx, first.deletion_id), certificates.count(tx)) == (second, first, 2)
        head = certificates.head(tx)
    assert head is not None
    assert (head.number, head.hash, head.seal) == (2, second.hash, "b" * 64)


def test_without_a_certificate_there_is_no_head(db: Database):
    with db.read() as tx:
        assert certificates.head(tx) is None
        assert certificates.last(tx) is None


def test_a_head_that_cannot_be_read_is_an_error_and_not_none(db: Database):
    with db.begin() as tx:
        meta.put(tx, "certificates_head", "{}")
    with db.read() as tx, pytest.raises(ValueError, match="no head"):
        certificates.head(tx)


@pytest.mark.parametrize("same", ["number", "deletion"])
def test_two_who_issue_at_once_do_not_both_succeed(db: Database, now: datetime, same: str):
    first = add(db, row(1, now))
    other = row(1, now) if same == "number" else row(2, now, first.deletion_id)
    with pytest.raises(StoreRejectedError):
        add(db, other)
    with db.read() as tx:
        head = certificates.head(tx)
        assert certificates.listed(tx) == [first]
    assert head is not None
    assert head.hash == first.hash, "the head goes with the certificate or not at all"


def test_what_was_lifted_after_a_moment_is_known_from_runs(db: Database, now: datetime):
    with db.begin() as tx:
        for subject, when in (("early", now - timedelta(days=1)), ("late", now + timedelta(days=1))):
            run_id = runs.start_run(tx, RunKind.DELETE, when)
            runs.finish_run(tx, run_id, "success", {"lifted": {"subject": subject}}, when)
        runs.start_run(tx, RunKind.DELETE, now + timedelta(days=2))
    with db.read() as tx:
        assert certificates.lifted(tx, now) == {"late"}


def test_the_last_verification_takes_the_place_of_the_one_before(db: Database, now: datetime):
    with db.begin() as tx:
        assert certificates.last_verification(tx) is None
        certificates.keep_verification(tx, LastVerification(now, passed=True))
        certificates.keep_verification(tx, LastVerification(now + timedelta(days=7), passed=False))
        assert certificates.last_verification(tx) == LastVerification(now + timedelta(days=7), passed=False)
