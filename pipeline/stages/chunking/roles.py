"""What an entry is for its neighbours: a criterion, a scope, a label of what follows, or mere structure."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

from pipeline.stages.chunking.layout import Entry, Kind, ends_with_colon
from pipeline.stages.chunking.scope import read_label


class Role(StrEnum):
    """What a node is for its children and for the index."""

    CRITERION = "criterion"
    SCOPE = "scope"  # names a cohort, arm, part, phase or population: prefix and scope of what follows
    LABEL = "label"  # opens what follows in words of its own: prefix of what follows
    GROUPING = "grouping"  # only structure: no prefix, no chunk


# Words that say only where we are in a document. A label of these alone groups, and says nothing about a patient.
_STRUCTURE: Final = frozenset(
    [
        "a",
        "all",
        "an",
        "and",
        "are",
        "as",
        "at",
        "below",
        "by",
        "criteria",
        "criterion",
        "disease",
        "each",
        "eligibility",
        "enrolled",
        "every",
        "follows",
        "for",
        "further",
        "general",
        "group",
        "groups",
        "in",
        "is",
        "key",
        "main",
        "major",
        "medical",
        "miscellaneous",
        "note",
        "notes",
        "of",
        "only",
        "or",
        "other",
        "others",
        "part",
        "participant",
        "participants",
        "parts",
        "patient",
        "patients",
        "phase",
        "phases",
        "section",
        "specific",
        "status",
        "studies",
        "study",
        "study-wide",
        "subject",
        "subjects",
        "the",
        "these",
        "this",
        "to",
        "trial",
        "additional",
        "across",
        "requirements",
        "requirement",
        "conditions",
        "common",
        "overall",
        "stated",
    ]
)
# A label that ends with one of these goes on in what follows: "History of:".
_OPEN_ENDED: Final = frozenset({"of", "to", "in", "or", "for", "and", "by"})
_WORD: Final = re.compile(r"[\w-]+")
_MAX_LABEL_WORDS: Final = 8


def without_colon(text: str) -> str:
    """Return a label without the signs around it."""
    return text.rstrip(" :：-–—").lstrip(":：-–— ")


def role_of(entry: Entry, following: Entry | None) -> Role:
    """Return what an entry is, given the one after it in its block (``None``: the last)."""
    text = entry.text
    colon = ends_with_colon(text)
    bare = without_colon(text)
    if read_label(bare, colon=colon):
        return Role.SCOPE
    words = _WORD.findall(bare.lower())
    grouping = (
        bool(words)
        and len(words) <= _MAX_LABEL_WORDS
        and words[-1] not in _OPEN_ENDED
        and all(word in _STRUCTURE or word.isdigit() for word in words)
    )
    opens = following is not None and (following.kind is Kind.ITEM or colon)
    if grouping and (colon or (entry.kind is Kind.TEXT and opens and text[:1].isupper())):
        return Role.GROUPING
    if entry.kind is Kind.TEXT and colon and opens:
        return Role.LABEL
    return Role.CRITERION
