"""``python -m bench.phi --data FOLDER [--half report] [--engine clindex] [--set asq_phi] [--json]``: labelled sets, engine by engine.

Each engine runs in a process of its own, one after the other, over the same rows in the same order.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.memory import peak_mb
from bench.phi.engines import ENGINES
from bench.phi.labels import CLINICAL
from bench.phi.rows import Row, read_rows
from bench.phi.score import Counts, count, summarise


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--half", choices=("tune", "report", "all"), default="report")
    parser.add_argument("--engine", action="append", choices=tuple(ENGINES))
    parser.add_argument("--set", action="append", dest="sets")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    engines = options.engine or list(ENGINES)
    if options.child:
        rows = [row for row in read_rows(options.data, half=options.half) if not options.sets or row.set in options.sets]
        print(json.dumps(run(engines[0], rows)))
        return 0
    results = {name: _in_child(name, options) for name in engines}
    if options.json:
        print(json.dumps({"half": options.half, "engines": results}))
    else:
        _show(results)
    return 0


def _in_child(name: str, options: argparse.Namespace) -> dict[str, Any]:
    command = [sys.executable, "-m", "bench.phi", "--child", "--engine", name, "--data", str(options.data), "--half", options.half]
    for each in options.sets or ():
        command += ["--set", each]
    print(f"{name} …", file=sys.stderr, flush=True)
    result: dict[str, Any] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return result


def run(name: str, rows: list[Row]) -> dict[str, object]:
    """Run one engine over the rows in this process."""
    find = ENGINES[name]()
    find(Row("warm-up", "0", "Seen by Dr. Alder on 3 May 2024.", (), (), partial=False))
    by_set: dict[str, list[Counts]] = {}
    seconds = 0.0
    for row in rows:
        start = time.perf_counter()
        found = find(row)
        seconds += time.perf_counter() - start
        by_set.setdefault(row.set, []).append(count(row, found))
    clinical = [each for name, counts in by_set.items() if name in CLINICAL for each in counts]
    return {
        "rows": len(rows),
        "seconds": round(seconds, 2),
        "rows_per_second": round(len(rows) / seconds, 1),
        "characters_per_second": round(sum(len(row.text) for row in rows) / seconds),
        "peak_rss_mb": peak_mb(),
        "all_sets": summarise([each for counts in by_set.values() for each in counts]),
        "clinical_sets": summarise(clinical),
        "sets": {name: summarise(counts) for name, counts in by_set.items()},
    }


def _show(results: dict[str, dict[str, Any]]) -> None:
    console = Console(width=150)
    for name, result in results.items():
        console.print(
            f"\n[bold]{name}[/]: {result['rows']} rows, {result['rows_per_second']} rows/s, {result['characters_per_second']} characters/s, "
            f"{result['peak_rss_mb']} MB"
        )
        groups = {"clinical sets": result["clinical_sets"], "all sets": result["all_sets"], **result["sets"]}
        table = Table("set", "direct", "all", "precision", "terms lost", "removed", "recall by class (characters)")
        for group, summary in groups.items():
            recall = summary["recall"]
            table.add_row(
                group,
                *(_cell(recall.get(key)) for key in ("direct", "all")),
                *(_cell(summary[key]) for key in ("precision", "protected_terms_lost", "removed_characters")),
                " ".join(f"{key} {value['value']:.3f}" for key, value in recall.items() if key not in ("direct", "all") and value),
            )
        console.print(table)


def _cell(value: dict[str, float] | None) -> str:
    return f"{value['value']:.3f} [{value['low']:.3f}, {value['high']:.3f}]" if value else "–"


if __name__ == "__main__":
    sys.exit(main())
