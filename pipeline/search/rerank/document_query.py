"""A query as documents are compared with it: its wordings as stems, its drugs' names, whom it is about. Made once a search."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from pipeline.index.bm25 import term_number
from pipeline.index.terms import STOP_WORDS
from pipeline.search.rerank.population import Population, of_query
from pipeline.search.understand.lexicon import toml
from pipeline.search.understand.model import Intent, Understood, Why

# ``pipeline.index.terms`` keeps more apart, and takes 0.3 ms a passage: 60 ms for 200 of them. This takes 0.03 ms.
_WORD: Final = re.compile(r"[^\W_]+")

#: Words that say what is wanted of a thing, not which thing: no title is expected to hold them, and a passage need not.
_ASKING: Final = frozenset(
    _WORD.findall(
        "dose doses dosing dosage how much many what when where which who why can could should do does i we give given use used need patient "
        "patients pt pts protocol policy policies ref reference guideline tp mcg no not number steps step adult adults pediatric pediatrics "
        "peds pedi child children kid kids infant contraindication contraindications contraindicated indication indications criteria"
    )
)

#: Wordings that keep all that a query says. One that picks out a single concept would be covered by any passage that names it.
_WHOLE: Final = frozenset({Why.ORIGINAL, Why.CORRECTED, Why.EXPANDED, Why.SYNONYM})


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked.

    Attributes:
        wordings: Stems of each wording, without words that only ask; never empty, but each may be.
        drugs: One pattern a drug, which finds any of its names.
        intents: Strongest first.
        population: Whom it is about.
        wants_dose: A dose is asked for.
    """

    wordings: tuple[frozenset[int], ...]
    drugs: tuple[re.Pattern[str], ...] = field(repr=False)
    intents: tuple[Intent, ...]
    population: Population
    wants_dose: bool


def stems(text: str) -> set[int]:
    """Return the numbers of a text's stems, as the sparse branch counts them, stop words left out."""
    return set(map(term_number, _words(text)))


def question(understood: Understood) -> Question:
    """Return a query in the form that documents are compared with."""
    whole = [variant.text for variant in understood.variants if variant.why in _WHOLE]
    return Question(
        wordings=tuple(dict.fromkeys(frozenset(_subject(text)) for text in whole)),
        drugs=drug_patterns(understood.drugs),
        intents=understood.intents,
        population=of_query(understood),
        wants_dose=_wants_dose(understood),
    )


def drug_patterns(drugs: Iterable[str]) -> tuple[re.Pattern[str], ...]:
    """Return one pattern a drug, which finds any of its names."""
    return tuple(_pattern(names_of(drug)) for drug in drugs)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold())) - STOP_WORDS


def _wants_dose(understood: Understood) -> bool:
    """Whether a dose is asked for; whether a drug may be given at all is another question."""
    intents = understood.intents
    if Intent.CONTRAINDICATION in intents:
        return Intent.MEDICATION_DOSING in intents[: intents.index(Intent.CONTRAINDICATION)]
    return Intent.MEDICATION_DOSING in intents or (Intent.PEDIATRIC in intents and bool(understood.drugs))


def _subject(text: str) -> set[int]:
    words = _words(text)
    return set(map(term_number, (words - _ASKING) or words))


def _pattern(names: Iterable[str]) -> re.Pattern[str]:
    return re.compile(r"\b(?:" + "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True)) + r")\b", re.IGNORECASE)


@cache
def _drug_names() -> dict[str, tuple[str, ...]]:
    return {generic.casefold(): tuple(names) for generic, names in toml("drug_names")["generic"].items()}


@cache
def names_of(drug: str) -> tuple[str, ...]:
    """Return a drug's generic name and the other names that the lexicon knows of it."""
    return (drug, *_drug_names().get(drug.casefold(), ()))
