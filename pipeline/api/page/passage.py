"""Texts cut for the templates: what matched apart from what did not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pipeline.search.cite.matched import Wanted, matched
from pipeline.search.request import Hit, MatchedTerm

Piece = tuple[str, bool]


def pieces_of(hit: Hit) -> list[Piece]:
    """Return a hit's text in pieces, each with whether it matched."""
    return pieces(hit.text, hit.why.terms if hit.why else ())


def pieces_found(text: str, wanted: Wanted) -> list[Piece]:
    """Return another text in pieces, by the same wordings."""
    return pieces(text, matched(wanted, text))


def pieces(text: str, terms: Iterable[MatchedTerm]) -> list[Piece]:
    """Return a text in pieces that make it up again, whatever the places are."""
    cut: list[Piece] = []
    done = 0
    for start, end in _apart([place for term in terms for place in term.places], len(text)):
        cut += [(text[done:start], False), (text[start:end], True)]
        done = end
    cut.append((text[done:], False))
    return [piece for piece in cut if piece[0]]


def _apart(places: Sequence[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    """Return the ranges in order, none over another or beyond the text."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if 0 <= start < end <= length and (not found or start >= found[-1][1]):
            found.append((start, end))
    return found
