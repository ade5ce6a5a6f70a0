"""``clindex cite`` and ``clindex ask`` as a person and as a program see them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pipeline.cli.asking import _REASONS, render_answer
from pipeline.cli.citing import render_citation
from pipeline.cli.main import app
from pipeline.search.answer.model import Answer, Reason
from pipeline.search.cite.difference import difference
from pipeline.search.cite.model import Citation, CitationStatus, Place
from pipeline.settings import Settings

ECOG = "ECOG performance status 0-1"
PLACE = Place(section="INCLUSION_CRITERION", ordinal=3, piece=1, part="eligibility_criteria", start=5, end=32, page=2)


@pytest.fixture
def run(home: Settings, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CLINDEX_HOME", str(home.home))
    monkeypatch.setenv("CLINDEX_MODELS_PATH", str(home.models_folder))
    return lambda *arguments: CliRunner().invoke(app, list(arguments))


def test_from_a_search_to_its_citation_and_an_answer(run, tmp_path: Path):
    found = json.loads(run("search", ECOG, "--nct-id", "NCT99000001", "--criteria-only", "--json").stdout)
    token = found["hits"][0]["token"]
    cited = json.loads(run("cite", token, "--json").stdout)
    assert (cited["status"], cited["text"]) == ("same", ECOG)
    shown = run("cite", token).stdout
    assert "Same: the passage stands as it was cited." in shown
    assert ECOG in shown
    refused = run("cite", token, "--figure", str(tmp_path / "x.png"))
    assert (refused.exit_code, (tmp_path / "x.png").exists()) == (2, False)
    answer = run("ask", "Which ECOG performance status is required?")
    assert re.search(r"^1\. .*ECOG performance status", answer.stdout, re.MULTILINE)
    assert "extractive, confidence" in answer.stdout


@pytest.mark.parametrize("token", ["x", "c1.AAAA", "c1." + "A" * 120])
def test_what_is_no_token_ends_with_two_and_is_not_repeated(run, token: str):
    for arguments in (("cite", token), ("cite", token, "--json")):
        done = run(*arguments)
        assert done.exit_code == 2
        assert "AAAA" not in done.output


def test_a_difference_can_be_read_without_colours(capsys: pytest.CaptureFixture[str]):
    changed = Citation(
        token="c1.x",
        status=CitationStatus.CHANGED,
        document_id="d",
        was=PLACE,
        now=PLACE.model_copy(update={"ordinal": 4}),
        moved=["ordinal"],
        citation="NCT99000001, 4th inclusion criterion",
        title="A trial",
        text="ECOG 0-2",
        old_text="ECOG 0-1",
        difference=difference("ECOG 0-1", "ECOG 0-2"),
    )
    render_citation(changed)
    shown = capsys.readouterr().out
    assert "ECOG [-0-1-] [+0-2+]" in shown
    assert "(other ordinal)" in shown
    render_citation(changed.model_copy(update={"old_text": None, "difference": []}))
    assert "kept no longer" in capsys.readouterr().out


def test_of_what_is_removed_the_place_alone_is_said(capsys: pytest.CaptureFixture[str]):
    render_citation(Citation(token="c1.x", status=CitationStatus.REMOVED, document_id="d", was=PLACE))
    assert "It stood in INCLUSION_CRITERION 3, characters 5–32 of eligibility_criteria, page 2." in capsys.readouterr().out


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_is_said_in_words(reason: Reason, capsys: pytest.CaptureFixture[str]):
    assert set(_REASONS) == {one.value for one in Reason}
    refused = Answer.model_validate(
        {
            "query": "q",
            "refused": True,
            "reason": reason,
            "mode": "extractive",
            "statements": [],
            "conflicts": [],
            "confidence": 0,
            "checks": [],
            "passages": [],
            "tokens": {},
            "route": "hybrid",
            "seconds": 0,
        }
    )
    render_answer(refused)
    assert f"No answer: {_REASONS[reason.value]}." in capsys.readouterr().out
