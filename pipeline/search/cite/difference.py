"""Two texts in, how alike they are and what differs out, word by word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Final

from pipeline.search.cite.model import Edit

_WORD: Final = re.compile(r"\S+\s*")
_EDITS: Final = {"equal": ("same",), "delete": ("removed",), "insert": ("added",), "replace": ("removed", "added")}


def likeness(old: str, new: str, *, at_least: float = 0.0) -> float:
    """Return 2 · words in common, in order / words of both (0..1); 0 where it is below ``at_least``, often without comparing them."""
    matcher = SequenceMatcher(None, old.split(), new.split(), autojunk=False)
    if matcher.real_quick_ratio() < at_least or matcher.quick_ratio() < at_least:
        return 0.0
    ratio = matcher.ratio()
    return ratio if ratio >= at_least else 0.0


def difference(old: str, new: str) -> list[Edit]:
    """Return runs of words in reading order. Those that are not added make the old text, those not removed the new, but for blanks."""
    before, after = _WORD.findall(old), _WORD.findall(new)
    matcher = SequenceMatcher(None, _bare(before), _bare(after), autojunk=False)
    edits: list[Edit] = []
    for tag, first, last, start, end in matcher.get_opcodes():
        for kind in _EDITS[tag]:
            words = before[first:last] if kind == "removed" else after[start:end]
            edits.append(Edit(kind=kind, text="".join(words)))
    return edits


def _bare(words: Sequence[str]) -> list[str]:
    return [word.rstrip() for word in words]
