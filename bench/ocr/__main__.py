"""Reads pages made from our own texts: errors by condition, doses and values right, flagged or silently wrong, and speed.

python -m bench.ocr [--json] [--conditions clean,fax] [--timed 12] [--dpi 150,200,300,400] [--second | --third | --held-out]

``--held-out``: other texts, fonts and conditions, that no rule or bound was made on. Do not tune on them. ``--second``, ``--third``: those that were held out
while earlier rules were made, and seen since.

Speed: every ``--timed``-th page through the pool, and the same pages through ``pytesseract.image_to_string`` in a loop in the environment that
it finds. Compare the two of one run only.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from dataclasses import replace

import pytesseract

from bench.ocr.conditions import CONDITIONS, SETS
from bench.ocr.make import Page, dpi_of, pages
from bench.ocr.score import Score
from pipeline.domain.reading import ReadOptions
from pipeline.stages.extract.content import PageContent
from pipeline.stages.extract.ocr.pool import OcrPool

_WIDTH_PT, _HEIGHT_PT = 612.0, 792.0


def main() -> int:
    """Measure and print a table, or one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--conditions", default="", help="parts of their names, with commas between; none: all")
    parser.add_argument("--texts", default="", help="names of texts, with commas between; none: all")
    parser.add_argument("--timed", type=int, default=10, help="every so many pages are timed beside the plain loop; 0: none")
    parser.add_argument("--dpi", default="", help="only the clean pages, at these resolutions")
    parser.add_argument("--held-out", dest="of", action="store_const", const="held_out", default="texts")
    parser.add_argument("--second", dest="of", action="store_const", const="second")
    parser.add_argument("--third", dest="of", action="store_const", const="third")
    options = parser.parse_args()
    chosen = tuple(one for one in SETS[options.of] if any(part in one.name for part in options.conditions.split(",")))
    if options.dpi:
        clean = [one for one in CONDITIONS if one.name.startswith("clean")]
        chosen = tuple(replace(one, name=f"{one.name[:-4]} {dpi}", dpi=int(dpi)) for dpi in options.dpi.split(",") for one in clean)
    names = frozenset(filter(None, options.texts.split(",")))
    made = list(pages(chosen, names, options.of))
    scores: dict[str, Score] = {}
    for page, content in zip(made, read(made), strict=True):
        scores.setdefault(page.condition.name, Score()).add(page, content)
    result = {"pages": len(made), "conditions": {name: _row(score) for name, score in scores.items()}, **_silent(scores)}
    if options.timed:
        result["speed"] = speed(made[:: options.timed])
    print(json.dumps(result, indent=2, ensure_ascii=False) if options.json else _table(result))
    return 0


def read(made: list[Page]) -> list[PageContent]:
    """Read pages as the product does."""
    with OcrPool(ReadOptions()) as pool:
        for number, page in enumerate(made, start=1):
            pool.submit(page.image, number, width_pt=_WIDTH_PT, height_pt=_HEIGHT_PT, dpi=dpi_of(page))
        return pool.rest()


def speed(made: list[Page]) -> dict[str, float]:
    """Return pages a minute of the product and of the plain loop, and their ratio."""
    start = time.monotonic()
    read(made)
    ours = time.monotonic() - start
    limit = os.environ.pop("OMP_THREAD_LIMIT", None)  # the product sets it; the plain loop does not
    start = time.monotonic()
    for page in made:
        pytesseract.image_to_string(page.image)
    plain = time.monotonic() - start
    if limit is not None:
        os.environ["OMP_THREAD_LIMIT"] = limit
    count = 60 * len(made)
    return {"pages": len(made), "pages_a_minute": round(count / ours, 1), "plain": round(count / plain, 1), "ratio": round(plain / ours, 2)}


def _row(score: Score) -> dict[str, float]:
    return {
        "pages": score.pages,
        "error_rate": round(score.edits / score.characters, 4),
        "facts": score.facts,
        "right": score.right,
        "wrong_flagged": score.wrong_flagged,
        "missing": score.missing,
        "silent": sum(score.silent.values()),
        "right_but_flagged": round(score.right_flagged / max(score.right, 1), 4),
    }


def _silent(scores: dict[str, Score]) -> dict[str, object]:
    found: Counter[str] = Counter()
    for name, score in scores.items():
        for (printed, read_as), count in score.silent.items():
            found[f"{printed} -> {read_as} ({name})"] += count
    facts = sum(score.facts for score in scores.values())
    return {"facts": facts, "silent": sum(found.values()), "silent_errors": dict(found.most_common())}


def _table(result: dict[str, object]) -> str:
    lines = [f"{result['pages']} pages, {result['facts']} doses and values, {result['silent']} silent errors"]
    conditions = result["conditions"]
    assert isinstance(conditions, dict)
    lines += [f"{name:24} {' '.join(f'{key}={value}' for key, value in row.items())}" for name, row in conditions.items()]
    errors = result["silent_errors"]
    assert isinstance(errors, dict)
    lines += [f"{count} x {text}" for text, count in errors.items()]
    if "speed" in result:
        lines.append(f"speed {result['speed']}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
