"""Measures how often a study with the opposite sense of a criterion ranks above the one that was asked for.

python -m bench.polarity STUDIES [--most N] [--modes full fused dense sparse] [--out FILE]

STUDIES: files or folders of records of the registry's form. A home of its own is made in a temporary folder; the search asks for criteria alone.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any, Final

from bench.polarity.pairs import Pair, pairs_of
from pipeline.domain.errors import RecordError
from pipeline.jobs.evaluate.intervals import figure_of
from pipeline.jobs.index import run_index
from pipeline.jobs.ingest import ingest
from pipeline.jobs.init import initialise
from pipeline.json_bytes import read_json
from pipeline.search.request import Hit, Mode, SearchRequest
from pipeline.search.search import search
from pipeline.settings import Settings
from pipeline.stages.sources.files import StudyFiles
from pipeline.wiring import Services, open_services, utc_now

LIMIT: Final = 1000  # deep enough that both of a pair are found where either is
_RANKS: Final = ("reciprocal_rank",)
_DIGITS: Final = 6  # of scores: float32 sums differ below that

RIGHT, FLIPPED, TIED, NEITHER = "right first", "flipped first", "tied", "not found"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.polarity", description=__doc__)
    parser.add_argument("studies", nargs="+", type=Path)
    parser.add_argument("--most", type=int, default=40, help="pairs a rule")
    parser.add_argument("--modes", nargs="+", default=[mode.value for mode in Mode])
    parser.add_argument("--out", type=Path)
    told = parser.parse_args()
    studies = [study for path in told.studies for study in load(path)]
    pairs = pairs_of(studies, most=told.most)
    rows = measure(studies, pairs, [Mode(mode) for mode in told.modes])
    print(table(rows))
    if told.out:
        told.out.write_text(json.dumps({"studies": len(studies), "pairs": len(pairs), "rows": rows}, indent=2) + "\n", encoding="utf-8")


def load(path: Path) -> list[dict[str, Any]]:
    """Return the records of a file (JSON, or JSON Lines, gzipped or not) or of a folder of such files."""
    if path.is_dir():
        return [study for one in sorted(path.iterdir()) if one.suffix in (".json", ".jsonl", ".gz") for study in load(one)]
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    try:
        whole = read_json(data)
    except RecordError:
        whole = [read_json(line) for line in data.splitlines() if line.strip()]
    return [study for study in (whole if isinstance(whole, list) else [whole]) if "protocolSection" in study]


def measure(studies: list[dict[str, Any]], pairs: list[Pair], modes: list[Mode]) -> list[dict[str, Any]]:
    """Index studies and their opposites together and ask each pair's query in each mode. Returns a row a rule and mode."""
    with tempfile.TemporaryDirectory() as folder:
        incoming = Path(folder) / "studies.jsonl"
        records = [*studies, *(pair.record for pair in pairs)]
        incoming.write_bytes(b"\n".join(json.dumps(record).encode() for record in records))
        settings = Settings().model_copy(update={"home": Path(folder) / "home"})
        initialise(settings)
        with open_services(settings) as services:
            ingest(services, StudyFiles([incoming], settings))
            run_index(services)
            return [row for mode in modes for row in _of_mode(services, pairs, mode)]


def _of_mode(services: Services, pairs: list[Pair], mode: Mode) -> list[dict[str, Any]]:
    outcomes: dict[str, list[str]] = {}
    for pair in pairs:
        outcome = outcome_of(services, pair, mode)
        outcomes.setdefault(pair.rule, []).append(outcome)
        outcomes.setdefault("all", []).append(outcome)
    return [_row(mode, rule, found) for rule, found in sorted(outcomes.items())]


def outcome_of(services: Services, pair: Pair, mode: Mode) -> str:
    """Return which of a pair ranks first for its query.

    Where both have the same scores of the engine and the same signals but for their ranks, the order of ids parts them: a tie.
    """
    request = SearchRequest(query=pair.query, limit=LIMIT, criteria_only=True, mode=mode)
    hits = {hit.nct_id: hit for hit in search(services, request, today=utc_now().date()).hits}
    right, flipped = hits.get(pair.right), hits.get(pair.flipped)
    if right is None or flipped is None:
        return NEITHER if right is flipped else RIGHT if right else FLIPPED
    if right.score == flipped.score or _seen(right) == _seen(flipped):
        return TIED
    return RIGHT if right.score > flipped.score else FLIPPED


def _seen(hit: Hit) -> tuple[float, ...]:
    signals = (value for name, value in sorted(hit.scores.signals.items()) if name not in _RANKS)
    return tuple(round(value, _DIGITS) for value in (hit.scores.dense or 0.0, hit.scores.sparse or 0.0, *signals))


def _row(mode: Mode, rule: str, outcomes: list[str]) -> dict[str, Any]:
    counts = Counter(outcomes)
    wrong = figure_of([float(one == FLIPPED) for one in outcomes])
    return {
        "mode": mode.value,
        "rule": rule,
        "pairs": len(outcomes),
        **{name: counts[name] for name in (RIGHT, FLIPPED, TIED, NEITHER)},
        "flipped_share": {"value": round(wrong.value, 4), "low": round(wrong.low, 4), "high": round(wrong.high, 4)},
    }


def table(rows: list[dict[str, Any]]) -> str:
    """Return the rows as a table in Markdown."""
    lines = [
        "| mode | rule | pairs | right first | flipped first | tied | not found | flipped share (95 %) |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        share = row["flipped_share"]
        cells = [row["mode"], row["rule"], row["pairs"], row[RIGHT], row[FLIPPED], row[TIED], row[NEITHER]]
        lines.append(f"| {' | '.join(map(str, cells))} | {share['value']:.2f} ({share['low']:.2f} to {share['high']:.2f}) |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
