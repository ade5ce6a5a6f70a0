"""Compares what was read with what was printed: errors by character, and each dose or value right, flagged, or silently wrong."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from rapidfuzz.distance import Levenshtein, Opcodes

from bench.ocr.make import Page
from pipeline.stages.extract.content import PageContent, Word

# Signs that are printed alike or mean the same: one Greek mu, one dash, one bullet.
_SAME = str.maketrans({"\u03bc": "µ", "–": "-", "—": "-", "−": "-", "’": "'", "‘": "'", "“": '"', "”": '"'})


@dataclass(slots=True)
class Score:
    """Counts over pages. ``silent``: what was printed and what was read, with how often."""

    pages: int = 0
    characters: int = 0
    edits: int = 0
    facts: int = 0
    right: int = 0
    right_flagged: int = 0
    wrong_flagged: int = 0
    missing: int = 0  # nothing was read where it stands
    silent: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, page: Page, read: PageContent) -> None:
        """Count one page."""
        words = [word for block in read.blocks for line in block.lines for word in line.words]
        printed = page.text.translate(_SAME)
        said = " ".join(word.text for word in words).translate(_SAME)
        self.pages += 1
        self.characters += len(printed)
        operations = Levenshtein.opcodes(printed, said)
        self.edits += Levenshtein.distance(printed, said)
        places = _places(operations, len(printed))
        starts = _starts(words)
        for start, end in page.facts:
            self._fact(printed[start:end], words, starts, (places[start], places[end - 1] + 1))

    def _fact(self, printed: str, words: list[Word], starts: list[int], stretch: tuple[int, int]) -> None:
        self.facts += 1
        touched = [word for word, at in zip(words, starts, strict=True) if at < stretch[1] and stretch[0] < at + len(word.text)]
        read = "".join(word.text for word in touched).translate(_SAME)
        flagged = any(word.suspect for word in touched)
        if _bare(read) == _bare(printed):
            self.right += 1
            self.right_flagged += flagged
        elif not touched:
            self.missing += 1
        elif flagged:
            self.wrong_flagged += 1
        else:
            self.silent[printed, " ".join(word.text for word in touched)] += 1


def _bare(text: str) -> str:
    """Return a fact without blanks and the brackets, stops and stars of its sentence."""
    return re.sub(r"\s", "", text).strip(".,;:()*")


def _places(operations: Opcodes, length: int) -> list[int]:
    """Return for each printed sign the place in the read text that it fell on."""
    places = [0] * length
    for one in operations:
        for offset in range(one.src_end - one.src_start):
            places[one.src_start + offset] = min(one.dest_start + offset, max(one.dest_end - 1, one.dest_start))
    return places


def _starts(words: list[Word]) -> list[int]:
    starts, at = [], 0
    for word in words:
        starts.append(at)
        at += len(word.text) + 1
    return starts
