"""``make bench``: every benchmark of the main job on the sample corpus, or on a file of studies.

python -m bench [--from studies.jsonl.gz] [--points 100000]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path


def main() -> int:
    """Run each benchmark in a process of its own; what they print are JSON objects."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--from", dest="source", type=Path, default=Path("samples/trials"))
    parser.add_argument("--points", default="100000")
    parser.add_argument("--kills", default="5")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as models:
        source = ["--from", str(options.source), "--models", models]
        runs = {
            "ratio": [*source, "--rounds", "3"],
            "unchanged": source,
            "kill": [*source, "--kills", options.kills],
            "gate": [],
            "reindex": ["--points", options.points, "--models", models],
            "reconcile": ["--points", options.points, "--models", models],
        }
        failed = 0
        for name, arguments in runs.items():
            print(f"== {name}", flush=True)
            failed |= subprocess.run([sys.executable, "-m", f"bench.{name}", *arguments], check=False).returncode
    return failed


if __name__ == "__main__":
    sys.exit(main())
