"""The suites as files: what each may hold, and that none is passed over."""

from __future__ import annotations

import json
import re

import pytest

from pipeline.domain.errors import ConfigurationError
from pipeline.jobs.quality import suites
from pipeline.jobs.quality.suites import FOLDER, PARAMETERS, DataSet, Severity, suite


def test_every_data_set_has_one_file_and_every_file_is_of_a_data_set():
    assert {path.stem for path in FOLDER.glob("*.json")} == {one.value for one in DataSet}


def test_ids_are_unique_and_each_line_says_what_it_means():
    lines = [line for one in DataSet for line in suite(one)]
    assert len({line.id for line in lines}) == len(lines) > 40
    assert all(line.says and not line.says.endswith(".") for line in lines)
    assert all(any(line.severity is Severity.BLOCK for line in suite(one)) for one in DataSet)


def test_vocabularies_are_parameters_and_every_parameter_is_used():
    used = {name for path in FOLDER.glob("*.json") for name in re.findall(r'"\$PARAMETER": "(\w+)"', path.read_text(encoding="utf-8"))}
    assert used == set(PARAMETERS)


@pytest.mark.parametrize(
    "content",
    [
        "not JSON",
        '{"expectations": [{}]}',
        json.dumps(
            {
                "expectations": [
                    {
                        "type": "expect_column_mean_to_be_between",
                        "kwargs": {"column": "a"},
                        "meta": {"id": "a", "severity": "warn", "says": "x"},
                    }
                ]
            }
        ),
        json.dumps(
            {
                "expectations": [
                    {
                        "type": "expect_column_values_to_not_be_null",
                        "kwargs": {"column": "a", "mostly": 0.9},
                        "meta": {"id": "a", "severity": "warn", "says": "x"},
                    }
                ]
            }
        ),
        json.dumps(
            {
                "expectations": [
                    {
                        "type": "expect_column_values_to_not_be_null",
                        "kwargs": {"column": "a"},
                        "meta": {"id": "a", "severity": "maybe", "says": "x"},
                    }
                ]
            }
        ),
        None,
    ],
    ids=["no JSON", "an empty line", "of a whole column", "of most rows", "unknown severity", "missing"],
)
def test_a_suite_that_cannot_be_used_stops_the_job(tmp_path, monkeypatch: pytest.MonkeyPatch, content: str | None):
    if content is not None:
        (tmp_path / "chunks.json").write_text(content, encoding="utf-8")
    monkeypatch.setattr(suites, "FOLDER", tmp_path)
    with pytest.raises(ConfigurationError, match=r"chunks\.json"):
        suite.__wrapped__(DataSet.CHUNKS)
