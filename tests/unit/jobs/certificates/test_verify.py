"""Certificates of deletion: that they verify, and that they fail on everything that is changed, taken away or put back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import numpy as np
import pytest
from sqlalchemy import delete, insert, select, update

from pipeline.domain.errors import GuardRefusedError, IncompleteRunError, UsageError
from pipeline.domain.evidence import Evidence, trace
from pipeline.domain.identifiers import document_id
from pipeline.domain.points import Point, PointFilter, SparseVector, StoredPoint
from pipeline.domain.vocabulary import CollectionRole, DeletionCause, DeletionState
from pipeline.jobs import deletion
from pipeline.jobs.certificates.check import CertificateReport, verify_certificates
from pipeline.jobs.certificates.issue import certify, issue
from pipeline.jobs.certificates.model import certificates_folder
from pipeline.jobs.certificates.probes.model import Probe
from pipeline.jobs.certificates.verify import Verification, verify
from pipeline.jobs.holds import place_hold, release_hold
from pipeline.settings import Settings
from pipeline.storage import collections, deletions, meta
from pipeline.storage.citation_tables import cited_texts
from pipeline.storage.proof_tables import certificates, suppressions
from pipeline.storage.tables import chunks, documents, index_state
from pipeline.testing.embedder import HashEmbedder
from pipeline.testing.homes import copy_home
from pipeline.wiring import Services, open_services

FIRST, SECOND = (document_id("clinicaltrials.gov", f"NCT9900000{number}") for number in (3, 5))


class Before:
    """What stood in the home before the deletion: for putting it back."""

    def __init__(self, services: Services, document: UUID) -> None:
        with services.index.session() as index:
            self.points: list[StoredPoint] = list(index.scan(PointFilter(document_ids=(document,)), vectors=True))
        with services.db.read() as tx:
            self.row = dict(tx.execute(select(documents).where(documents.c.document_id == document)).one()._mapping)
            self.chunks = [dict(row._mapping) for row in tx.execute(select(chunks).where(chunks.c.document_id == document))]
        self.landed = services.landing.get(self.row["payload_sha256"])
        self.vectors = services.cache.get_many([row["text_hash"] for row in self.chunks], fingerprint=services.model_fingerprint)


@pytest.fixture(scope="module")
def certified(tmp_path_factory: pytest.TempPathFactory, sample_home: Path, models: Path) -> tuple[Path, Before]:
    """A home of which two documents were deleted, one after the other, and what the first of them was. Read only."""
    home = tmp_path_factory.mktemp("certified") / "home"
    copy_home(sample_home, home)
    with open_services(Settings(home=home, models_path=models)) as services:
        before = Before(services, FIRST)
        for one in (FIRST, SECOND):
            erase(services, one)
    return home, before


@pytest.fixture
def settings(certified: tuple[Path, Before], models: Path, tmp_path: Path) -> Settings:
    copy_home(certified[0], tmp_path / "home")
    return Settings(home=tmp_path / "home", models_path=models)


@pytest.fixture
def before(certified: tuple[Path, Before]) -> Before:
    return certified[1]


def erase(services: Services, document: UUID) -> UUID:
    asked = deletion.request(
        services, documents=[document], cause=DeletionCause.DOCUMENT, reason="test", by="registrar", approve_large=True
    )
    assert asked.deletion_id is not None
    assert [one.state for one in deletion.finish_open(services)] == ["certified"]
    return UUID(asked.deletion_id)


def checked(settings: Settings) -> CertificateReport:
    with open_services(settings) as services:
        return verify_certificates(services)


def failed_probes(report: CertificateReport, number: int = 1) -> set[Probe]:
    return {check.probe for one in report.results if one.number == number for check in one.checks if check.verdict == "failed"}


def files(settings: Settings) -> list[Path]:
    return sorted(certificates_folder(settings).iterdir())


def test_certificates_verify_again_and_again(settings: Settings):
    for _ in range(2):
        report = checked(settings)
        assert report.passed
        assert [(one.number, one.passed, one.probed, one.problems) for one in report.results] == [(1, True, True, []), (2, True, True, [])]
    assert [path.stat().st_mode & 0o777 for path in files(settings)] == [0o600, 0o600]


def test_a_certificate_says_what_went_and_what_was_looked_at(settings: Settings, before: Before):
    body = json.loads(files(settings)[0].read_bytes())["body"]
    assert (body["number"], body["previous"], body["cause"], body["requested_by"]) == (1, "0" * 64, "document", "registrar")
    assert body["documents"] == [{"document_id": str(FIRST), "source": "clinicaltrials.gov", "kind": "trial"}]
    assert {point for ids in body["points"]["clindex"].values() for point in ids} == {str(one.id) for one in before.points}
    assert body["counts"]["points"] == len(before.points)
    looked = {check["probe"]: check["looked_at"] for check in body["checks"]}
    asked = {"points_by_id", "points_by_document", "points_by_term", "points_by_neighbour", "search", "cache", "landing", "truth_rows"}
    assert all(looked[name] > 0 for name in asked)
    assert json.loads(files(settings)[1].read_bytes())["body"]["previous"] == json.loads(files(settings)[0].read_bytes())["hash"]


def test_a_certificate_holds_no_text_of_what_was_deleted(settings: Settings, before: Before):
    content = files(settings)[0].read_text()
    assert before.row["title"] not in content
    assert not [row for row in before.chunks if row["text"] in content]
    assert before.row["payload_sha256"] not in content, "whoever has the bytes could tell that they were here"


@pytest.mark.parametrize("place", [0.01, 0.2, 0.5, 0.8, 0.999])
def test_one_changed_byte_of_a_file_is_seen(settings: Settings, place: float):
    path = files(settings)[0]
    content = bytearray(path.read_bytes())
    content[int(len(content) * place)] ^= 1
    path.write_bytes(content)
    report = checked(settings)
    assert not report.passed
    assert report.results[0].problems == ["its file is not what was issued"]


def test_a_changed_body_in_the_database_is_seen(settings: Settings):
    with open_services(settings) as services, services.db.begin() as tx:
        body = tx.execute(select(certificates.c.body).where(certificates.c.number == 1)).scalar_one()
        tx.execute(update(certificates).where(certificates.c.number == 1).values(body={**body, "requested_by": "someone else"}))
    assert "its hash is not that of its body" in checked(settings).results[0].problems


def test_a_body_that_was_hashed_anew_is_not_sealed_by_the_site(settings: Settings):
    from pipeline.jobs.certificates.model import body_hash

    with open_services(settings) as services, services.db.begin() as tx:
        body = dict(tx.execute(select(certificates.c.body).where(certificates.c.number == 2)).scalar_one())
        body["requested_by"] = "someone else"
        tx.execute(update(certificates).where(certificates.c.number == 2).values(body=body, hash=body_hash(body)))
    report = checked(settings)
    assert "its seal is not this site's" in report.results[1].problems
    assert report.problems == ["the chain does not end with the certificate that was recorded"]


@pytest.mark.parametrize(("number", "problem"), [(1, "certificates 1 to 1 are missing"), (2, "certificates 2 to 2 are missing")])
def test_a_certificate_that_is_taken_away_is_missed(settings: Settings, number: int, problem: str):
    with open_services(settings) as services, services.db.begin() as tx:
        tx.execute(delete(certificates).where(certificates.c.number == number))
    files(settings)[number - 1].unlink()
    report = checked(settings)
    assert not report.passed
    assert problem in report.problems
    assert any("was certified and its certificate is gone" in one for one in report.problems)


def test_the_end_cannot_be_taken_away_by_writing_another_head(settings: Settings):
    with open_services(settings) as services, services.db.begin() as tx:
        first = tx.execute(select(certificates).where(certificates.c.number == 1)).one()
        tx.execute(delete(certificates).where(certificates.c.number == 2))
        meta.put(tx, "certificates_head", json.dumps({"number": 1, "hash": first.hash, "seal": first.seal}))
    assert "the record of the chain's head was changed" in checked(settings).problems


def test_a_missing_file_and_a_stray_one_are_seen(settings: Settings):
    path = files(settings)[1]
    path.rename(path.with_name(f"000007-{FIRST}.json"))
    report = checked(settings)
    assert report.results[1].problems == ["its file is not there"]
    assert report.problems == [
        f"file 000007-{FIRST}.json has no certificate in the database (an older one was restored? `clindex init` deletes again)"
    ]


def _same_point(services: Services, before: Before) -> None:
    with services.index.session() as index:
        index.restore(before.points[:1])


def _point_of_the_document(services: Services, before: Before) -> None:
    with services.index.session() as index:
        index.upsert([_stray(services, before)])


def _point_in_another_collection(services: Services, before: Before) -> None:
    other = services.catalog.open("clindex-2")
    with other.session() as index:
        index.create(services.spec.__class__(**{**_fields(services.spec), "name": "clindex-2"}))
        index.upsert([_stray(services, before)])


def _point_in_a_retired_collection(services: Services, before: Before) -> None:
    _point_in_another_collection(services, before)
    with services.db.begin() as tx:
        live = collections.live(tx)
        assert live is not None
        collections.add(tx, live.__class__(**{**_fields(live), "name": "clindex-2", "role": CollectionRole.RETIRED}))


def _cached_vector(services: Services, before: Before) -> None:
    text, vector = next(iter(before.vectors.items()))
    services.cache.put_many({text: vector}, fingerprint="another model")


def _landed_object(services: Services, before: Before) -> None:
    services.landing.put(before.landed)


def _chunk_of_truth(services: Services, before: Before) -> None:
    with services.db.begin() as tx:
        tx.execute(insert(chunks).values(before.chunks[0]))


def _superseded_passage(services: Services, _: Before) -> None:
    with services.db.begin() as tx:
        tx.execute(insert(cited_texts).values(document_id=FIRST, text_key="0" * 32, text="what an earlier version said"))


def _title_of_truth(services: Services, before: Before) -> None:
    with services.db.begin() as tx:
        tx.execute(update(documents).where(documents.c.document_id == FIRST).values(title=before.row["title"]))


def _living_document(services: Services, before: Before) -> None:
    with services.db.begin() as tx:
        tx.execute(update(documents).where(documents.c.document_id == FIRST).values(tombstoned_at=None))


def _live_generation(services: Services, _: Before) -> None:
    with services.db.begin() as tx:
        tx.execute(update(index_state).where(index_state.c.document_id == FIRST).values(live_generation=1))


def _no_suppression(services: Services, _: Before) -> None:
    with services.db.begin() as tx:
        tx.execute(delete(suppressions))


def _undo_file(services: Services, before: Before) -> None:
    folder = services.settings.reports_folder / "plans"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "undo-1.jsonl").write_text(json.dumps({"point": {"id": str(before.points[0].id)}}) + "\n")


def _kept_vectors(services: Services, _: Before) -> None:
    with services.db.read() as tx:
        first = tx.execute(select(certificates.c.deletion_id).where(certificates.c.number == 1)).scalar_one()
    (services.settings.home / "erasures").mkdir(exist_ok=True)
    (services.settings.home / "erasures" / f"{first}.probe").write_text("{}\n")


def _fields(one: object) -> dict[str, object]:
    return {name: getattr(one, name) for name in type(one).__dataclass_fields__}  # type: ignore[attr-defined]


def _stray(services: Services, before: Before) -> Point:
    dense = np.zeros(services.dimensions, dtype=np.float32)
    dense[0] = 1.0
    return Point(UUID(int=7), dense, SparseVector((7,), (1.0,)), before.points[0].payload)


COMEBACKS: list[tuple[Callable[[Services, Before], None], set[Probe]]] = [
    (_same_point, {Probe.POINTS_BY_ID, Probe.POINTS_BY_DOCUMENT}),
    (_point_of_the_document, {Probe.POINTS_BY_DOCUMENT}),
    (_point_in_another_collection, {Probe.POINTS_BY_DOCUMENT}),
    (_point_in_a_retired_collection, {Probe.POINTS_BY_DOCUMENT}),
    (_cached_vector, {Probe.CACHE}),
    (_landed_object, {Probe.LANDING}),
    (_chunk_of_truth, {Probe.TRUTH_ROWS}),
    (_superseded_passage, {Probe.TRUTH_ROWS}),
    (_title_of_truth, {Probe.TRUTH_DOCUMENT}),
    (_living_document, {Probe.TRUTH_DOCUMENT, Probe.HYDRATION}),
    (_live_generation, {Probe.TRUTH_ROWS}),
    (_no_suppression, {Probe.SUPPRESSED}),
    (_undo_file, {Probe.FILES}),
    (_kept_vectors, {Probe.FILES}),
]


@pytest.mark.parametrize(("put_back", "probes"), COMEBACKS, ids=[one[0].__name__.strip("_") for one in COMEBACKS])
def test_what_is_put_back_is_found(settings: Settings, before: Before, put_back: Callable[[Services, Before], None], probes: set[Probe]):
    with open_services(settings) as services:
        put_back(services, before)
    report = checked(settings)
    assert not report.passed
    assert failed_probes(report) == probes


def test_a_lifted_document_is_not_looked_for_any_more(settings: Settings):
    with open_services(settings) as services:
        deletion.lift(services, str(FIRST), reason="taken by mistake", by="registrar")
        report = verify_certificates(services)
    assert report.passed
    assert [one.lifted for one in report.results] == [1, 0]


def test_of_many_the_newest_is_always_probed(settings: Settings):
    with open_services(settings) as services:
        report = verify_certificates(services, probe=0)
    assert [one.probed for one in report.results] == [False, True]


def test_an_unknown_number_is_wrong_use(settings: Settings):
    with open_services(settings) as services, pytest.raises(UsageError, match="no certificate 9"):
        verify_certificates(services, 9)


def asked_for(services: Services, document: UUID) -> UUID:
    request = deletion.request(services, documents=[document], cause=DeletionCause.DOCUMENT, reason="x", by="y", approve_large=True)
    assert request.deletion_id is not None
    return UUID(request.deletion_id)


def test_the_verifier_fails_a_deletion_that_was_not_carried_out(services: Services):
    services.embedder = HashEmbedder()
    key = asked_for(services, FIRST)
    found = verify(services, key)
    assert not found.passed
    assert {Probe.POINTS_BY_DOCUMENT, Probe.TRUTH_ROWS, Probe.TRUTH_DOCUMENT} <= {one.probe for one in found.failed}
    with pytest.raises(IncompleteRunError, match="verifier met"):
        issue(services, key, found)


def test_the_deleted_vectors_find_what_is_there_before_a_certificate_is_issued(services: Services, before: Before):
    key = asked_for(services, FIRST)
    deletion.carry_out(services, key)
    with services.index.session() as index:
        index.restore(before.points)
        ids = {one.id for one in before.points}
    found = {one.probe: one.hits for one in verify(services, key).failed}
    assert found[Probe.POINTS_BY_TERM] > 0
    assert found[Probe.POINTS_BY_NEIGHBOUR] > 0
    assert found[Probe.POINTS_BY_ID] == len(ids)


def test_a_failed_verification_opens_the_deletion_again_and_the_next_run_certifies(services: Services, before: Before):
    key = asked_for(services, FIRST)
    deletion.carry_out(services, key)
    services.landing.put(before.landed)
    with pytest.raises(IncompleteRunError, match="landing"):
        certify(services, key)
    with services.db.read() as tx:
        state = deletions.get(tx, key)
    assert state is not None
    assert state.state is DeletionState.OPEN


def test_killed_between_erased_and_certified_the_next_run_certifies(services: Services):
    key = asked_for(services, FIRST)
    assert deletion.carry_out(services, key).state == "erased"
    assert [(one.state, one.certificate) for one in deletion.finish_open(services)] == [("certified", 1)]
    assert deletion.finish_open(services) == []
    again = certify(services, key)
    assert again.body.number == 1, "a second certificate would say that something was deleted twice"
    assert verify_certificates(services).passed


def test_a_certificate_needs_a_verification_of_its_own(services: Services):
    key = asked_for(services, FIRST)
    other = Verification(deletion_id=str(SECOND), verified_at="2031-01-01T00:00:00+00:00", passed=True, collections=[], checks=[])
    with pytest.raises(IncompleteRunError, match="not erased"):
        issue(services, key, other)


def test_a_hold_blocks_a_deletion_until_it_is_released(services: Services):
    hold = place_hold(services, str(FIRST), reason="suit", by="counsel")
    with pytest.raises(GuardRefusedError, match="legal hold"):
        asked_for(services, FIRST)
    release_hold(services, UUID(hold.hold.hold_id), reason="settled", by="counsel")
    assert asked_for(services, FIRST)


def test_the_evidence_is_keyed():
    keyed = Evidence({}, landed=(trace(b"secret" * 4, "ab" * 32),))
    assert keyed.landed[0] != trace(b"another" * 4, "ab" * 32)
    assert Evidence.from_json(keyed.to_json()).landed == keyed.landed
