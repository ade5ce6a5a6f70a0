"""``manifest.csv`` says of files what a sidecar would; what cannot be used fails the files that it names, by row."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pipeline.domain.ports import FetchedRecord
from pipeline.domain.site_files import LandedFile
from pipeline.settings import Settings
from pipeline.stages.sources.documents import DocumentFiles

SECRET = b"a secret of sixteen or more"
NAME = "Zebulon Quartermain"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "county"
    (made / "2031").mkdir(parents=True)
    (made / "first.txt").write_text("Airway.", encoding="utf-8")
    (made / "second.txt").write_text("Burns.", encoding="utf-8")
    (made / "2031" / "third.txt").write_text("Chest pain.", encoding="utf-8")
    return made


def listed(*paths: Path) -> dict[str, FetchedRecord]:
    """Records by the text of their file; failures by their origin."""
    source = DocumentFiles(list(paths), Settings(), secret=SECRET)
    found = [record for page in source.pages() for record in page.records]
    return {record.origin if record.failure else record.attachments[0].decode(): record for record in found}


def failures(*paths: Path) -> dict[str, str | None]:
    return {origin: record.failure for origin, record in listed(*paths).items() if record.failure}


def said(record: FetchedRecord) -> dict | None:
    landed = LandedFile.of(json.loads(record.data))
    assert (landed.sidecar is None) == (len(record.attachments) == 1)
    return None if landed.sidecar is None else json.loads(record.attachments[1])


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_row_says_what_a_sidecar_would_and_lists_are_parted(folder: Path, mark: str, end: str):
    lines = [
        "File,KIND, Title ,agency,state,nct_ids,icd_codes",
        'first.txt,ems_protocol,"Airway, adult and ""child""",Vane County EMS,CA,NCT99000001|NCT99000002,',
        "",
        "2031/third.txt,protocol,,,,,E11.9; I10",
        "./second.txt,,,,,,",
    ]
    (folder / "manifest.csv").write_text(mark + end.join(lines), encoding="utf-8", newline="")
    found = listed(folder)
    assert said(found["Airway."]) == {
        "kind": "ems_protocol",
        "title": 'Airway, adult and "child"',
        "agency": "Vane County EMS",
        "state": "CA",
        "nct_ids": ["NCT99000001", "NCT99000002"],
    }
    assert said(found["Chest pain."]) == {"kind": "protocol", "icd_codes": ["E11.9", "I10"]}
    assert said(found["Burns."]) is None
    assert set(found) == {"Airway.", "Burns.", "Chest pain."}  # the manifest itself is no document


def test_a_files_own_sidecar_wins_key_by_key(folder: Path):
    (folder / "manifest.csv").write_text("file,kind,title,state\nfirst.txt,guideline,From the row,CA\n", encoding="utf-8")
    (folder / "first.meta.json").write_text('{"title": "Its own", "state": null, "date": "2031"}', encoding="utf-8")
    assert said(listed(folder)["Airway."]) == {"kind": "guideline", "title": "Its own", "state": "CA", "date": "2031"}


def test_a_sidecar_that_is_no_json_is_landed_as_it_is_so_that_reading_it_fails(folder: Path):
    (folder / "manifest.csv").write_text("file,kind\nfirst.txt,guideline\n", encoding="utf-8")
    (folder / "first.meta.json").write_bytes(b"{")
    assert listed(folder)["Airway."].attachments[1] == b"{"


def test_a_changed_row_changes_its_file_alone_and_no_key(folder: Path):
    (folder / "manifest.csv").write_text("file,kind\nfirst.txt,note\nsecond.txt,note\n", encoding="utf-8")
    before = listed(folder)
    (folder / "manifest.csv").write_text("file,kind\nfirst.txt,paper\nsecond.txt,note\n", encoding="utf-8")
    after = listed(folder)
    assert [name for name in before if before[name].data != after[name].data] == ["Airway."]
    assert {one.source_key for one in before.values()} == {one.source_key for one in after.values()}


def test_a_file_named_alone_is_read_with_the_manifest_beside_it(folder: Path):
    (folder / "manifest.csv").write_text("file,kind\nfirst.txt,note\ngone.txt,note\n", encoding="utf-8")
    assert said(listed(folder / "first.txt")["Airway."]) == {"kind": "note"}
    assert not failures(folder / "first.txt")


@pytest.mark.parametrize(
    "row",
    [
        f"first.txt,{NAME},",
        "first.txt,trial,",
        "first.txt,,99/05/2031",
        "first.txt,note",  # a cell is missing
        "first.txt,note,2031,more",
        "first.txt,note,2031\nfirst.txt,note,2031",
        "first.txt,note,2031\n./first.txt,note,2031",
    ],
)
def test_a_row_that_cannot_be_used_fails_its_file_by_row_and_the_others_go_on(folder: Path, row: str):
    (folder / "manifest.csv").write_text(f"file,kind,date\nsecond.txt,note,\n{row}\n", encoding="utf-8")
    found = listed(folder)
    (origin,) = failures(folder)
    assert found[origin].failure == "bad_manifest"
    assert "manifest 1 row" in origin
    assert NAME not in origin
    assert "first" not in origin
    assert found[origin].source_key  # named, so that what is known of it is not taken as deleted
    assert said(found["Burns."]) == {"kind": "note"}
    assert "Chest pain." in found


@pytest.mark.parametrize("path", ["gone.txt", "../county/first.txt", "/etc/hostname", "", "2031"])
def test_a_row_for_a_file_that_is_not_there_is_a_failure_under_a_key_of_its_own(folder: Path, path: str):
    keys = {record.source_key for record in listed(folder).values()}
    (folder / "manifest.csv").write_text(f"file,kind\n{path},note\n", encoding="utf-8")
    found = listed(folder)
    (origin,) = failures(folder)
    assert found[origin].failure == "bad_manifest"
    assert "row 2" in origin
    assert found[origin].source_key not in {None, *keys}
    assert keys < {record.source_key for record in found.values()}


def test_a_row_of_an_inner_manifest_cannot_reach_out_of_its_folder(folder: Path):
    (folder / "2031" / "manifest.csv").write_text("file,kind\n../first.txt,note\n", encoding="utf-8")
    assert list(failures(folder).values()) == ["bad_manifest"]
    assert said(listed(folder)["Airway."]) is None


def test_a_file_that_two_manifests_name_fails(folder: Path):
    (folder / "manifest.csv").write_text("file,kind\n2031/third.txt,note\n", encoding="utf-8")
    (folder / "2031" / "manifest.csv").write_text("file,kind\nthird.txt,paper\n", encoding="utf-8")
    (origin,) = failures(folder)
    assert "manifest 2 row 2" in origin
    assert "Chest pain." not in listed(folder)


def test_an_unknown_column_fails_the_manifest_and_the_files_that_it_names(folder: Path):
    (folder / "manifest.csv").write_text(f"file,kind,pateint\nfirst.txt,note,{NAME}\n", encoding="utf-8")
    found = failures(folder)
    assert set(found.values()) == {"bad_manifest"}
    assert any("column 3 is unknown" in origin for origin in found)
    assert len(found) == 2
    assert {"Burns.", "Chest pain."} < set(listed(folder))
    assert NAME not in repr(found)
    assert "pateint" not in repr(found)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"name,kind\nfirst.txt,note\n",
        b"file;kind\nfirst.txt;note\n",
        b"file,file\nfirst.txt,first.txt\n",
        "file,title\nfirst.txt,Zoë\n".encode("latin-1"),
        "file,kind\nfirst.txt,note\n".encode("utf-16"),
        b'file,title\nfirst.txt,"open\n',
    ],
)
def test_a_manifest_that_cannot_be_read_fails_every_file_below_it_and_none_beside_it(folder: Path, data: bytes):
    (folder / "2031" / "manifest.csv").write_bytes(data)
    found = listed(folder)
    assert set(failures(folder).values()) == {"bad_manifest"}
    assert len(failures(folder)) == 2  # the manifest and the one file
    assert all(found[origin].source_key for origin in failures(folder))
    assert {"Airway.", "Burns."} < set(found)


def test_known_identifiers_have_no_column(folder: Path):
    (folder / "manifest.csv").write_text("file,known_identifiers\nfirst.txt,x\n", encoding="utf-8")
    assert len(failures(folder)) == 2
