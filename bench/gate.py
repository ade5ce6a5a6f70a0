"""What the gate catches of seeded leaks, and how many clean passages it refuses.

python -m bench.gate [--each 50] [--clean FILE.jsonl[.gz] ...] [--field text] [--characters 800] [--show CLASS]
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pipeline.domain.phi import IdentifierClass
from pipeline.stages.deidentify.gate import suspects
from pipeline.testing.leaks import leaks

ALL = frozenset(IdentifierClass)


def main() -> int:
    """Measure and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=50, help="leaks of each class")
    parser.add_argument("--clean", type=Path, nargs="*", default=[], help="JSON Lines of texts without identifiers")
    parser.add_argument("--field", default="text")
    parser.add_argument("--characters", type=int, default=800, help="length of a passage: about the model's window")
    parser.add_argument("--limit", type=int, default=100_000, help="passages a file")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    caught = {category.value: catch(category, options.each, options.seed) for category in IdentifierClass}
    total = sum(caught.values()) / (options.each * len(caught))
    clean = {path.name: refused(passages(path, options.field, options.characters), options.limit) for path in options.clean}
    print(json.dumps({"each": options.each, "caught": caught, "recall": round(total, 4), "clean": clean}, indent=2))
    return 0


def catch(category: IdentifierClass, count: int, seed: int) -> int:
    """Return how many leaks of a class make the gate refuse their sentence, whatever it takes them for, where they stand."""
    return sum(
        any(found.start < leak.end and leak.start < found.end for found in suspects(leak.text, ALL))
        for leak in leaks(category, count, seed=seed)
    )


def refused(texts: Iterator[str], limit: int) -> dict[str, object]:
    """Return the share of passages that the gate refuses, by class, and its speed."""
    by_class: Counter[str] = Counter()
    count = held = characters = 0
    start = time.monotonic()
    for text in texts:
        if count == limit:
            break
        found = {one.category.value for one in suspects(text, ALL)}
        by_class.update(found)
        held += bool(found)
        count += 1
        characters += len(text)
    seconds = time.monotonic() - start
    return {
        "passages": count,
        "refused": held,
        "share": round(held / max(count, 1), 4),
        "by_class": dict(by_class.most_common()),
        "characters_a_second": round(characters / max(seconds, 1e-9)),
    }


def passages(path: Path, field: str, size: int) -> Iterator[str]:
    """Yield stretches of about ``size`` characters, cut at line ends and sentences."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        for line in lines:
            text = json.loads(line).get(field) or ""
            while text:
                end = len(text) if len(text) <= size else max(text.rfind(". ", 0, size), text.rfind("\n", 0, size), size // 2) + 1
                yield text[:end]
                text = text[end:]


if __name__ == "__main__":
    sys.exit(main())
