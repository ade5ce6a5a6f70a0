"""A DAG file is parsed every few seconds: at its top it imports Airflow's SDK and shared wiring, and nothing that is slow."""

from __future__ import annotations

import ast

import pytest

ALLOWED_AT_TOP = ("__future__", "typing", "datetime", "collections.abc", "pendulum", "airflow.sdk", "airflow.timetables", "clindex_airflow")


def imports_at_top(source: str) -> list[str]:
    names = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names.append(node.module or "")
    return names


def forbidden(source: str) -> list[str]:
    return [
        name
        for name in imports_at_top(source)
        if not any(name == allowed or name.startswith(f"{allowed}.") for allowed in ALLOWED_AT_TOP)
        and not name.startswith("airflow.providers.standard.")
    ]


def test_dag_files_import_only_wiring_at_the_top(root):
    files = sorted((root / "dags").rglob("*.py"))
    assert files
    assert {file.name: found for file in files if (found := forbidden(file.read_text()))} == {}


@pytest.mark.parametrize(
    "line", ["import pipeline.jobs", "from pipeline.jobs import steps", "import torch", "from airflow.models import Variable"]
)
def test_a_slow_or_internal_import_is_found(line):
    assert forbidden(line)


def test_an_import_inside_a_task_is_allowed():
    assert forbidden("def task():\n    from pipeline.jobs import steps\n    return steps\n") == []
