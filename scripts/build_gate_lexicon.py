"""Writes the gate's word lists from two packages: ``python scripts/build_gate_lexicon.py`` (needs ``names`` and ``wordfreq``).

A name is told from a word by one number: how many of a million people bear it (US Census 1990, as ``names`` carries it), divided by how
often it stands among a million words of English (``wordfreq``, large list). ``smith`` has 130, ``brown`` 60, ``may`` 0.8, ``day`` 0.6.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import names
import wordfreq

FOLDER: Final = Path(__file__).parent.parent / "pipeline" / "stages" / "deidentify" / "gate" / "lexicon"
SURE: Final = 10.0  # a word that is far more often a name: "grace" 40, "dean" 12; below it "young" 7, "hope" 3, "park" 1
POSSIBLE: Final = 0.3  # a word that may be a name beside a sure one: "will", "may", "day"
RAREST: Final = 0.0005  # per cent; the census rounds the rarest to 0.000 or 0.001
ORDINARY: Final = 3e-6  # of all words: about 15,000; "cardiology" 1.1e-6 is below, "diabetes" 2e-5 above
FIRST_SOURCES: Final = ("dist.female.first", "dist.male.first")
LAST_SOURCES: Final = ("dist.all.last",)
HEAD: Final = (
    "# {what}. Made by scripts/build_gate_lexicon.py from the packages names (MIT; US Census 1990, public domain) and wordfreq (Apache-2.0;\n"
    "# its word list CC BY-SA 4.0). A question mark: as much a word as a name.\n"
)


def people(sources: tuple[str, ...]) -> dict[str, float]:
    """Return people with each name per million."""
    found: dict[str, float] = {}
    for source in sources:
        for line in (Path(names.__file__).parent / source).read_text("ascii").splitlines():
            name, share, *_ = line.split()
            found[name.lower()] = found.get(name.lower(), 0.0) + max(float(share), RAREST) * 1e4
    return found


def main() -> int:
    """Write the lists."""
    FOLDER.mkdir(exist_ok=True)
    words = {
        word: share for word, share in wordfreq.get_frequency_dict("en", wordlist="large").items() if word.isascii() and word.isalpha()
    }
    sure: set[str] = set()
    for file, what, sources in (("first_names", "Given names", FIRST_SOURCES), ("last_names", "Family names", LAST_SOURCES)):
        rows = []
        for name, per_million in people(sources).items():
            ratio = per_million / (words.get(name, 1e-8) * 1e6)
            if ratio >= SURE and len(name) > 1:
                sure.add(name)
                rows.append(name)
            elif ratio >= POSSIBLE and len(name) > 1:
                rows.append(f"{name}?")
        (FOLDER / f"{file}.txt").write_text(HEAD.format(what=what) + "\n".join(sorted(rows)) + "\n", encoding="ascii")
    ordinary = sorted(word for word, share in words.items() if share >= ORDINARY and word not in sure and len(word) > 1)
    (FOLDER / "ordinary_words.txt").write_text(HEAD.format(what="Ordinary words") + "\n".join(ordinary) + "\n", encoding="ascii")
    return 0


if __name__ == "__main__":
    sys.exit(main())
