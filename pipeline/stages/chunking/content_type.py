"""Section and text of a chunk come in; what it speaks of goes out: medication, procedure, assessment, or general. Rules are data."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

from pipeline.domain.vocabulary import ContentType, Section
from pipeline.lexicons import entries
from pipeline.stages.chunking.protected import doses

_WORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9.'-]*[A-Za-z0-9]|[A-Za-z]")
_SHORTEST_DRUG: Final = 4
# Ties go to the first.
_ORDER: Final = (ContentType.MEDICATION, ContentType.PROCEDURE, ContentType.ASSESSMENT)


@dataclass(frozen=True, slots=True)
class _Lexicon:
    sections: dict[Section, ContentType]
    words: dict[ContentType, frozenset[str]]
    stems: dict[ContentType, tuple[str, ...]]
    drugs: frozenset[str]
    weights: dict[str, float]
    least: float
    per_words: float


@cache
def _lexicon() -> _Lexicon:
    data = tomllib.loads(resources.files(__package__).joinpath("content_type.toml").read_text("utf-8"))
    words = {ContentType(kind): list(values) for kind, values in data["words"].items()}
    brands = (entry.casefold() for entry in entries("drug_brands") if "?" not in entry)
    return _Lexicon(
        sections={Section(name): ContentType(kind) for kind, names in data["sections"].items() for name in names},
        words={kind: frozenset(word for word in values if not word.endswith("*")) for kind, values in words.items()},
        stems={kind: tuple(word[:-1] for word in values if word.endswith("*")) for kind, values in words.items()},
        drugs=frozenset(name for name in (*entries("drugs"), *brands) if len(name) >= _SHORTEST_DRUG),
        weights=data["weights"],
        least=data["bounds"]["least"],
        per_words=data["bounds"]["per_words"],
    )


def content_type(section: Section, text: str) -> ContentType:
    """Return what a chunk of ``section`` speaks of."""
    lexicon = _lexicon()
    said = lexicon.sections.get(section)
    if said is not None:
        return said
    found = [match.group().casefold() for match in _WORD.finditer(text)]
    distinct = set(found)
    scores = dict.fromkeys(_ORDER, 0.0)
    scores[ContentType.MEDICATION] = lexicon.weights["drug"] * len(distinct & lexicon.drugs)
    scores[ContentType.MEDICATION] += lexicon.weights["dose"] * len(doses(text, 0, len(text)))
    for kind in _ORDER:
        hits = sum(word in lexicon.words[kind] or word.startswith(lexicon.stems[kind]) for word in distinct)
        scores[kind] += lexicon.weights["word"] * hits
    best = max(_ORDER, key=lambda kind: scores[kind])
    least = lexicon.least * max(1.0, len(found) / lexicon.per_words)
    return best if scores[best] >= least else ContentType.GENERAL
