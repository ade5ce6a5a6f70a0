"""What a terminal and a program get, also when something goes wrong that nobody thought of."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from pipeline.cli.output import execute, fail, plain, say, say_failures
from pipeline.domain.errors import ConfigurationError, UsageError
from pipeline.jobs.summaries import RecordFailure
from pipeline.settings import Settings
from pipeline.unexpected import as_ours

TEXT = "Zebulon Quartermain-Oddfellow"


def command(*arguments: str, home: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "pipeline.cli.main", *arguments],
        env={**os.environ, "CLINDEX_HOME": str(home), **environment},
        capture_output=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("arguments", "environment", "code"),
    [
        (["status", "--json"], {}, 1),  # no home
        (["status", "--json", "--no-such-option"], {}, 2),
        (["ingest", "trials", "--json", "--limit", "none"], {}, 2),
        (["search", "--json"], {}, 2),
        (["search", " ", "--json"], {}, 2),
        (["search", b"\xff".decode("utf-8", "surrogateescape"), "--json"], {}, 2),
        (["ingest", "trials", "--from", "[/bold]\udcff.json", "--json"], {}, 2),
        (["status", "--json"], {"CLINDEX_SERVE_PORT": "none", "PYTHONIOENCODING": "ascii"}, 1),
    ],
)
def test_every_error_is_one_json_object_and_no_traceback(arguments: list[str], environment: dict[str, str], code: int, tmp_path: Path):
    done = command(*arguments, home=tmp_path / "no-home", **environment)
    assert done.returncode == code, done.stderr
    assert len(done.stdout.splitlines()) == 1
    error = json.loads(done.stdout)["error"]
    assert set(error) == {"type", "message", "remedy"}
    assert b"Traceback" not in done.stderr
    assert done.stderr


def test_a_home_that_is_a_file_is_an_error_in_words(tmp_path: Path):
    (tmp_path / "home").write_text("not a folder")
    for arguments in (["init"], ["status"]):
        done = command(*arguments, home=tmp_path / "home")
        assert done.returncode == 1
        assert b"Traceback" not in done.stderr
        assert done.stderr.startswith(b"error: ")


def test_an_unexpected_error_tells_its_class_and_place_and_never_its_message(capsys: pytest.CaptureFixture[str]):
    def job() -> None:
        plain(type("Trap", (), {"__str__": lambda _: int(TEXT)})())

    with pytest.raises(typer.Exit) as ended:
        execute(job, as_json=True, render=lambda _: None)
    printed = capsys.readouterr()
    assert ended.value.exit_code == 1
    assert "Quartermain" not in printed.out + printed.err
    error = json.loads(printed.out)["error"]
    assert error["type"] == "InternalError"
    assert error["message"].startswith("ValueError in cli/output.py:")


def test_an_interrupted_job_says_so(capsys: pytest.CaptureFixture[str]):
    def job() -> None:
        raise KeyboardInterrupt

    with pytest.raises(typer.Exit):
        execute(job, as_json=True, render=lambda _: None)
    assert json.loads(capsys.readouterr().out)["error"]["type"] == "InterruptedRunError"


@pytest.mark.parametrize(("number", "words"), [(errno.ENOSPC, "the disk is full"), (errno.EROFS, "EROFS")])
def test_an_error_of_the_system_names_its_code_and_no_path(number: int, words: str):
    error = as_ours(OSError(number, "no", f"/home/{TEXT}"))
    assert words in error.message
    assert TEXT not in error.message


def test_a_list_that_is_no_json_is_named_without_its_value(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CLINDEX_DOCUMENTS_PATHS", TEXT)
    with pytest.raises(ValueError, match="documents_paths") as raised:
        Settings()
    error = as_ours(raised.value)
    assert isinstance(error, ConfigurationError)
    assert "CLINDEX_DOCUMENTS_PATHS" in error.message
    assert TEXT not in error.message + str(error.remedy)


def test_a_wrong_setting_is_named_without_its_value(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CLINDEX_SERVE_PORT", TEXT)
    with pytest.raises(ValueError, match="Settings") as raised:
        Settings()
    error = as_ours(raised.value)
    assert isinstance(error, ConfigurationError)
    assert "CLINDEX_SERVE_PORT" in error.message
    assert TEXT not in error.message


def test_texts_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str]):
    say("\x1b[31mred\x1b]0;title\x07 \u202eleft \udc80 [bold]kept[/bold] [/]\ttab")
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert "\u202e" not in printed
    assert "[bold]kept[/bold] [/]" in printed


def test_brackets_in_a_message_are_no_markup(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(typer.Exit):
        fail(UsageError("there is no file [/x].json", remedy="[bold"), as_json=False)
    assert "there is no file [/x].json" in capsys.readouterr().err


def test_a_closed_pipe_ends_quietly(sample_home: Path, models: Path):
    done = subprocess.run(
        f"{sys.executable} -m pipeline.cli.main search pregnancy --limit 20 | head -c 1",
        shell=True,
        env={**os.environ, "CLINDEX_HOME": str(sample_home), "CLINDEX_MODELS_PATH": str(models)},
        capture_output=True,
        check=True,
    )
    assert done.stderr == b""


def test_failures_are_listed_explained_once_and_the_quarantine_named(capsys):
    failures = [RecordFailure(category="gate_refused", source_key=str(number), origin=None) for number in range(22)]
    say_failures([*failures, RecordFailure(category="bad_sidecar", source_key="k", origin="path 1 file 2")])
    shown = capsys.readouterr().out
    assert shown.count("failed gate_refused") == 20
    assert "… and 3 more" in shown
    assert "gate_refused (22): " in shown
    assert "bad_sidecar (1): what its .meta.json says cannot be used" in shown
    assert "clindex quarantine list" in shown


def test_no_failures_say_nothing(capsys):
    say_failures([])
    assert capsys.readouterr().out == ""
