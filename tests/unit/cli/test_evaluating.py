"""``clindex evaluate``: its contract, its exit codes, and that nothing of a query is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pipeline.cli.main import app
from pipeline.settings import Settings

SECRET = "Quartermain-Oddfellow"


@pytest.fixture
def sees(home: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("CLINDEX_HOME", str(home.home))
    monkeypatch.setenv("CLINDEX_MODELS_PATH", str(home.models_path))
    return home


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    queries, qrels = tmp_path / "q.tsv", tmp_path / "r.tsv"
    queries.write_text(f"a\tvasopressin in septic shock {SECRET}\nb\tnerve stimulation for migraine\n", encoding="utf-8")
    qrels.write_text("query_id\tnct_id\tlabel\na\tNCT99000022\t2\na\tNCT99000004\t1\nb\tNCT99000019\t1\n", encoding="utf-8")
    return ["--queries", str(queries), "--qrels", str(qrels)]


def ask(*arguments: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["evaluate", *arguments])
    return done.exit_code, done.stdout, done.stderr


def test_the_contract_of_its_json(sees: Settings, files: list[str]):
    code, out, err = ask(*files, "--json", "--mode", "fused")
    found = json.loads(out)
    assert code == 0
    assert found["queries"] == 2
    assert all(one["low"] <= one["value"] <= one["high"] for one in found["metrics"].values())
    assert found["metrics"].keys() - found["random_floor"].keys() == {"answered"}  # a random order refuses nothing
    assert found["per_query"].keys() == {"a", "b"}
    assert "2 of 2 queries asked" in err
    assert SECRET not in out + err


@pytest.mark.parametrize(
    ("more", "code"),
    [
        (["--min-recall", "0.5"], 0),
        (["--floor", "precision@10=0.9"], 1),
        (["--min-ndcg", "1", "--floor", "refusal=0.1"], 1),
        (["--floor", f"{SECRET}=1"], 2),
        (["--floor", "mrr=high"], 2),
        (["--mode", "half"], 2),
        (["--limit", "0"], 2),
        (["--min-recall", "2"], 2),
    ],
)
def test_floors_and_wrong_options_have_their_exit_codes(sees: Settings, files: list[str], more: list[str], code: int):
    got, out, err = ask(*files, *more)
    assert got == code
    assert SECRET not in out + err


def test_a_broken_line_is_a_wrong_command_that_says_which(sees: Settings, files: list[str]):
    Path(files[3]).write_text(f"a\tNCT99000022\t2\na\t{SECRET}\n", encoding="utf-8")
    code, out, err = ask(*files, "--json")
    assert code == 2
    assert "line 2" in json.loads(out)["error"]["message"]
    assert SECRET not in out + err


def test_judged_documents_that_are_not_there_are_named_and_fail(sees: Settings, files: list[str]):
    Path(files[3]).write_text("a\tNCT99000022\t2\na\tNCT98765432\t1\n", encoding="utf-8")
    code, out, _ = ask(*files, "--mode", "sparse")
    assert code == 1
    assert "NCT98765432" in out
    assert ask(*files, "--mode", "sparse", "--allow-missing")[0] == 0


def test_two_evaluations_are_compared_without_a_home(sees: Settings, files: list[str], monkeypatch: pytest.MonkeyPatch):
    kept = [json.loads(ask(*files, "--json", "--mode", mode)[1])["artifact"] for mode in ("sparse", "dense")]
    monkeypatch.setenv("CLINDEX_HOME", "/nowhere")
    code, out, _ = ask("--compare", *kept, "--json")
    found = json.loads(out)
    assert (code, found["queries"], found["differs"]) == (0, 2, ["mode"])
    assert ask("--compare", kept[0], files[1])[0] == 2


def test_without_arguments_the_shipped_queries_are_asked_and_a_home_without_the_documents_is_red(sees: Settings):
    code, out, _ = ask("--json", "--mode", "sparse", "--limit", "5")
    found = json.loads(out)
    assert (code, found["queries"]) == (1, 342)  # studies alone: the documents that judgements name are missing
    assert all(not (one["name"] or "").startswith("NCT990000") for one in found["missing"])
    assert found["missing"]
