"""Leaves placeholders alone: what stands for an identifier identifies nobody, so scrubbing scrubbed text changes nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Final

from pipeline.domain.phi import Found

OVER_89: Final = "90+"  # stands for an age over 89 that is written as a number


def placeholder_spans(text: str, placeholders: Iterable[str]) -> list[tuple[int, int]]:
    """Return where placeholders stand in ``text``, in order; half-open."""
    return [match.span() for match in _pattern(frozenset(placeholders)).finditer(text)]


def without_placeholders(text: str, found: Iterable[Found], placeholders: Iterable[str]) -> list[Found]:
    """Return ``found`` without the characters of placeholders in ``text``; what is left of a place must hold a letter or a digit.

    A place that goes over a placeholder (``[NAME] Frost``) is cut, never dropped.
    """
    spans = placeholder_spans(text, placeholders)
    return [piece for each in found for piece in _outside(text, each, spans)] if spans else list(found)


def _outside(text: str, found: Found, spans: list[tuple[int, int]]) -> list[Found]:
    inside = [span for span in spans if span[0] < found.end and found.start < span[1]]
    if not inside:
        return [found]
    edges = [found.start, *(edge for span in inside for edge in span), found.end]
    pieces = [
        (start + len(text[start:end]) - len(text[start:end].lstrip()), end - len(text[start:end]) + len(text[start:end].rstrip()))
        for start, end in zip(edges[::2], edges[1::2], strict=True)
        if start < end and any(map(str.isalnum, text[start:end]))
    ]
    return [Found(start, end, found.category, found.score, found.by) for start, end in pieces]


@cache
def _pattern(placeholders: frozenset[str]) -> re.Pattern[str]:
    literal = sorted((re.escape(each) for each in placeholders), key=len, reverse=True)
    return re.compile("|".join((*literal, rf"(?<![\w.,]){re.escape(OVER_89)}")))
