"""What is embedded before a chunk's own text: the document's title and the headings around it, as far as they fit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from pipeline.domain.ports import TokenCounter

_WORD: Final = re.compile(r"\S+")
_END: Final = " \t\n:：;,.-–—"
# A heading, or a title, longer than this is cut at a word: its first words tell it from its neighbours.
_ELEMENT_CHARACTERS: Final = 80
_TITLE_SHARE: Final = 2  # the title takes half of the room at most


class Prefixes:
    """Makes prefixes of one document. Every heading is counted once.

    Args:
        title: The document's title, de-identified.
        headings: Every heading that any prefix may name.
        tokens: The model's counter.
        limit: Tokens of a prefix, special ones apart.
    """

    def __init__(self, title: str, headings: Iterable[str], tokens: TokenCounter, *, limit: int) -> None:
        self._limit = limit
        known = {heading: _short(heading) for heading in {title, *headings}}
        texts = sorted(set(known.values()))
        special = tokens.count("")
        counts = dict(zip(texts, (count - special for count in tokens.count_many([f"{text}: " for text in texts])), strict=True))
        self._short = {heading: (short, counts[short]) for heading, short in known.items()}
        self._title = title if title and self._short[title][1] <= max(1, limit // _TITLE_SHARE) else ""

    def of(self, path: Sequence[str]) -> tuple[str, int]:
        """Return title and the nearest headings of ``path``, outermost first, that fit, and what they cost in tokens."""
        room = self._limit
        chosen: list[str] = []
        if self._title:
            room -= self._short[self._title][1]
        for heading in reversed(path):
            short, cost = self._short[heading]
            if not short:
                continue
            if cost > room:
                break
            room -= cost
            chosen.append(short)
        if self._title:
            chosen.append(self._short[self._title][0])
        return "".join(f"{one}: " for one in reversed(chosen)), self._limit - room


def _short(text: str) -> str:
    words = " ".join(match.group() for match in _WORD.finditer(text[: 4 * _ELEMENT_CHARACTERS])).strip(_END)
    if len(words) <= _ELEMENT_CHARACTERS:
        return words
    cut = words.rfind(" ", 0, _ELEMENT_CHARACTERS + 1)
    return words[: cut if cut > 0 else _ELEMENT_CHARACTERS].strip(_END)
