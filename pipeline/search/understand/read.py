"""A query into what it says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pipeline.search.patient.model import Patient
from pipeline.search.understand.intents import Evidence, intents
from pipeline.search.understand.mentions import mentions
from pipeline.search.understand.model import Mention, Scheme, Understood, Variant
from pipeline.search.understand.numbers import Amount, amounts
from pipeline.search.understand.person import age_years, negated, sex
from pipeline.search.understand.spelling import Vocabulary, corrections
from pipeline.search.understand.terms import Kind, Term, terms
from pipeline.search.understand.wordings import corrected, meant, variants
from pipeline.search.understand.words import words

ADULT_FROM: Final = 18  # years
_EXACT: Final = re.compile(r"(?=.*[A-Z0-9].*[A-Z0-9])[A-Za-z0-9+/-]{2,12}\Z")  # HER2, PD-L1, STEMI, T790M, D10
_LEAST_DIGITS: Final = 3  # of a number that a question may be all about: "814"; "COVID-19" has two
_EXACT_KINDS: Final = (Kind.DRUG, Kind.ABBREVIATION)


def understand(query: str, vocabulary: Vocabulary | None = None) -> Understood:
    """Return what a query says. Its own words are always the first variant.

    Args:
        query: As it was asked.
        vocabulary: Of the index that is searched, for spelling; ``None``: only lexicons are asked.
    """
    patient, described = _described(query)
    named, measured = mentions(query), amounts(query)
    if patient is not None:  # a laboratory value or a scale may look like any other identifier
        named = tuple(one for one in named if one.schemes == (Scheme.NCT_ID,))
    kept = [(one.start, one.end) for one in named] + [(one.start, one.end) for one in measured]
    fixed = () if patient else corrections(query, vocabulary, except_in=kept)  # a long text has words enough that are right
    text = corrected(query, fixed)
    found = terms(text, except_in=[(one.start, one.end) for one in amounts(text)])
    written_out = meant(text, found)
    age = age_years(query)
    holding = intents(
        Evidence(
            text=text if text == written_out else f"{text} {written_out}",
            has_drug=bool(_names(found, Kind.DRUG)),
            has_dose=any(one.is_dose for one in measured),
            is_child=age is not None and age < ADULT_FROM,
            has_mention=any(one.said or (one.alone and _is_long(one)) for one in named),
        )
    )
    return Understood(
        query=query,
        variants=described or variants(query, text, found, holding),
        intents=holding,
        mentions=named,
        exact_terms=_exact_terms(query, found, measured, named),
        drugs=_names(found, Kind.DRUG),
        conditions=_names(found, Kind.CONDITION),
        expansions=tuple((one.text, one.preferred) for one in found if one.kind is Kind.ABBREVIATION),
        corrections=fixed,
        age_years=age,
        sex=sex(query),
        negated=negated(query),
        patient=patient,
    )


def _is_long(mention: Mention) -> bool:
    return sum(sign.isdigit() for sign in mention.value) >= _LEAST_DIGITS


def _names(found: Sequence[Term], kind: Kind) -> tuple[str, ...]:
    """Return what is named of a kind, by abbreviations too."""
    named: dict[str, None] = {}
    for one in found:
        inner = terms(one.preferred) if one.kind is Kind.ABBREVIATION else [one]
        named.update(dict.fromkeys(each.preferred for each in inner if each.kind is kind))
    return tuple(named)


def _exact_terms(query: str, found: Sequence[Term], measured: Sequence[Amount], named: Sequence[Mention]) -> tuple[str, ...]:
    """Return the stretches of the query whose very letters matter: amounts, codes, names in capitals, then drugs and abbreviations."""
    doses = [(one.start, one.end) for one in measured if one.is_dose]
    places = {*doses, *((one.start, one.end) for one in named if one.said)}
    taken = [(one.start, one.end) for one in measured] + [(one.start, one.end) for one in named if one.said]
    for word in words(query):
        if _EXACT.match(word.text) and not any(start <= word.start < end for start, end in taken):
            places.add((word.start, word.end))
    texts = [query[start:end] for start, end in sorted(places)]
    return tuple(dict.fromkeys((*texts, *(one.text for one in found if one.kind in _EXACT_KINDS))))


def _described(query: str) -> tuple[Patient | None, tuple[Variant, ...]]:
    """Return the patient that a query describes, and the wordings to search with."""
    from pipeline.search.patient import read_patient  # late: that package's wordings are made of this one's model
    from pipeline.search.patient.wordings import wordings

    patient = read_patient(query)
    return (None, ()) if patient is None else (patient, tuple(wordings(query, patient)))
