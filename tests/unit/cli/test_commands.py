"""Every command is documented, has help, and fails with a sentence and the right code."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import click
import pytest
import typer
from typer.testing import CliRunner

from pipeline.cli.main import app


def commands() -> dict[str, click.Command]:
    """All commands by their full name."""
    found: dict[str, click.Command] = {}

    def walk(prefix: str, command: click.Command) -> None:
        if hasattr(command, "commands"):
            for name, child in command.commands.items():
                walk(f"{prefix} {name}", child)
        else:
            found[prefix] = command

    walk("clindex", typer.main.get_command(app))
    return found


@pytest.mark.parametrize("name", sorted(commands()))
def test_command_is_in_the_readme_and_has_help(name: str, root: Path):
    assert f"`{name}`" in (root / "README.md").read_text(encoding="utf-8")
    command = commands()[name]
    assert command.help
    for parameter in command.params:
        if not isinstance(parameter, click.Argument):
            assert getattr(parameter, "help", None) or parameter.name == "help", (name, parameter.name)


@pytest.mark.parametrize("name", sorted(set(commands()) - {"clindex serve"}))
def test_command_takes_json(name: str):
    assert any("--json" in parameter.opts for parameter in commands()[name].params)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["status"], 1),  # no home
        (["index"], 1),
        (["reconcile"], 1),
        (["ingest", "trials", "--from", "no-such-file.json"], 2),
        (["ingest", "trials", "--nct-id", "NCT1"], 2),
        (["ingest", "trials", "--nct-id", "NCT99000001\n"], 2),
        (["ingest", "trials", "--from", "x", "--query", "y"], 2),
        (["ingest", "trials", "--since", "yesterday"], 2),
        (["index", "--document", "not-a-uuid"], 2),
        (["search", "x", "--section", "NO_SUCH_SECTION"], 2),
        (["search", ""], 2),
        (["chunk", "no-such-file.json"], 2),
        (["chunk", "no-such-file.txt", "--kind", "note"], 2),
        (["ingest", "documents"], 2),
        (["ingest", "documents", "."], 1),  # no home
        (["chunk", "README.md", "--kind", "no-such-kind"], 2),
        (["reindex", "--reason", " "], 1),
        (["nonsense"], 2),
    ],
)
def test_wrong_use_ends_with_the_right_code_and_no_traceback(
    arguments: list[str], code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("CLINDEX_HOME", str(tmp_path / "no-home"))
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)


def test_a_text_file_of_another_kind_is_previewed_scrubbed_with_its_sidecar(tmp_path: Path, models: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CLINDEX_MODELS_PATH", str(models))
    file = tmp_path / "quartermain.txt"
    file.write_text("sparrowhawk called from 406-555-0177.\nNo fever.", encoding="utf-8")
    file.with_name("quartermain.txt.meta.json").write_text(
        '{"kind": "lab_report", "known_identifiers": {"version": 1, "values": {"NAME": ["Sparrowhawk"]}}}', encoding="utf-8"
    )
    result = CliRunner().invoke(app, ["chunk", str(file), "--kind", "note", "--json"])
    (one,) = json.loads(result.stdout)["documents"]
    assert (result.exit_code, one["kind"], one["loss"]["unexplained"]) == (0, "lab_report", 0)
    assert [chunk["text"] for chunk in one["chunks"]] == ["[NAME] called from [PHONE].\nNo fever."]
    assert "quartermain" not in result.output


def test_a_text_file_that_is_not_utf8_ends_by_name(tmp_path: Path, models: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CLINDEX_MODELS_PATH", str(models))
    file = tmp_path / "note.txt"
    file.write_bytes("Zürich".encode("latin-1"))
    result = CliRunner().invoke(app, ["chunk", str(file), "--kind", "note", "--json"])
    assert (result.exit_code, json.loads(result.stdout)["documents"][0]["outcome"]) == (1, "not_utf8")


def test_an_error_is_json_too_when_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CLINDEX_HOME", str(tmp_path / "no-home"))
    result = CliRunner().invoke(app, ["status", "--json"])
    error = json.loads(result.stdout)["error"]
    assert error["type"] == "HomeNotInitialisedError"
    assert "clindex init" in error["remedy"]


def test_a_missing_home_is_not_made_by_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CLINDEX_HOME", str(tmp_path / "no-home"))
    CliRunner().invoke(app, ["status"])
    assert not (tmp_path / "no-home").exists()


def test_text_that_is_not_utf8_is_refused_and_not_scrubbed_with_letters_lost(tmp_path: Path):
    file = tmp_path / "note.txt"
    file.write_bytes("Seen by Dr. Jürgen Quastenflosser.".encode("latin-1"))
    result = CliRunner().invoke(app, ["scrub", str(file), "--json"])
    assert (result.exit_code, json.loads(result.stdout)["error"]["message"]) == (2, "the text is not UTF-8")
    assert "Quastenflosser" not in result.output


def test_a_gzipped_text_is_scrubbed_and_a_damaged_one_refused(tmp_path: Path):
    file = tmp_path / "note.gz"
    file.write_bytes(gzip.compress(b"Write to q@clinic.example today."))
    result = CliRunner().invoke(app, ["scrub", str(file), "--kind", "trial"])
    assert (result.exit_code, result.stdout) == (0, "Write to [EMAIL] today.")
    file.write_bytes(file.read_bytes()[:-9])
    result = CliRunner().invoke(app, ["scrub", str(file), "--kind", "trial"])
    assert (result.exit_code, result.stdout) == (2, "")


def test_a_text_of_wide_characters_is_refused(tmp_path: Path):
    file = tmp_path / "note.txt"
    file.write_bytes("Quastenflosser".encode("utf-16-le"))
    result = CliRunner().invoke(app, ["scrub", str(file), "--json"])
    assert (result.exit_code, json.loads(result.stdout)["error"]["message"]) == (2, "the text is not UTF-8")


def test_a_folder_to_scrub_is_wrong_use_that_says_where_folders_go(tmp_path: Path):
    result = CliRunner().invoke(app, ["scrub", str(tmp_path)])
    assert result.exit_code == 2
    assert "clindex ingest documents" in result.output


def test_scrub_replaces_what_a_file_says_of_the_patient_in_whatever_form_it_stands(tmp_path: Path):
    note, known = tmp_path / "note.txt", tmp_path / "patient.json"
    note.write_text("quastenflosser, odile slept well. Ferritin 80.", encoding="utf-8")
    known.write_text('{"version": 1, "values": {"NAME": ["Quastenflosser, Odile"]}}', encoding="utf-8")
    result = CliRunner().invoke(app, ["scrub", str(note), "--known", str(known)])
    assert (result.exit_code, result.stdout) == (0, "[NAME] slept well. Ferritin 80.")


@pytest.mark.parametrize("content", [None, "no json", '{"version": 1, "values": {"NAMES": ["Quastenflosser"]}}'])
def test_a_file_of_known_identifiers_that_cannot_be_used_stops_scrubbing_and_is_not_quoted(tmp_path: Path, content: str | None):
    note, known = tmp_path / "note.txt", tmp_path / "odile.json"
    note.write_text("Odile slept well.", encoding="utf-8")
    if content is not None:
        known.write_text(content, encoding="utf-8")
    result = CliRunner().invoke(app, ["scrub", str(note), "--known", str(known)])
    assert (result.exit_code, result.stdout) == (2, "")
    assert "file of known identifiers" in result.output
    assert "odile" not in result.output.lower()
    assert "Quastenflosser" not in result.output
