"""What a crash, another hand or a bad disk can leave, and what the embedded index makes of it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import qdrant_edge as edge

from pipeline.domain.errors import CollectionMissingError, ForeignModelError, StoreBusyError, StoreCorruptError, StoreUnavailableError
from pipeline.domain.points import PointFilter
from pipeline.index import edge_files
from pipeline.index.edge import EdgeIndex
from pipeline.index.edge_store import RESERVE_BYTES, shared_store
from pipeline.testing.points import along_axis, make_payload, make_point, make_points, make_spec


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def index(folder: Path) -> EdgeIndex:
    return EdgeIndex(folder, lock_timeout_seconds=5, batch_bytes=1 << 20)


def test_asking_about_a_folder_that_is_not_there_does_not_make_it(index: EdgeIndex, folder: Path) -> None:
    assert index.describe() is None
    with index.session(), pytest.raises(CollectionMissingError):
        index.count()
    assert not folder.exists()


def test_its_folder_is_readable_by_its_owner_only(index: EdgeIndex, folder: Path) -> None:
    index.create(make_spec())
    assert folder.stat().st_mode & 0o077 == 0


def test_nothing_of_ours_lies_inside_the_shard(index: EdgeIndex, folder: Path) -> None:
    index.create(make_spec())
    assert {each.name for each in (folder / "clindex").iterdir()} == {"edge_config.json", "segments", "wal"}


def test_creation_killed_while_the_shard_was_made_is_done_again(index: EdgeIndex, folder: Path) -> None:
    (folder / "clindex.creating" / "segments").mkdir(parents=True)
    (folder / "clindex.creating" / "edge_config.json").write_text("{")
    with pytest.raises(CollectionMissingError):
        index.count()
    assert index.describe() is None
    index.create(make_spec())
    assert index.count() == 0


def test_creation_killed_before_the_metadata_is_done_again(index: EdgeIndex, folder: Path) -> None:
    index.create(make_spec())
    (folder / "clindex.json").unlink()
    info = index.describe()
    assert info is not None
    assert info.spec is None
    with pytest.raises(CollectionMissingError):
        index.count()
    index.create(make_spec(model="test-model-b"))
    info = index.describe()
    assert info is not None
    assert info.spec == make_spec(model="test-model-b")


@pytest.mark.parametrize("metadata", [None, "", "{", "[]", '{"other": 1}', '{"clindex": {"name": "clindex"}}'])
def test_points_whose_metadata_are_lost_are_not_taken_over(index: EdgeIndex, folder: Path, metadata: str | None) -> None:
    index.create(make_spec())
    index.upsert(make_points(1, range(1, 4)))
    if metadata is None:
        (folder / "clindex.json").unlink()
    else:
        (folder / "clindex.json").write_text(metadata)
    with pytest.raises(ForeignModelError) as caught:
        index.create(make_spec())
    assert "--rebuild-index" in str(caught.value.remedy)
    info = index.describe()
    assert info is not None
    assert (info.spec, info.points) == (None, 3)


@pytest.mark.parametrize("killed_at", range(5))
def test_a_removal_killed_anywhere_leaves_nothing_that_looks_damaged_and_is_done_again(
    index: EdgeIndex, folder: Path, killed_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.create(make_spec())
    index.upsert(make_points(1, range(1, 4)))
    steps = count()

    def killed(step: Callable[..., Any]) -> Callable[..., Any]:
        def run(path: Path, *arguments: Any, **named: Any) -> Any:
            if next(steps) == killed_at:
                if path.is_dir() and step is shutil.rmtree:
                    next(one for one in path.rglob("*") if one.is_file()).unlink()  # half of it
                raise KeyboardInterrupt
            return step(path, *arguments, **named)

        return run

    with monkeypatch.context() as patched, suppress(KeyboardInterrupt):
        for owner, name in ((Path, "unlink"), (Path, "rename"), (edge_files.shutil, "rmtree")):
            patched.setattr(owner, name, killed(getattr(owner, name)))
        index.remove()
    info = index.describe()
    assert info is None or info.points == 3
    index.remove()
    assert index.describe() is None
    assert not [path for path in folder.iterdir() if path.is_dir()]


def test_metadata_without_a_shard_are_no_collection(index: EdgeIndex, folder: Path) -> None:
    index.create(make_spec())
    shutil.rmtree(folder / "clindex")
    assert index.describe() is None
    with pytest.raises(CollectionMissingError):
        index.count()
    with pytest.raises(ForeignModelError):
        index.create(make_spec(model="test-model-b"))
    index.create(make_spec())
    assert index.count() == 0


@pytest.mark.parametrize("damaged", ["edge_config.json", "wal/open-1", "segment.json"])
def test_a_damaged_shard_is_named_as_such_with_what_to_do(index: EdgeIndex, folder: Path, damaged: str) -> None:
    index.create(make_spec())
    index.upsert([make_point(1, 1, note="a text that is in no message")])
    (file,) = (folder / "clindex").rglob(Path(damaged).name) if "/" not in damaged else [folder / "clindex" / damaged]
    file.write_bytes(b"\0garbage")
    with pytest.raises(StoreCorruptError) as caught:
        index.count()
    assert "rebuilt" in str(caught.value.remedy)
    assert str(folder) not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__
    index.remove()
    index.create(make_spec())
    assert index.count() == 0


def test_a_shard_open_without_the_lock_is_reported_as_busy(index: EdgeIndex, folder: Path) -> None:
    index.create(make_spec())
    shard = edge.EdgeShard.load(str(folder / "clindex"))
    try:
        with pytest.raises(StoreBusyError):
            index.count()
    finally:
        shard.close()


def test_an_error_inside_a_session_lets_go_of_the_index(index: EdgeIndex, folder: Path) -> None:
    index.create(make_spec())
    with pytest.raises(ValueError), index.session():
        index.upsert([make_point(1, 1, dense=along_axis(0) * 2)])
    assert not index._store._lock.is_held
    assert not (folder / "clindex.holder.json").exists()


def test_a_scan_that_is_given_up_lets_go_of_the_index(index: EdgeIndex) -> None:
    index.create(make_spec())
    index.upsert(make_points(1, range(1, 4)))
    scan = index.scan(batch_size=1)
    next(scan)
    assert index._store._lock.is_held
    scan.close()  # type: ignore[attr-defined]
    assert not index._store._lock.is_held


def test_deleted_points_are_dropped_from_disk_when_they_are_many(index: EdgeIndex) -> None:
    index.create(make_spec())
    with index.session():
        index.upsert(make_points(1, range(1, 1501)))
    with index.session():
        index.delete_points([point.id for point in make_points(1, range(1, 1001))])
    with index.session():
        assert index.count() == 500
        assert {each.payload["ordinal"] for each in index.scan()} == set(range(1001, 1501))
        assert index.count(PointFilter(is_exclusion=False)) == 500


def test_a_spec_of_another_collection_is_refused(index: EdgeIndex) -> None:
    with pytest.raises(ValueError):
        index.create(make_spec("other"))
    with pytest.raises(ValueError):
        index.create(make_spec(distance="Dot"))


class TestMirrors:
    """Each boolean field has a mirror that filters use (see ``edge_payload``)."""

    @pytest.fixture(autouse=True)
    def created(self, index: EdgeIndex) -> None:
        index.create(make_spec())

    def write_raw(self, index: EdgeIndex, folder: Path, payload: dict[str, object]) -> None:
        with index.session():
            shard, _ = shared_store(folder, "clindex").open()
            shard.update(
                edge.UpdateOperation.upsert_points([edge.Point(id=uuid4(), vector={"dense": along_axis(0).tolist()}, payload=payload)])
            )

    def test_no_reader_sees_them(self, index: EdgeIndex) -> None:
        index.upsert([make_point(1, 1, is_exclusion=True)])
        (point,) = index.scan()
        assert point.payload == make_payload(1, 1, is_exclusion=True)

    def test_their_names_are_reserved(self, index: EdgeIndex) -> None:
        with pytest.raises(ValueError, match="_is_exclusion"):
            index.upsert([make_point(1, 1, _is_exclusion=1)])

    @pytest.mark.parametrize("mirror", [{}, {"_is_exclusion": 0}, {"_is_exclusion": "1"}])
    def test_one_that_contradicts_its_field_shows_as_a_changed_payload(self, index: EdgeIndex, folder: Path, mirror: dict) -> None:
        self.write_raw(index, folder, make_payload(1, 1, is_exclusion=True) | mirror)
        (point,) = index.scan()
        assert point.payload != make_payload(1, 1, is_exclusion=True)
        assert json.dumps(dict(point.payload))

    def test_one_without_its_field_shows_as_a_changed_payload(self, index: EdgeIndex, folder: Path) -> None:
        self.write_raw(index, folder, make_payload(1, 1, is_exclusion=None) | {"_is_exclusion": 1})
        (point,) = index.scan()
        assert point.payload["_is_exclusion"] == 1


def test_a_disk_that_is_nearly_full_is_refused_before_the_engine_dies_of_it(
    index: EdgeIndex, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.create(make_spec())
    index.upsert(make_points(1, range(1, 4)))
    usage = shutil.disk_usage(folder)
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=RESERVE_BYTES - 1))
        with pytest.raises(StoreUnavailableError, match="nearly full"):
            index.upsert(make_points(1, range(1, 4)))
        with pytest.raises(StoreUnavailableError, match="nearly full"):
            EdgeIndex(folder / "another", lock_timeout_seconds=5, batch_bytes=1 << 20).create(make_spec())
        assert index.count() == 3
    index.upsert(make_points(1, range(1, 5)))
    assert index.count() == 4
