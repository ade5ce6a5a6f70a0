"""A model's reply in, its claims with the passages that each cites out."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from pipeline.stages.chunking.sentences import sentence_ends

_CITES: Final = re.compile(r"\s*\[\s*P?\d{1,3}(?:\s*[,;]\s*P?\d{1,3})*\s*\]", re.IGNORECASE)
_NUMBER: Final = re.compile(r"\d+")
_LEADING: Final = re.compile(rf"(?:{_CITES.pattern})+\s*[.!?]?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of a reply, without its marks. ``cited``: numbers of passages, in order, each once."""

    text: str = field(repr=False)
    cited: tuple[int, ...]


def claims_of(reply: str) -> list[Claim]:
    """Return the claims of a reply. Marks after a full stop belong to the sentence before it."""
    found: list[Claim] = []
    for line in reply.splitlines():
        start = 0
        for end in sentence_ends(line):
            piece, start = line[start:end].strip(), end
            leading = _LEADING.match(piece)
            if leading and found:
                found[-1] = Claim(found[-1].text, _joined(found[-1].cited, _numbers(leading.group())))
                piece = piece[leading.end() :].strip()
            text = _CITES.sub("", piece).strip()
            if any(sign.isalnum() for sign in text):
                found.append(Claim(text, _joined((), tuple(n for mark in _CITES.findall(piece) for n in _numbers(mark)))))
    return found


def _numbers(mark: str) -> tuple[int, ...]:
    return tuple(int(number) for number in _NUMBER.findall(mark))


def _joined(before: tuple[int, ...], more: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(dict.fromkeys((*before, *more)))
