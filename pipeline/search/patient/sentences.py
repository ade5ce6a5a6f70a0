"""A description cut into sentences and clauses, with what each denies; in go characters, out go pieces of them in reading order."""

from __future__ import annotations

import re
from typing import Final

_ENDS: Final = re.compile(r"(?<=[.!?;])\s+(?=[A-Z0-9\"'(\[-])|\n+")
_CLAUSES: Final = re.compile(
    r",\s+(?:but|however)\s+|;\s+|\s+but\s+|\s+(?:except|other\s+than|aside\s+from|apart\s+from|besides)\s+", re.IGNORECASE
)
_DENIAL: Final = re.compile(
    r"\b(?:den(?:y|ies|ied|ying)|no|not|never|without|negative\s+for|absence\s+of|free\s+of|rules?\s+out|ruled\s+out|unremarkable\s+for|"
    r"does\s+n[o']t|did\s+n[o']t|has\s+n[o']t|had\s+n[o']t|neither|nor|non-?significant\s+for|lacks?)\b",
    re.IGNORECASE,
)
_RELATIVE: Final = re.compile(
    r"\bfamily\s+history\b|\b(?:his|her|the\s+patient's|patient's)\s+(?:\w+\s+)?(?:mother|father|brother|sister|siblings?|parents?|son|daughter|"
    r"uncle|aunt|grand\w+|cousin|husband|wife)\b[^.]{0,40}\b(?:has|had|have|died|with|diagnosed|suffer\w*|underwent|is|was)\b",
    re.IGNORECASE,
)


def sentences(text: str) -> list[str]:
    """Return the sentences and lines of a text."""
    return [piece.strip() for piece in _ENDS.split(text) if piece.strip()]


def affirmed(sentence: str) -> str:
    """Return a sentence up to what it denies, clause by clause: "has fever, denies cough" becomes "has fever,"."""
    kept = []
    for clause in _CLAUSES.split(sentence):
        found = _DENIAL.search(clause)
        kept.append(clause if found is None else clause[: found.start()])
    return " ".join(piece.strip() for piece in kept if piece.strip())


def of_relatives(sentence: str) -> bool:
    """Whether a sentence tells of the patient's family."""
    return _RELATIVE.search(sentence) is not None
