"""The wordings that a query is searched with: its own first, then what is meant by it, then its single concepts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pipeline.search.understand.abbreviations import shortened
from pipeline.search.understand.model import Correction, Intent, Variant, Why
from pipeline.search.understand.numbers import with_short_units
from pipeline.search.understand.terms import Kind, Term, drug_classes
from pipeline.search.understand.words import replaced, words

MOST: Final = 4  # wordings in all: each is two rankings of the engine and one embedding
_WEIGHT_MEANT: Final = 1.0
_WEIGHT_FOCUS: Final = 0.5
# What a passage is called that answers the intent.
_FOCUS: Final = {
    Intent.CONTRAINDICATION: "contraindications",
    Intent.MEDICATION_DOSING: "dose",
}
_PEDIATRIC: Final = "pediatric"


def corrected(query: str, found: Sequence[Correction]) -> str:
    """Return the query with its spelling corrected."""
    return replaced(query, [(one.start, one.end, one.to) for one in found])


def meant(text: str, found: Sequence[Term]) -> str:
    """Return a text with its abbreviations written out, drugs by their generic names, other names by the lexicon's, and short units."""
    return with_short_units(replaced(text, [(one.start, one.end, one.other) for one in found if one.other is not None]))


def variants(query: str, text: str, found: Sequence[Term], intents: Sequence[Intent]) -> tuple[Variant, ...]:
    """Return the wordings, at most ``MOST``, no two alike.

    Args:
        query: As it was asked.
        text: With its spelling corrected.
        found: Names in ``text``.
        intents: Strongest first.
    """
    wanted = [Variant(query, Why.ORIGINAL)]
    if any(one.kind is Kind.ABBREVIATION for one in found):
        why = Why.EXPANDED
    else:
        why = Why.CORRECTED if text != query and all(one.other is None for one in found) else Why.SYNONYM
    wanted.append(Variant(meant(text, found), why, _WEIGHT_MEANT))
    if focus := _focus(found, intents):
        wanted.append(Variant(focus, Why.FOCUS, _WEIGHT_FOCUS))
    if (short := contracted(text)) is not None:
        wanted.append(Variant(short, Why.EXPANDED, _WEIGHT_MEANT))
    kept: dict[str, Variant] = {}
    for one in wanted:
        kept.setdefault(one.text.casefold(), one)
    return tuple(kept.values())[:MOST]


def _focus(found: Sequence[Term], intents: Sequence[Intent]) -> str | None:
    """Return the drugs with what is asked of them, where the query speaks of something else as well."""
    drugs = tuple(dict.fromkeys(one.preferred for one in found if one.kind is Kind.DRUG))
    asked = [_FOCUS[intent] for intent in intents if intent in _FOCUS][:1]
    if not drugs or not asked:
        return None
    if Intent.PEDIATRIC in intents:
        asked.append(_PEDIATRIC)
    classes = drug_classes(drugs[1:]) if Intent.CONTRAINDICATION in intents else ()  # texts name the class: "PDE-5 inhibitors"
    return " ".join((*drugs, *classes, *asked))


def contracted(text: str) -> str | None:
    """Return a text with its phrases shortened to abbreviations, or ``None`` where it has none that is."""
    all_words, phrases = words(text), shortened()
    longest = max(map(len, phrases))
    changes: list[tuple[int, int, str]] = []
    at = 0
    while at < len(all_words):
        for length in range(min(longest, len(all_words) - at), 1, -1):
            part = all_words[at : at + length]
            if short := phrases.get(tuple(word.key for word in part)):
                changes.append((part[0].start, part[-1].end, short))
                at += length - 1
                break
        at += 1
    return replaced(text, changes) if changes else None
