"""Checks, offline and read-only, that the lock files satisfy pyproject.toml and belong to it.

``scripts/check_lock.py`` checks both; ``--stamp PINS`` prints a file of pins with the header that a lock carries.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXTRAS_OF = {"requirements.lock": ("airflow", "dev"), "requirements-image.lock": ("airflow", "image")}
_DIGEST_LINE = re.compile(r"^# inputs: ([0-9a-f]{64})$", re.MULTILINE)
_PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;]+)", re.MULTILINE)


def inputs_digest(root: Path) -> str:
    """Return the sha256 of everything that decides what is pinned."""
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    inputs = {
        "python": project["requires-python"],
        "dependencies": project["dependencies"],
        "extras": project["optional-dependencies"],
        "constraints": (root / "scripts" / "lock-constraints.txt").read_text(),
    }
    return hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()


def stamped(pins: str, root: Path) -> str:
    """Return pins with the header that says where they come from."""
    header = (
        "# Exact versions of everything that is installed. Written by `make lock` from pyproject.toml; do not edit.\n"
        "# No hashes: a CPU build of torch differs from place to place (docs/decisions/0001-dependencies.md).\n"
        f"# inputs: {inputs_digest(root)}\n"
    )
    return header + pins


def problems(lock: Path, extras: tuple[str, ...], root: Path) -> list[str]:
    """Return what is wrong with a lock file, in words; an empty list means that it is in sync."""
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    text = lock.read_text()
    found = []
    digest = _DIGEST_LINE.search(text)
    if digest is None or digest[1] != inputs_digest(root):
        found.append("was not made from the present pyproject.toml and scripts/lock-constraints.txt")
    pins = {canonicalize_name(name): version for name, version in _PIN.findall(text)}
    found += [f"pins {name}, which belongs to a CUDA build" for name in pins if name.startswith(("nvidia-", "cuda-", "triton"))]
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *(line for extra in extras for line in project["optional-dependencies"][extra])]
    for line in wanted:
        requirement = Requirement(line)
        version = pins.get(canonicalize_name(requirement.name))
        if version is None:
            found.append(f"does not pin {requirement.name}")
        elif not requirement.specifier.contains(version, prereleases=True):
            found.append(f"pins {requirement.name}=={version}, pyproject.toml asks for {requirement.specifier}")
    return found


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stamp", type=Path, metavar="PINS")
    stamp: Path | None = parser.parse_args().stamp
    if stamp is not None:
        sys.stdout.write(stamped(stamp.read_text(), ROOT))
        return 0
    lines = [f"{name} {problem}" for name, extras in EXTRAS_OF.items() for problem in problems(ROOT / name, extras, ROOT)]
    sys.stdout.writelines(f"{line}: run `make lock`\n" for line in lines)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
