"""What is known of a query before anything is looked up."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from pipeline.search.patient.model import Patient


class Intent(StrEnum):
    """What a query is after. One query may have several; the strongest comes first."""

    CONTRAINDICATION = "contraindication"
    PEDIATRIC = "pediatric"
    DIFFERENTIAL = "differential"
    PROTOCOL_LOOKUP = "protocol_lookup"
    PROCEDURE = "procedure"
    ASSESSMENT = "assessment"
    MEDICATION_DOSING = "medication_dosing"
    TRIAL_SEARCH = "trial_search"
    GENERAL = "general"


class Why(StrEnum):
    """Why a query is asked in these words, too."""

    ORIGINAL = "original"
    CORRECTED = "corrected"  # spelling
    EXPANDED = "expanded"  # abbreviations written out, or shortened
    SYNONYM = "synonym"  # another name of a drug or a disease
    FOCUS = "focus"  # one concept out of several, or the part of a patient's history that matters


class Scheme(StrEnum):
    """What an identifier is one of."""

    NCT_ID = "nct_id"
    PROTOCOL_NUMBER = "protocol_number"
    REFERENCE_NUMBER = "reference_number"  # of an EMS protocol or policy
    ICD_10 = "icd_10"
    LOINC = "loinc"
    SNOMED = "snomed"
    RXNORM = "rxnorm"
    FHIR_ID = "fhir_id"
    DOCUMENT_ID = "document_id"  # Clindex's own


@dataclass(frozen=True, slots=True)
class Variant:
    """One wording of the query.

    Attributes:
        text: In words.
        why: It is one.
        weight: Multiplies its share of the fused score.
        terms: What its BM25 ranking asks for, (words, weight), a term as it is weighed last; empty: all words of ``text`` alike.
    """

    text: str = field(repr=False)
    why: Why
    weight: float = 1.0
    terms: tuple[tuple[str, float], ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Mention:
    """What looks like an identifier, and may be none: ``route`` asks what the index holds.

    Attributes:
        schemes: What it may be one of.
        value: In the form that truth keeps, or as it was written where only the index can tell.
        start: Where it stands in the query, half-open range of characters.
        end: See ``start``.
        said: A word before it says that it is one ("policy 510", "study 301").
        alone: The query is little else.
    """

    schemes: tuple[Scheme, ...]
    value: str = field(repr=False)
    start: int
    end: int
    said: bool = False
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Correction:
    """A word of the query that was taken for a misspelt one."""

    start: int
    end: int
    to: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Understood:
    """A query, understood.

    Attributes:
        query: As it was asked.
        variants: Wordings that are searched with, the original first.
        intents: Strongest first; never empty.
        mentions: What may be an identifier.
        exact_terms: Words whose very letters matter (abbreviations, drugs, numbers with units, codes): the sparse branch weighs more.
        drugs: Generic names of drugs it names, brands resolved.
        conditions: Conditions it names, in the lexicon's wording.
        expansions: Abbreviations in it and how they were read.
        corrections: Spelling.
        age_years: Of the patient it speaks of.
        sex: Of that patient.
        negated: Stretches (start, end) that it denies.
        patient: Where it is a patient's description: the second variant is then what that is about.
    """

    query: str = field(repr=False)
    variants: tuple[Variant, ...]
    intents: tuple[Intent, ...] = (Intent.GENERAL,)
    mentions: tuple[Mention, ...] = ()
    exact_terms: tuple[str, ...] = field(default=(), repr=False)
    drugs: tuple[str, ...] = field(default=(), repr=False)
    conditions: tuple[str, ...] = field(default=(), repr=False)
    expansions: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    corrections: tuple[Correction, ...] = ()
    age_years: float | None = None
    sex: Literal["male", "female"] | None = None
    negated: tuple[tuple[int, int], ...] = ()
    patient: Patient | None = None
