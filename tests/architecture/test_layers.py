"""The contracts in pyproject.toml hold, and a breach of each kind is found."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

LINT_IMPORTS = Path(sys.executable).parent / "lint-imports"


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [LINT_IMPORTS, "--no-cache"], cwd=folder, env={"PYTHONPATH": str(folder)}, capture_output=True, text=True, check=False
    )


def test_every_contract_is_kept(root):
    done = lint_imports(root)
    assert done.returncode == 0, done.stdout
    assert "0 broken" in done.stdout


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        ("domain/identifiers.py", "import pipeline.settings", "one-way layers"),
        ("storage/engine.py", "import pipeline.jobs", "one-way layers"),
        ("stages/normalize/study.py", "import pipeline.stages.chunking", "stages do not import each other"),
        ("stages/normalize/study.py", "import sqlalchemy", "no Airflow, database or Qdrant inside domain and stages"),
        ("domain/identifiers.py", "import qdrant_client", "no Airflow, database or Qdrant inside domain and stages"),
        ("jobs/index.py", "import airflow", "pipeline never imports Airflow"),
        ("jobs/index.py", "import qdrant_edge", "a vendor's classes appear only in its adapter"),
    ],
)
def test_a_breach_is_found(root, tmp_path, module, line, contract):
    shutil.copytree(root / "pipeline", tmp_path / "pipeline", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(root / "pyproject.toml", tmp_path)
    file = tmp_path / "pipeline" / module
    file.write_text(f"{file.read_text()}\n{line}\n")
    done = lint_imports(tmp_path)
    assert done.returncode != 0
    assert f"{contract} BROKEN" in done.stdout
