"""Alert rules and dashboard ask for figures that there are, by labels that they have, and say what to do."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from pipeline.jobs.metrics import catalog

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "observability"
RULES: list[dict[str, Any]] = [
    rule for group in yaml.safe_load((FOLDER / "alerts.yml").read_text(encoding="utf-8"))["groups"] for rule in group["rules"]
]
TESTS = yaml.safe_load((FOLDER / "alerts.test.yml").read_text(encoding="utf-8"))["tests"]
DASHBOARD: dict[str, Any] = json.loads((FOLDER / "grafana-dashboard.json").read_text(encoding="utf-8"))
PANELS: list[dict[str, Any]] = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
BY_SERIES = {name: one for one in (*catalog.HOME, *catalog.SERVICE) for name in one.series}
FROM_PROMETHEUS = {"instance", "job", "le"}

PROMTOOL = shutil.which("promtool")


def asked(expression: str) -> Iterator[tuple[str, list[str]]]:
    """Series of an expression, each with the labels that its selector names."""
    for name, selector in re.findall(r"(clindex_\w+)(?:\{([^}]*)\})?", expression):
        yield name, re.findall(r"(\w+)(?:=~|!~|!=|=)", selector)


def assert_known(expression: str) -> None:
    found = list(asked(expression))
    assert found
    for name, labels in found:
        assert name in BY_SERIES, name
        assert set(labels) <= {*BY_SERIES[name].labels, *FROM_PROMETHEUS}, (name, labels)
    grouped = {label.strip() for names in re.findall(r"by \(([^)]*)\)", expression) for label in names.split(",")}
    assert grouped <= {label for name, _ in found for label in BY_SERIES[name].labels} | FROM_PROMETHEUS
    assert expression.count("(") == expression.count(")")


def anchors(page: Path) -> set[str]:
    """Anchors of a page's headings, as a forge makes them."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_an_alert_asks_for_what_there_is_and_says_what_to_do(rule: dict[str, Any]):
    assert set(rule) <= {"alert", "expr", "for", "labels", "annotations"}
    assert re.fullmatch(r"Clindex[A-Z][A-Za-z]+", rule["alert"])
    assert_known(rule["expr"])
    assert rule["labels"]["severity"] in ("critical", "warning")
    assert set(rule["annotations"]) == {"summary", "action", "docs"}
    named = {label for words in rule["annotations"].values() for label in re.findall(r"\$labels\.(\w+)", words)}
    assert named <= {label for name, _ in asked(rule["expr"]) for label in BY_SERIES[name].labels} | FROM_PROMETHEUS
    page, _, anchor = rule["annotations"]["docs"].partition("#")
    assert anchor in anchors(ROOT / page)


def test_no_alert_is_named_twice_and_each_is_shown_to_fire():
    names = [rule["alert"] for rule in RULES]
    assert len(set(names)) == len(names)
    assert {f"{name} fires" for name in names} <= {test["name"] for test in TESTS}


@pytest.mark.parametrize("test", TESTS, ids=lambda test: test["name"])
def test_figures_in_tests_of_alerts_are_those_that_there_are(test: dict[str, Any]):
    for row in test["input_series"]:
        assert_known(row["series"])


@pytest.mark.skipif(PROMTOOL is None, reason="Prometheus' own tool is not installed")
@pytest.mark.parametrize("command", [["check", "rules", "alerts.yml"], ["test", "rules", "alerts.test.yml"]], ids=lambda one: one[0])
def test_prometheus_takes_the_rules(command: list[str]):
    done = subprocess.run([str(PROMTOOL), *command], cwd=FOLDER, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(PROMTOOL is None, reason="Prometheus' own tool is not installed")
def test_prometheus_takes_the_expressions_of_panels(tmp_path: Path):
    written = [target["expr"] for panel in PANELS for target in panel["targets"]]
    plain = [expr.replace("$__rate_interval", "5m").replace("$instance", ".*") for expr in written]
    rules = [{"record": f"panel:expression:{number}", "expr": expr} for number, expr in enumerate(plain)]
    (tmp_path / "panels.yml").write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}), encoding="utf-8")
    done = subprocess.run([str(PROMTOOL), "check", "rules", "panels.yml"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel["title"])
def test_a_panel_asks_for_what_there_is_with_title_and_unit(panel: dict[str, Any]):
    assert panel["title"]
    assert panel["description"].endswith(".")
    unit = panel["fieldConfig"]["defaults"]["unit"]
    for target in panel["targets"]:
        assert target["legendFormat"]
        assert_known(target["expr"])
        shown = set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
        assert shown <= {label for name, _ in asked(target["expr"]) for label in BY_SERIES[name].labels} | FROM_PROMETHEUS
        of = {BY_SERIES[name].unit for name, _ in asked(target["expr"])}
        divided = " / " in target["expr"]
        expected = "percentunit" if divided or of == {"1"} else "s" if of == {"s"} else None
        assert expected is None or unit == expected


def test_every_figure_of_the_home_and_the_service_is_on_the_dashboard():
    shown = {name for panel in PANELS for target in panel["targets"] for name, _ in asked(target["expr"])}
    drawn = {BY_SERIES[name].name for name in shown}
    elsewhere = {"clindex_home_up", "clindex_runs_running", "clindex_run_last_end_timestamp_seconds"}
    assert {one.name for one in (*catalog.HOME, *catalog.SERVICE)} - drawn == elsewhere


def test_panels_have_ids_and_places_of_their_own():
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(set(ids)) == len(ids)
    cells = [
        (x, y)
        for panel in DASHBOARD["panels"]
        for place in [panel["gridPos"]]
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]
    assert len(set(cells)) == len(cells)
    assert max(x for x, _ in cells) < 24


def test_the_dashboard_names_no_server_of_anybody():
    assert {one["name"] for one in DASHBOARD["templating"]["list"]} == {"datasource", "instance"}
    assert "http" not in json.dumps(DASHBOARD)
