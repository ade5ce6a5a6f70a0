"""Files and functions stay small enough to be read in one go."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 60
MAX_DAG_FILE_LINES = 80
FOLDERS = ("pipeline", "dags", "plugins", "scripts", "bench")

# What is longer, with the reason. An entry that is no longer needed fails, so that the list only shrinks.
FILE_DEBT: dict[str, str] = {}
FUNCTION_DEBT: dict[str, str] = {
    "pipeline/storage/migrations/versions/0001_first_schema.py:_design": "a migration's tables, frozen and read as one list",
    "pipeline/storage/migrations/versions/0001_first_schema.py:_index": "a migration's tables, frozen and read as one list",
}


def python_files(root: Path) -> list[Path]:
    return sorted(file for folder in FOLDERS for file in (root / folder).rglob("*.py"))


def length(file: Path) -> int:
    return len(file.read_text().splitlines())


def long_functions(source: str, limit: int) -> dict[str, int]:
    """Names of functions over the limit with their lines, decorators and docstring left out: they explain, they do not run."""
    found = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[1] if ast.get_docstring(node) is not None and len(node.body) > 1 else node.body[0]
            lines = (node.end_lineno or first.lineno) - first.lineno + 1
            if lines > limit:
                found[node.name] = lines
    return found


def test_files_are_at_most_500_lines(root):
    too_long = {str(file.relative_to(root)) for file in python_files(root) if length(file) > MAX_FILE_LINES}
    assert too_long == set(FILE_DEBT)


def test_functions_are_at_most_60_lines(root):
    # A DAG is one function by its nature; its file has a limit of its own.
    files = [file for file in python_files(root) if file.parent.name != "dags"]
    too_long = {f"{file.relative_to(root)}:{name}" for file in files for name in long_functions(file.read_text(), MAX_FUNCTION_LINES)}
    assert too_long == set(FUNCTION_DEBT)


def test_dag_files_only_wire(root):
    too_long = {file.name: length(file) for file in (root / "dags").rglob("*.py") if length(file) > MAX_DAG_FILE_LINES}
    assert too_long == {}


@pytest.mark.parametrize(("lines", "found"), [(60, {}), (61, {"long": 61})])
def test_measures_the_body_without_its_docstring(lines, found):
    body = "\n".join(["    x = 1"] * lines)
    assert long_functions(f'def long():\n    """Says.\n\n    More.\n    """\n{body}\n', MAX_FUNCTION_LINES) == found
