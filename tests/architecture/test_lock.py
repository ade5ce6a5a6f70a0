"""The locks belong to pyproject.toml, and a lock that does not is found."""

from __future__ import annotations

import runpy
import shutil

import pytest


@pytest.fixture
def check_lock(root):
    return runpy.run_path(str(root / "scripts" / "check_lock.py"))


@pytest.fixture
def copy(root, tmp_path):
    (tmp_path / "scripts").mkdir()
    for name in ("pyproject.toml", "requirements.lock", "requirements-image.lock", "scripts/lock-constraints.txt"):
        shutil.copy(root / name, tmp_path / name)
    return tmp_path


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-image.lock"])
def test_lock_is_in_sync(root, check_lock, name):
    assert check_lock["problems"](root / name, check_lock["EXTRAS_OF"][name], root) == []


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        ('"orjson>=3.10"', '"orjson>=99"', "orjson=="),
        ('"orjson>=3.10",', '"orjson>=3.10", "no-such-package-9",', "does not pin no-such-package-9"),
        ('requires-python = ">=3.11"', 'requires-python = ">=3.12"', "was not made from"),
    ],
)
def test_a_changed_requirement_is_found(copy, check_lock, before, after, problem):
    project = copy / "pyproject.toml"
    text = project.read_text()
    assert before in text
    project.write_text(text.replace(before, after))
    found = check_lock["problems"](copy / "requirements.lock", ("airflow", "dev"), copy)
    assert any(problem in line for line in found), found


def test_a_cuda_package_is_found(copy, check_lock):
    lock = copy / "requirements.lock"
    lock.write_text(f"{lock.read_text()}nvidia-cublas==13.4\n")
    assert check_lock["problems"](lock, ("airflow", "dev"), copy) == ["pins nvidia-cublas, which belongs to a CUDA build"]


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-image.lock"])
def test_lock_pins_exactly_and_names_no_place(root, name):
    lines = [line.split(" #")[0].split(";")[0].strip() for line in (root / name).read_text().splitlines() if not line.startswith("#")]
    assert [line for line in lines if line and "==" not in line] == []
    assert [line for line in lines if "+" in line or "://" in line] == []
