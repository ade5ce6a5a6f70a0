"""``clindex reindex`` and ``clindex collections`` from the command line."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from pipeline.cli.main import app
from pipeline.settings import Settings


@pytest.fixture
def run(home: Settings, monkeypatch: pytest.MonkeyPatch):
    """Run a command on a fresh copy of the sample home; returns its exit code and its JSON."""
    monkeypatch.setenv("CLINDEX_HOME", str(home.home))
    monkeypatch.setenv("CLINDEX_MODELS_PATH", str(home.models_path))

    def command(*arguments: str) -> tuple[int, dict]:
        result = CliRunner().invoke(app, [*arguments, "--json"])
        return result.exit_code, json.loads(result.stdout)

    return command


@pytest.mark.parametrize(
    "arguments",
    [
        ["--candidate"],
        [],
        ["--candidate", "--reason", "x", "--kind", "trial"],
        ["--rollback", "--retire"],
        ["--promote", "--abandon"],
        ["--rollback", "--dry-run"],
        ["--promote"],  # there is no candidate
        ["--rollback"],  # there is nothing to go back to
        ["--abandon"],
    ],
)
def test_wrong_use_is_said_and_changes_nothing(run, arguments: list[str]):
    code, error = run("reindex", *arguments)
    assert code == 2
    assert error["error"]["type"] == "UsageError"
    assert error["error"]["message"]
    assert [one["role"] for one in run("collections")[1]["collections"]] == ["live"]


def test_a_candidate_from_preview_to_retirement(run):
    code, found = run("reindex", "--candidate", "--reason", "test", "--dry-run")
    assert (code, found["dry_run"], found["index"]) == (0, True, None)
    assert found["preview"]["texts_to_embed"] == 0
    code, built = run("reindex", "--candidate", "--reason", "test")
    assert (code, built["verdict"]["passed"]) == (0, True)
    assert built["index"]["points_written"] == found["preview"]["points"]
    code, switched = run("reindex", "--promote")
    assert (code, switched["live"]) == (0, "clindex-2")
    code, back = run("reindex", "--rollback")
    assert (code, back["live"], back["behind"]) == (0, "clindex", 0)
    code, gone = run("reindex", "--retire")
    assert (code, [one["name"] for one in gone["retired"]]) == (0, ["clindex-2"])
    listed = run("collections")[1]["collections"]
    assert [(one["name"], one["role"], one["pointed"]) for one in listed] == [("clindex-2", "retired", False), ("clindex", "live", True)]


def test_words_are_printed_without_json(run, home: Settings):
    assert run("collections")[0] == 0
    result = CliRunner().invoke(app, ["collections"])
    assert "clindex" in result.stdout
    result = CliRunner().invoke(app, ["reindex", "--candidate", "--reason", "test", "--dry-run"])
    assert "points to write" in result.stdout
