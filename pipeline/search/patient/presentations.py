"""What the findings of a description point to where it names no diagnosis: rows of ``presentations.txt``, matched word by word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

from pipeline.search.patient.sentences import affirmed

_WORD: Final = re.compile(r"[a-z0-9]+")
_CHILD, _INFANT, _ELDERLY = 18.0, 3.0, 65.0  # years

#: Rows shown at most: a long history meets several by chance, and each dilutes the query. Measured on the fitted half, see docs/retrieval.md.
MOST: Final = 3


@dataclass(frozen=True, slots=True)
class _Finding:
    phrases: re.Pattern[str] | None  # any of them
    together: tuple[tuple[re.Pattern[str], ...], ...]  # alternatives, each of phrases that must stand in one sentence
    known: frozenset[str]  # of the patient: male, child ...
    required: bool


@dataclass(frozen=True, slots=True)
class Presentation:
    """A row: what it is called, and how many of which findings make it."""

    names: tuple[str, ...]
    needed: int
    findings: tuple[_Finding, ...]


_KNOWN: Final = frozenset({"male", "female", "child", "infant", "elderly"})


def _phrase(words: str) -> str:
    parts = [re.escape(word.removesuffix("~")) + ("[a-z0-9]*" if word.endswith("~") else "(?:s|es)?") for word in words.split()]
    return r"\b" + " ".join(parts) + r"\b"


def _finding(text: str) -> _Finding:
    required, text = text.startswith("!"), text.removeprefix("!")
    alternatives = [one.strip() for one in text.split(" / ")]
    known = frozenset(one for one in alternatives if one in _KNOWN)
    phrases = [_phrase(one) for one in alternatives if one not in known and " + " not in one]
    together = tuple(tuple(re.compile(_phrase(part)) for part in one.split(" + ")) for one in alternatives if " + " in one)
    return _Finding(re.compile("|".join(phrases)) if phrases else None, together, known, required)


def parse_row(row: str) -> Presentation:
    """Return what a row of the file says.

    Raises:
        ValueError: It has another form, or asks for more findings than it has.
    """
    names, rest = row.split(" = ", 1)
    needed, findings = rest.split(" : ", 1)
    parsed = tuple(_finding(one.strip()) for one in findings.split(", "))
    if not 0 < int(needed) <= len(parsed):
        raise ValueError(f"{names}: needs {needed} of {len(parsed)} findings")
    return Presentation(tuple(name.strip() for name in names.split(";")), int(needed), parsed)


@cache
def presentations() -> tuple[Presentation, ...]:
    """Return the rows that the package carries."""
    text = resources.files("pipeline.search.patient").joinpath("presentations.txt").read_text("utf-8")
    return tuple(parse_row(line) for line in text.splitlines() if line.strip() and not line.startswith("#"))


def suspected(sentences: Sequence[str], *, age_years: float | None, sex: str | None) -> list[tuple[str, ...]]:
    """Return the names of the presentations that a description fits, the fullest first, at most ``MOST``.

    Args:
        sentences: Of the description, relatives' left in (a family history is a finding).
        age_years: Of the patient.
        sex: Likewise.
    """
    texts = [" ".join(_WORD.findall(affirmed(sentence).lower())) for sentence in sentences]
    known = _known(age_years, sex)
    fits = []
    for number, row in enumerate(presentations()):
        seen = [_seen(finding, texts, known) for finding in row.findings]
        if all(found or not finding.required for found, finding in zip(seen, row.findings, strict=True)) and sum(seen) >= row.needed:
            fits.append((sum(seen) - row.needed + sum(seen) / len(seen), -number, row.names))
    return [names for *_, names in sorted(fits, reverse=True)[:MOST]]


def _known(age_years: float | None, sex: str | None) -> set[str]:
    known = {sex} if sex else set()
    if age_years is not None:
        known |= {
            name
            for name, holds in (("child", age_years < _CHILD), ("infant", age_years < _INFANT), ("elderly", age_years >= _ELDERLY))
            if holds
        }
    return known


def _seen(finding: _Finding, texts: Sequence[str], known: set[str]) -> bool:
    if not finding.known.isdisjoint(known):
        return True
    if finding.phrases is not None and finding.phrases.search("\n".join(texts)):  # no phrase reaches over a line's end
        return True
    return any(all(part.search(text) for part in phrases) for phrases in finding.together for text in texts)
