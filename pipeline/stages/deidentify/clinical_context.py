"""Tells by the words around it that a name is none of a person here: of an instrument, an author, a gene or a study.

Sources: the ways operative notes and papers write ("with a Babcock", "18-French Robinson", "Aaa et al.").
"""

from __future__ import annotations

import re
from typing import Final

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.clinical_lexicon import fold, key, lexicon

_SYNDROME_AFTER: Final = re.compile(r"(?:'s)?\s(?:[a-z]{3,15}\s)?syndromes?\b", re.IGNORECASE)
_ET_AL_AFTER: Final = re.compile(r",?\s(?:et\.?\sal\b|and (?:colleagues|co-?workers)\b)", re.IGNORECASE)
# A person has no article and no size: "a Babcock was applied", "an 18-French Robinson".
_ARTICLE_BEFORE: Final = re.compile(r"(?:\ban?|(?:^|[.,:;]\s{0,2})An?)\s$")
_SIZE_BEFORE: Final = re.compile(
    r"(?:(?:#|\b(?:No|number|size)\.?)\s?\d{1,3}|\b\d{1,3}(?:\.\d)?[\s-]?(?:french|fr|gauge|g|mm|cm|f|inch))\.?\s$", re.IGNORECASE
)
# Before a name of the list it is an instrument: "curved Ochsner".
_FORM_BEFORE: Final = re.compile(
    r"\b(?:curved|straight|angled|blunt|sharp|large|small|medium|long|short|wide|narrow|fine|heavy|toothed|self-retaining|malleable|gyn|using|another"
    r"|two|three|four|several|multiple|bilateral)\s$",
    re.IGNORECASE,
)
_THE_BEFORE: Final = re.compile(r"\b[Tt]he\s$")
# Scores that are called by a name alone, and what is written behind them: "Braden 16", "Jobe 4/5", "Glasgow 3T".
_SCALES: Final = frozenset(
    {
        "ashworth",
        "barthel",
        "berg",
        "binet",
        "bishop",
        "braden",
        "glasgow",
        "jobe",
        "killip",
        "morse",
        "nurick",
        "rai",
        "ranson",
        "ramsay",
        "rancho",
        "tinetti",
        "waddell",
    }
)
_SCORE_AFTER: Final = re.compile(r"\s(?:\d{1,2}(?:/\d{1,3})?[A-Z]?|I{1,3}|IV)(?![\w/%.-]\d|\w|\s?(?:y|mg\b|mcg\b|[MF]\b))")
_HEAD_AFTER: Final = re.compile(r"(?:'s)?[ -]([a-z]{3,16})\b")
_LETTERS_AROUND: Final = 14  # characters read before a place
# Genes and acronyms of studies: three capitals, then digits. An identifier of that form is of another class than a name or a place.
_CODE: Final = re.compile(r"[A-Z]{3,10}-?\d{1,2}[A-Z]?")


def is_eponym(value: str) -> bool:
    """Return whether a list holds the name."""
    return key(value) in lexicon().eponyms or key(value) in lexicon().doubtful_eponyms


def is_no_person(text: str, found: Found) -> bool:
    """Return whether the whole place stands where no person does.

    Args:
        text: Folded text.
        found: A place that a recogniser took for a name, a town or an organisation, without a title or label.
    """
    value = text[found.start : found.end]
    if _SYNDROME_AFTER.match(text, found.end) or _ET_AL_AFTER.match(text, found.end) or _CODE.fullmatch(value):
        return True
    if fold(value) in _SCALES and _SCORE_AFTER.match(text, found.end):
        return True
    before = text[max(0, found.start - _LETTERS_AROUND) : found.start]
    if found.category is not IdentifierClass.NAME or " " in value or not (before and value[0].isupper()):
        return False
    head = _HEAD_AFTER.match(text, found.end)
    next_word = fold(head.group(1)) if head else ""
    if next_word in lexicon().people:
        return False
    if _SIZE_BEFORE.search(before) or (_FORM_BEFORE.search(before) and is_eponym(value)):
        return True
    if text[found.end : found.end + 2].strip()[:1].isupper():  # "a Jane Example": the name goes on
        return False
    if _ARTICLE_BEFORE.search(before):
        return True
    return bool(_THE_BEFORE.search(before)) and (next_word in lexicon().heads or is_eponym(value))
