"""What tracked files may not hold, and what documents must."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

MACHINE_PATH = re.compile(r"(?<![A-Za-z0-9_.$}/~*])/(?:work|root|farm|Users|home/(?!clindex\b)[a-z]+|tmp/w)/")
# Written in parts, so that this file passes its own test.
REGISTRY_HOSTS = re.compile(
    "|".join(("pypi" + r"\.org", "pythonhosted" + r"\.org", "npmjs" + r"\.(?:org|com)", "pytorch" + r"\.org/whl", "deb" + r"\.debian\.org"))
)
SECRET = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY|(?:AKIA|ASIA)[A-Z0-9]{16}|gh[pousr]_[A-Za-z0-9]{36}")
MAX_FILE_BYTES = 1024 * 1024


def tracked(root: Path) -> list[Path]:
    done = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip("no git repository here")
    return [root / name for name in done.stdout.split("\0") if name and (root / name).is_file()]


def texts(root: Path) -> dict[str, str]:
    return {str(file.relative_to(root)): file.read_bytes().decode("utf-8", "replace") for file in tracked(root)}


@pytest.mark.parametrize("pattern", [MACHINE_PATH, REGISTRY_HOSTS, SECRET], ids=["path of one machine", "registry host", "secret"])
def test_no_tracked_file_holds(root, pattern):
    found = {name: match[0] for name, text in texts(root).items() if (match := pattern.search(text))}
    assert found == {}


@pytest.mark.parametrize(
    ("text", "found"), [("see /ro" + "ot/x", True), ("cd /wo" + "rk/main", True), ("a/work/b", False), ("https://x.example/work/1", False)]
)
def test_a_path_of_one_machine_is_recognised(text, found):
    assert bool(MACHINE_PATH.search(text)) is found


def test_no_tracked_file_is_larger_than_1_mib(root):
    assert [str(file.relative_to(root)) for file in tracked(root) if file.stat().st_size > MAX_FILE_BYTES] == []


def test_no_secret_and_no_home_is_tracked(root):
    assert [file for file in tracked(root) if file.relative_to(root).parts[0] in {"secrets", ".clindex", ".airflow", ".venv"}] == []


def test_every_decision_is_listed(root):
    folder = root / "docs" / "decisions"
    listed = set(re.findall(r"\]\((\d{4}-[a-z0-9-]+\.md)\)", (folder / "README.md").read_text()))
    written = {file.name for file in folder.glob("*.md")} - {"README.md"}
    assert written
    assert listed == written


def test_every_decision_carries_its_number(root):
    for file in (root / "docs" / "decisions").glob("[0-9]*.md"):
        assert file.read_text().startswith(f"# {file.name[:4]} "), file.name


def test_every_decision_that_code_names_is_written(root):
    written = {file.name[:4] for file in (root / "docs" / "decisions").glob("[0-9]*.md")}
    named = {number for file in tracked(root) if file.suffix == ".py" for number in re.findall(r"decision (\d{4})", file.read_text())}
    assert named <= written


def test_changelog_has_a_place_for_the_next_change(root):
    assert "## Unreleased" in (root / "CHANGELOG.md").read_text()


def test_relative_links_in_documents_lead_somewhere(root):
    broken = []
    for file in tracked(root):
        if file.suffix != ".md":
            continue
        for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", file.read_text()):
            if not (file.parent / target).exists():
                broken.append(f"{file.relative_to(root)}: {target}")
    assert broken == []


def test_every_dependency_has_its_reason(root):
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    lines = [*project["dependencies"], *(line for extra in project["optional-dependencies"].values() for line in extra)]
    names = {re.match(r"[A-Za-z0-9._-]+", line)[0] for line in lines}
    text = (root / "docs" / "decisions" / "0001-dependencies.md").read_text()
    assert sorted(name for name in names if f"`{name}`" not in text) == []
