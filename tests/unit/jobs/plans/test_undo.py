"""A repair can be taken back: the index is again what it was, point by point, number by number, and nothing is embedded for it."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import stat
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import numpy as np
import pytest

from pipeline.domain.errors import GuardRefusedError, UsageError
from pipeline.domain.identifiers import document_id
from pipeline.domain.points import PointFilter, SparseVector, StoredPoint, StoredVectors, payload_hash
from pipeline.domain.vocabulary import DriftClass
from pipeline.jobs.index import run_index
from pipeline.jobs.plans.model import plans_folder
from pipeline.jobs.plans.undo_file import UndoWriter, forget_documents, read_undo, remove_expired
from pipeline.jobs.reconcile import run_reconcile
from pipeline.storage import documents
from pipeline.testing.drift import seed
from pipeline.testing.truth import empty_truth
from pipeline.wiring import Services, utc_now

DOCUMENT = document_id("clinicaltrials.gov", "NCT99000001")
SEEDED = (
    DriftClass.ORPHAN_DOCUMENT,
    DriftClass.OLD_GENERATION,
    DriftClass.PAYLOAD_DRIFT,
    DriftClass.STALE_FINGERPRINT,
    DriftClass.UNREADABLE,
    DriftClass.FOREIGN_MODEL,
    DriftClass.MISSING_POINT,
)


def digest(services: Services) -> Counter[tuple[object, ...]]:
    """The multiset of all that the index holds: id, payload and every number of both vectors, as float32."""
    with services.index.session() as index:
        return Counter(_fingerprint(point) for point in index.scan(vectors=True))


def _fingerprint(point: StoredPoint) -> tuple[object, ...]:
    vectors = point.vectors
    assert vectors is not None
    dense = None if vectors.dense is None else hashlib.sha256(np.asarray(vectors.dense, dtype="<f4").tobytes()).hexdigest()
    sparse = None if vectors.sparse is None else (vectors.sparse.indices, np.asarray(vectors.sparse.values, dtype="<f4").tobytes())
    return (point.id, payload_hash(point.payload), dense, sparse)


def undo_of(services: Services) -> Path:
    (path,) = plans_folder(services).glob("undo-*.jsonl.gz")
    return path


@pytest.mark.parametrize("drift", SEEDED)
def test_what_a_repair_changed_is_again_what_it_was(services: Services, drift: DriftClass, monkeypatch: pytest.MonkeyPatch):
    seed(services, drift)
    before, found = digest(services), run_reconcile(services).classes
    repaired = run_reconcile(services, repair=True)
    assert repaired.clean
    assert repaired.undo is not None
    assert digest(services) != before
    with monkeypatch.context() as patch:
        patch.setattr(services.embedder, "embed_documents", lambda _: pytest.fail("undoing embedded a text"))
        undone = run_reconcile(services, undo=repaired.undo)
    assert digest(services) == before
    assert undone.undone is not None
    assert not undone.clean
    if drift in (DriftClass.ORPHAN_DOCUMENT, DriftClass.OLD_GENERATION, DriftClass.PAYLOAD_DRIFT):
        assert undone.classes == found
    assert run_reconcile(services, repair=True).clean


def test_foreign_points_come_back_with_their_numbers(services: Services):
    """Integer ids, another's payload, vectors of NaN or zeros, points without one of the vectors."""
    size = services.dimensions
    nan = np.full(size, np.nan, dtype=np.float32).tolist()
    unit = [1.0] + [0.0] * (size - 1)
    terms = SparseVector((3, 9), (0.1, 2.5))
    strange = [
        StoredPoint(7, {"whose": "another program's", "deep": {"list": [1, 2.5, None, True]}}, StoredVectors(unit, terms)),
        StoredPoint(UUID(int=5), {}, StoredVectors(nan, terms)),
        StoredPoint(UUID(int=6), {"generation": 2**40}, StoredVectors([0.0] * size, None)),
        StoredPoint(2**63, {"a": ["ä", "\ud7ff", ""]}, StoredVectors(None, terms)),
    ]
    with services.index.session() as index:
        index.restore(strange)
    before = digest(services)
    repaired = run_reconcile(services, repair=True)
    assert repaired.clean
    assert repaired.undo is not None
    run_reconcile(services, undo=repaired.undo)
    assert digest(services) == before


def test_a_mass_deletion_that_was_approved_by_mistake_is_taken_back(services: Services):
    before = digest(services)
    saved = services.settings.home / "truth.sqlite"
    copy = saved.read_bytes()
    empty_truth(services)
    plan = run_reconcile(services).plan
    assert plan is not None
    assert run_reconcile(services, approve=plan, by="somebody", reason="tired").found == 0
    assert run_reconcile(services, undo=plan).found == before.total()  # by the plan, whose undo file lies beside it
    assert digest(services) == before
    services.db.dispose()
    for path in saved.parent.glob("truth.sqlite*"):
        path.unlink()
    saved.write_bytes(copy)
    assert run_reconcile(services, deep=True).clean


def test_undoing_is_refused_once_something_was_written_since(services: Services):
    seed(services, DriftClass.PAYLOAD_DRIFT)
    undo = run_reconcile(services, repair=True).undo
    run_index(services, documents=[DOCUMENT], force=True)
    before = digest(services)
    assert undo is not None
    with pytest.raises(GuardRefusedError, match="changed since"):
        run_reconcile(services, undo=undo)
    assert digest(services) == before


def test_undoing_twice_is_refused(services: Services):
    seed(services, DriftClass.ORPHAN_DOCUMENT)
    undo = run_reconcile(services, repair=True).undo
    assert undo is not None
    run_reconcile(services, undo=undo)
    with pytest.raises(GuardRefusedError, match="undone already"):
        run_reconcile(services, undo=undo)


def test_a_repair_that_was_killed_half_way_can_be_undone(services: Services, monkeypatch: pytest.MonkeyPatch):
    """What is saved is on the disk before anything is touched; the rest of the file may be missing."""
    seed(services, DriftClass.ORPHAN_DOCUMENT)
    seed(services, DriftClass.STALE_FINGERPRINT)
    before = digest(services)

    class Killed(BaseException):
        pass

    def killed(*_: object, **__: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr("pipeline.jobs.generation._remove_old", killed)
        with pytest.raises(Killed):
            run_reconcile(services, repair=True)
    assert digest(services) != before
    file = undo_of(services)
    file.write_bytes(file.read_bytes()[:-9])  # without its last bytes, as a kill leaves it
    run_reconcile(services, undo=str(file))
    assert digest(services) == before


def test_a_file_that_was_cut_after_its_repair_had_finished_is_refused_and_changes_nothing(services: Services):
    seed(services, DriftClass.ORPHAN_POINT)
    run_reconcile(services, repair=True)
    before = digest(services)
    file = undo_of(services)
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    with pytest.raises(GuardRefusedError, match="ends early"):
        run_reconcile(services, undo=str(file))
    assert digest(services) == before


@pytest.mark.parametrize("edit", ["payload", "id"])
def test_an_undo_file_that_was_edited_is_refused_and_changes_nothing(services: Services, edit: str):
    seed(services, DriftClass.ORPHAN_DOCUMENT)
    run_reconcile(services, repair=True)
    before, file = digest(services), undo_of(services)
    lines = gzip.decompress(file.read_bytes()).splitlines(keepends=True)
    lines[-2] = lines[-2].replace(b'"generation":1', b'"generation":2') if edit == "payload" else lines[-2].replace(b'"id":"', b'"id":"0')
    file.write_bytes(gzip.compress(b"".join(lines)))
    with pytest.raises(GuardRefusedError, match="was changed"):
        run_reconcile(services, undo=str(file))
    assert digest(services) == before


@pytest.mark.parametrize("name", ["undo-none.jsonl.gz", "plan-none.json", "somewhere"])
def test_what_is_no_undo_file_is_wrong_use(services: Services, tmp_path: Path, name: str):
    with pytest.raises(UsageError, match="no undo file"):
        run_reconcile(services, undo=str(tmp_path / name))


def test_an_undo_file_is_its_owners_only_and_holds_no_text_of_a_document(services: Services):
    with services.db.read() as tx:
        title = documents.load_documents(tx, [DOCUMENT])[DOCUMENT].title
    run_index(services, documents=[DOCUMENT], force=True)
    with services.index.session() as index:
        mine = [point.id for point in index.scan(PointFilter(document_ids=(DOCUMENT,)))]
        index.delete_points(mine[:1])
    assert run_reconcile(services, repair=True).clean
    file = undo_of(services)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    content = gzip.decompress(file.read_bytes()).decode()
    assert str(DOCUMENT) in content
    assert title not in content


def test_an_erased_document_leaves_every_undo_file_and_the_rest_can_still_be_undone(services: Services):
    seed(services, DriftClass.STALE_FINGERPRINT)
    assert run_reconcile(services, repair=True).clean
    file = undo_of(services)
    rows = [entry["point"] for entry in read_undo(file, secret=services.secret) if "point" in entry]
    gone = UUID(rows[0]["document"])
    mine = sum(row["document"] == str(gone) for row in rows)
    assert forget_documents(file.parent, [gone]) == mine > 0
    assert forget_documents(file.parent, [gone]) == 0
    left = [entry for entry in read_undo(file, secret=services.secret) if "point" in entry]
    assert len(left) == len(rows) - mine
    assert not any(json.dumps(entry).count(row["id"]) for entry in left for row in rows if row["document"] == str(gone))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_undo_files_go_after_their_days(services: Services):
    seed(services, DriftClass.ORPHAN_DOCUMENT)
    run_reconcile(services, repair=True)
    file = undo_of(services)
    assert remove_expired(file.parent, utc_now(), days=7) == 0
    old = (utc_now() - timedelta(days=services.settings.undo_days, minutes=1)).timestamp()
    os.utime(file, (old, old))
    run_reconcile(services)
    assert not file.exists()


def test_erasing_waits_for_a_repair_that_still_writes_its_undo_file(tmp_path: Path):
    points = [StoredPoint(UUID(int=n), {"document_id": str(DOCUMENT)}, StoredVectors([1.0], None)) for n in range(2)]
    with ThreadPoolExecutor(max_workers=1) as pool:
        with UndoWriter(tmp_path / "undo-1.jsonl.gz", secret=b"s" * 16, head={"plan": "1"}) as saved:
            saved.save(points[:1])
            erased = pool.submit(forget_documents, tmp_path, [DOCUMENT])
            with pytest.raises(TimeoutError):
                erased.result(timeout=0.3)
            saved.save(points[1:])
        assert erased.result(timeout=30) == 2
    assert [key for entry in read_undo(tmp_path / "undo-1.jsonl.gz", secret=b"s" * 16) for key in entry] == ["head"]


def test_of_two_processes_with_one_plan_the_second_is_refused(tmp_path: Path):
    path = tmp_path / "undo-1.jsonl.gz"
    with UndoWriter(path, secret=b"s" * 16, head={"plan": "1"}):
        pass
    before = path.read_bytes()
    with pytest.raises(GuardRefusedError, match="another process"):
        UndoWriter(path, secret=b"s" * 16, head={"plan": "1"})
    assert path.read_bytes() == before
    assert forget_documents(tmp_path, [DOCUMENT]) == 0  # the lock is free again
