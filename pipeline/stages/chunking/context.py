"""Shortens a parent to what its children need to be understood: its first sentence or clause."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from pipeline.domain.ports import TokenCounter
from pipeline.stages.chunking.sentences import sentence_ends

_CLAUSE: Final = re.compile(r"[,;:—](?=\s)|\s[–-](?=\s)|(?=\s\()")
_END: Final = " \t\n:：;,.-–—"
_LEAD_IN_END: Final = re.compile(
    r"(?:[:：]\s*[-–—]?|\b(?:the following|as follows|following (?:criteria|conditions?)|(?:any|all|one|none|either) of(?: the)?|below|either|includes?|including))\s*[-–—]?\Z",
    re.IGNORECASE,
)
_TAIL_JOIN: Final = " … "
# A clause shorter than this says too little; then the words up to the limit are kept.
_MIN_CLAUSE: Final = 30


@dataclass(frozen=True, slots=True)
class Prefix:
    """A parent as its children carry it. ``whole``: nothing of the parent was left out."""

    text: str = field(repr=False)
    whole: bool


def is_lead_in(text: str) -> bool:
    """Whether a text only opens the list after it."""
    return _LEAD_IN_END.search(text.rstrip()) is not None


def abbreviate(text: str, tokens: TokenCounter, *, characters: int, max_tokens: int) -> Prefix:
    """Shorten a parent to at most ``characters`` characters and ``max_tokens`` tokens.

    A lead-in that is too long keeps, after its first sentence, the clause that opens the list where both fit: the negation is there.
    """
    stripped = text.strip()
    bare = stripped.rstrip(_END) or stripped

    def fits(candidate: str) -> bool:
        return len(candidate) <= characters and tokens.count(candidate) <= max_tokens

    if fits(bare) and (is_lead_in(stripped) or len(sentence_ends(bare)) <= 1):
        return Prefix(bare, whole=True)
    ends = sentence_ends(bare)
    first = bare[: ends[0]].rstrip(_END) if ends else bare
    last = bare[ends[-2] :].strip() if len(ends) > 1 else ""
    if is_lead_in(stripped) and last and fits(first + _TAIL_JOIN + last):
        return Prefix(first + _TAIL_JOIN + last, whole=False)
    if fits(first):
        return Prefix(first, whole=False)
    return Prefix(_clause(first, fits_at=lambda end: fits(first[:end].rstrip(_END)), limit=characters), whole=False)


def _clause(text: str, *, fits_at: Callable[[int], bool], limit: int) -> str:
    """Return the longest run of clauses, else of words, that fits."""
    cuts = [match.start() for match in _CLAUSE.finditer(text[: limit + 1]) if match.start() >= _MIN_CLAUSE]
    words = [match.start() for match in re.finditer(r"\s", text[: limit + 1])]
    for cut in [*reversed(cuts), *reversed(words)]:
        if fits_at(cut) and text[:cut].rstrip(_END):
            return text[:cut].rstrip(_END)
    end = min(len(text), limit)
    while end > 1 and not fits_at(end):
        end //= 2
    return text[:end].rstrip(_END) or text[:1]
