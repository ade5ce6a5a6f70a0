"""Cuts a passage that is over the model's window at the best boundary there is: sentence, clause, word."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pipeline.domain.ports import TokenCounter
from pipeline.stages.chunking.passage import Passage, Word

# How good a place after a word is to cut, best first. A cut inside an enumeration is better than one inside a clause.
_BOUNDARIES: Final[tuple[Callable[[str], bool], ...]] = (
    lambda word: word.rstrip(")\"'”’]").endswith((".", "!", "?", "。", "；", ";")) and len(word) > 2,
    lambda word: word.endswith((",", ":", ")", "]", "，", "、")) or word in {"–", "—"},
)
# A cut in the first half of what fits would make more pieces than needed.
_EARLIEST_SHARE: Final = 0.5


def split(passage: Passage, tokens: TokenCounter, *, limit: int, text_of: Callable[[Passage], str]) -> list[Passage]:
    """Cut ``passage`` into pieces of which none is over ``limit`` tokens.

    Args:
        passage: What is to be cut; one word remains whole only if it fits.
        tokens: The model's counter.
        limit: Most tokens of a piece as ``text_of`` writes it.
        text_of: The text that a piece will be embedded as (with its context).

    Returns:
        Pieces in order; each has at least one word.
    """
    pieces: list[Passage] = []
    words = passage.words
    costs = [_cost(passage, word, tokens) for word in words]
    fixed = tokens.count(text_of(passage.part(0, 1))) - costs[0]
    start = 0
    while start < len(words):
        end = _estimate(costs, start, limit - fixed)
        while end - start > 1 and tokens.count(text_of(passage.part(start, end))) > limit:
            end = start + max(1, (end - start) * 9 // 10)
        if end < len(words):
            end = _best_cut(passage, start, end)
        piece = passage.part(start, end)
        if end - start == 1 and tokens.count(text_of(piece)) > limit:
            pieces += _halves(piece, tokens, limit=limit, text_of=text_of)
        else:
            pieces.append(piece)
        start = end
    return pieces


def _cost(passage: Passage, word: Word, tokens: TokenCounter) -> int:
    return tokens.count(passage.folded.text[word.start : word.end]) - tokens.count("")


def _estimate(costs: list[int], start: int, budget: int) -> int:
    """Return the end of the longest run of words that should fit; tokens of words add up in word-piece models."""
    end = start
    while end < len(costs) and budget >= costs[end]:
        budget -= costs[end]
        end += 1
    return max(end, start + 1)


def _best_cut(passage: Passage, start: int, end: int) -> int:
    earliest = start + max(1, int((end - start) * _EARLIEST_SHARE))
    source = passage.folded.text
    for is_boundary in _BOUNDARIES:
        for cut in range(end, earliest - 1, -1):
            word = passage.words[cut - 1]
            following = passage.words[cut].before if cut < len(passage.words) else " "
            if following and (following == "\n" or is_boundary(source[word.start : word.end])):
                return cut
    return end


def _halves(piece: Passage, tokens: TokenCounter, *, limit: int, text_of: Callable[[Passage], str]) -> list[Passage]:
    """Cut one word that does not fit into characters; a single character stays whole, whatever it counts."""
    pending = [piece]
    done: list[Passage] = []
    while pending:
        current = pending.pop()
        word = current.words[0]
        if word.end - word.start == 1 or tokens.count(text_of(current)) <= limit:
            done.append(current)
            continue
        middle = (word.start + word.end) // 2
        pending.append(Passage(current.folded, (Word(middle, word.end, ""),)))
        pending.append(Passage(current.folded, (Word(word.start, middle, word.before),)))
    return done
