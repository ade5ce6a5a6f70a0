"""The files: private, whole, and as the contract says."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import jsonschema
import pytest

from pipeline.jobs.report import RunReport, collect, render_html, write_report
from pipeline.jobs.report import write as write_module

NOW = datetime(2031, 5, 17, 3, 0, 59, 999_999, tzinfo=UTC)


def test_writes_a_dated_and_a_latest_report_in_both_forms(night):
    paths = write_report(night, now=NOW)
    folder = night.settings.reports_folder
    assert paths.verdict == "incomplete"
    assert paths.json_path == folder / "report-20310517T030059Z.json"
    assert paths.html_path == folder / "report-20310517T030059Z.html"
    assert sorted(one.name for one in folder.iterdir()) == [
        "latest.html", "latest.json", "report-20310517T030059Z.html", "report-20310517T030059Z.json",
    ]  # fmt: skip
    report = collect(night, now=NOW)
    assert RunReport.model_validate_json(paths.latest_json.read_bytes()) == report
    assert paths.latest_html.read_text() == paths.html_path.read_text() == render_html(report)


def test_folder_and_files_are_for_their_owner_only(night):
    night.settings.reports_folder.mkdir(mode=0o755)
    paths = write_report(night, now=NOW)
    assert night.settings.reports_folder.stat().st_mode & 0o777 == 0o700
    assert {one.stat().st_mode & 0o777 for one in night.settings.reports_folder.iterdir()} == {0o600}
    assert paths.html_path.exists()


def test_later_report_keeps_the_earlier_and_becomes_the_latest(night):
    first = write_report(night, now=NOW)
    second = write_report(night, now=NOW.replace(hour=4))
    assert first.json_path.exists()
    assert json.loads(second.latest_json.read_text())["created_at"] == "2031-05-17T04:00:59.999999Z"


def test_failed_write_leaves_the_report_before_it_whole_and_nothing_behind(night, monkeypatch):
    first = write_report(night, now=NOW)
    before = first.latest_json.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(write_module.os, "replace", full)
    with pytest.raises(OSError, match="No space"):
        write_report(night, now=NOW.replace(hour=4))
    assert first.latest_json.read_bytes() == before
    assert not [one for one in night.settings.reports_folder.iterdir() if one.name.startswith(".")]


def test_schema_file_is_as_the_model_says(root):
    written = json.loads((root / "schemas" / "report.json").read_text())
    assert written == RunReport.model_json_schema(by_alias=True), "run `make schemas`"


def test_reports_satisfy_the_schema(root, night):
    schema = json.loads((root / "schemas" / "report.json").read_text())
    jsonschema.validate(json.loads(collect(night).model_dump_json()), schema, cls=jsonschema.Draft202012Validator)
