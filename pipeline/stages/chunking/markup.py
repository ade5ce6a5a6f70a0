r"""Raw text of a part comes in, text as a reader sees it goes out, with a map from each of its characters back to the raw text.

ClinicalTrials.gov v2 sends Markdown with escapes (``\\>``, ``1\\.``, ``\\*``); older exports hold HTML entities. Nothing is normalised
beyond that: NFKC would turn ``10⁹/L`` into ``109/L``.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Final

from pipeline.domain.chunks import Span

# Inline marks of unescaped Markdown, on one line, bounded in length so that 60,000 stars stay linear.
_STRONG: Final = re.compile(r"(?<!\\)(\*\*|__)(?=[^\s*_])([^\n]{1,300}?)(?<![\s\\])\1")
_EMPHASIS: Final = re.compile(r"(?<![\w*\\])(\*)(?=[^\s*])([^*\n]{1,100}?)(?<![\s\\])\*(?![\w*])")
_LINK: Final = re.compile(r"(?<![!\\])\[([^\[\]\n]{1,300})(\]\((?:https?|mailto):[^()\s]{1,500}\))")
_HEADING: Final = re.compile(r"^[ \t]{0,3}(#{1,6})(?=[ \t])", re.MULTILINE)
_FENCE: Final = re.compile(r"^[ \t]{0,3}(```\w{0,20}|~~~)[ \t]*$", re.MULTILINE)

# Changes of single characters: an escape sign goes, an entity becomes its character, what no reader sees becomes a blank or goes.
_TOKEN: Final = re.compile(
    r"(?P<entity>\\?&(?:\#\d{1,7}|\#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,31});)"
    r"|(?P<escape>\\(?=[!-/:-@\[-`{-~]))"
    r"|(?P<surrogate>[\ud800-\udfff])"
    r"|(?P<symbol>[\uf0a3\uf0b3\uf0b1\uf06d\uf0b0\uf0b4\uf03c\uf03e])"
    r"|(?P<control>[\x00-\x08\x0b\x0c\x0d\x0e-\x1f\x7f-\x9f\u2028\u2029])"
    r"|(?P<invisible>[\u00ad\u200b-\u200f\u2060\ufeff]+)"
)
_REPLACEMENT: Final = "\ufffd"
# Word's Symbol font in the private use area (Adobe Symbol encoding): without its sign a threshold says nothing.
SYMBOL_FONT: Final = str.maketrans("\uf0a3\uf0b3\uf0b1\uf06d\uf0b0\uf0b4\uf03c\uf03e", "≤≥±µ°×<>")


@dataclass(frozen=True, slots=True)
class Folded:
    """A part's text without markup.

    Attributes:
        raw: The text as it came.
        text: The text as a reader sees it; line breaks are kept.
        markup: Half-open raw ranges that were taken out, in order.
        escaped: Offsets in ``text`` of characters that an escape sign protected.
        entities: Whether HTML entities were met.
    """

    raw: str = field(repr=False)
    text: str = field(repr=False)
    markup: tuple[tuple[int, int], ...]
    escaped: frozenset[int]
    entities: bool
    _folded: tuple[int, ...] = field(repr=False)  # start of each segment in text …
    _raw: tuple[tuple[int, int], ...] = field(repr=False)  # … and its raw range; equal lengths mean equal text

    def raw_span(self, start: int, end: int) -> Span:
        """Return the raw span of the non-empty range ``start:end`` of ``text``."""
        return Span(self._raw_start(start), self._raw_end(end))

    def _raw_start(self, offset: int) -> int:
        index = bisect_right(self._folded, offset) - 1
        start, end = self._raw[index]
        return start if self._is_swap(index) else min(start + offset - self._folded[index], end)

    def _raw_end(self, offset: int) -> int:
        index = bisect_right(self._folded, offset - 1) - 1
        start, end = self._raw[index]
        return end if self._is_swap(index) else start + offset - self._folded[index]

    def _is_swap(self, index: int) -> bool:
        start, end = self._raw[index]
        following = self._folded[index + 1] if index + 1 < len(self._folded) else len(self.text)
        return end - start != following - self._folded[index]


def fold(raw: str) -> Folded:
    """Take the markup out of ``raw``."""
    changes = sorted(_inline_cuts(raw) + _token_changes(raw))
    pieces: list[str] = []
    folded: list[int] = []
    ranges: list[tuple[int, int]] = []
    markup: list[tuple[int, int]] = []
    escaped: set[int] = set()
    length = done = 0

    def keep(text: str, start: int, end: int) -> None:
        nonlocal length
        if text:
            pieces.append(text)
            folded.append(length)
            ranges.append((start, end))
            length += len(text)

    for start, end, replacement in changes:
        if start < done:  # inside a mark that went already
            continue
        keep(raw[done:start], done, start)
        if replacement:
            keep(replacement, start, end)
        else:
            markup.append((start, end))
            if raw[start] == "\\":
                escaped.add(length)
        done = end
    keep(raw[done:], done, len(raw))
    entities = any(replacement and raw[start] == "&" for start, _, replacement in changes)
    return Folded(raw, "".join(pieces), tuple(markup), frozenset(escaped), entities, tuple(folded), tuple(ranges))


def _inline_cuts(raw: str) -> list[tuple[int, int, str]]:
    cuts: list[tuple[int, int, str]] = []
    for pattern in (_STRONG, _EMPHASIS):
        for match in pattern.finditer(raw):
            width = len(match.group(1))
            cuts += ((match.start(), match.start() + width, ""), (match.end() - width, match.end(), ""))
    for match in _LINK.finditer(raw):
        cuts += ((match.start(), match.start() + 1, ""), (*match.span(2), ""))
    for pattern in (_HEADING, _FENCE):
        cuts += [(*match.span(1), "") for match in pattern.finditer(raw)]
    return cuts


def _token_changes(raw: str) -> list[tuple[int, int, str]]:
    changes: list[tuple[int, int, str]] = []
    for match in _TOKEN.finditer(raw):
        kind = match.lastgroup
        replacement = ""
        if kind == "entity":
            entity = match.group().removeprefix("\\")
            replacement = html.unescape(entity).translate(SYMBOL_FONT)
            if replacement.isspace():
                replacement = " "
            if len(replacement) != 1:  # a pair of code points could be cut in two; registry texts hold none
                replacement = entity
            first = match.end() - len(entity)
            if first > match.start():
                changes.append((match.start(), first, ""))
            if replacement != entity:
                changes.append((first, match.end(), replacement))
            continue
        if kind == "surrogate":
            replacement = _REPLACEMENT
        elif kind == "symbol":
            replacement = match.group().translate(SYMBOL_FONT)
        elif kind == "control":
            replacement = " "
        changes.append((*match.span(), replacement))
    return changes
