"""Names of people: after titles, labels and relations, before credentials, 'LAST, FIRST', and a given beside a family name (paragraph A)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.gate.lexicon import clinical_words, first_names, last_names, ordinary_words, word_list
from pipeline.stages.deidentify.gate.words import Word, Words, joined

_TITLES: Final = frozenset({"Dr", "Mr", "Mrs", "Ms", "Prof", "Drs", "Professor", "Rev", "Mx", "Messrs", "Mme", "Sra"})
_SHORTENED: Final = frozenset({"m", "ve", "ll", "re", "d", "t"})
_AFTER_TITLE: Final = frozenset({"the", "is", "was", "and", "if", "for", "in", "on", "at", "to", "or", "a", "no", "patient", "office"})
_CAPITAL_TITLES: Final = frozenset({"DR", "MR", "MRS", "PROF"})
_SPOKEN_TITLES: Final = frozenset({"doctor", "nurse", "miss", "sister", "pastor", "father", "officer", "aunt", "uncle", "therapist"})
_CREDENTIALS: Final = word_list("people", "credentials")
_LABELS: Final = word_list("people", "labels")
_THINGS: Final = word_list("people", "things")
_BY: Final = word_list("people", "by")
_RELATIONS: Final = word_list("people", "relations")
_NAMED: Final = frozenset({"named", "called", "nicknamed"})
_VERBS: Final = word_list("people", "verbs")
# What follows an eponym: the words before it name a disease, a sign or a tool, not a person who was there.
_EPONYM: Final = word_list("people", "eponym")
_FUNCTION_WORDS: Final = word_list("people", "function_words")
_EPONYM_REACH: Final = 4


def find_people(read: Words) -> list[Found]:
    """Return names."""
    every = read.all
    found: list[Found] = []
    for index, word in enumerate(every):
        if not word.is_name_like or len(word.text) < 2:
            continue
        last = _name_end(every, index)
        if last is not None:
            found.append(read.found(word, every[last], IdentifierClass.NAME, "people"))
    return found


def _name_end(every: Sequence[Word], index: int) -> int | None:
    """Return the last word of a name that begins at a word, or ``None`` where no rule says that it is one."""
    pair = _pair_end(every, index)
    if pair is not None:
        return pair
    introduced = _is_introduced(every, index) or _has_credentials(every, index) or _acts(every, index)
    return index if introduced else None


def _is_introduced(every: Sequence[Word], index: int) -> bool:
    """Whether the words before say that a name follows."""
    if index == 0:
        return False
    word, before = every[index], every[index - 1]
    if before.text in _TITLES and joined(word, also="."):
        return word.low not in _AFTER_TITLE
    if before.text in _CAPITAL_TITLES and word.gap.strip(" ") == ".":
        return _may_be_name(word) or not _is_plain(word)
    if before.low in _SPOKEN_TITLES and joined(word) and _is_sure(word):
        return not _is_eponym(every, index)
    if before.low in _RELATIONS and joined(word, also=",(") and not word.text.isupper():
        return _is_sure(word) or (word.gap in (" ", " (") and not _is_plain(word))
    if before.low in _NAMED or (before.low == "is" and index > 1 and every[index - 2].low == "name"):
        return joined(word) and _is_sure(word) and not _is_eponym(every, index)
    if before.low == "by" and index > 1 and every[index - 2].low in _BY:
        return joined(word, also=":") and _is_sure(word)
    if word.gap.strip(" \t*_") == ":" and (
        _is_label(every, index - 1) or (before.low == "by" and index > 1 and every[index - 2].low in _BY)
    ):
        return _is_sure(word) or not _is_plain(word)
    return False


def _is_label(every: Sequence[Word], index: int) -> bool:
    """Whether a word is the label of a person. "Hospital contact", "drug name" are of things."""
    if every[index].low not in _LABELS:
        return False
    at = index - 1
    if at > 0 and "(" in every[at].gap:  # "Impression (PI) name"
        at -= 1
    return not (at >= 0 and every[at].low in _THINGS and joined(every[index], also="()"))


def _has_credentials(every: Sequence[Word], index: int) -> bool:
    if index + 1 >= len(every) or index == 0:
        return False
    word, after, before = every[index], every[index + 1], every[index - 1]
    if after.text not in _CREDENTIALS or not joined(after, also=","):
        return False
    initial = len(before.text) <= 2 and before.text[0].isupper() and joined(word, also=".")
    if _is_plain(word):
        return False
    return initial or (word.low in last_names().possible and (_may_be_name(before) or "," in after.gap))


def _acts(every: Sequence[Word], index: int) -> bool:
    """Whether a sentence begins with a name that does what people do: "Smith reports …"."""
    word = every[index]
    begins = index == 0 or any(char in word.gap for char in ".\n")
    if not begins or index + 1 >= len(every) or not joined(every[index + 1]):
        return False
    return every[index + 1].low in _VERBS and word.text[1:].islower() and _is_sure(word) and word.low not in ordinary_words()


def _pair_end(every: Sequence[Word], index: int) -> int | None:
    """Return the end of 'First Last', 'First M. Last' or 'LAST, FIRST'."""
    word = every[index]
    after = every[index + 1] if index + 1 < len(every) else None
    if after is None:
        return None
    if after.gap.strip(" ") == "," and after.is_name_like and "\n" not in after.gap:
        return index + 1 if _is_turned_round(word, after) else None
    if not joined(after, also="."):
        return None
    last = index + 1
    if len(after.text) == 1 and after.text.isupper() and index + 2 < len(every) and joined(every[index + 2], also="."):
        last = index + 2
    elif "." in after.gap:
        return None
    elif len(after.text) == 1 and after.text.isupper() and word.low in first_names().sure and not _is_clinical(word):
        return last  # Anna S.
    family = every[last]
    if not family.is_name_like or not _is_pair(word, family, initial=last > index + 1) or _is_eponym(every, last):
        return None
    return last


def _is_turned_round(family: Word, given: Word) -> bool:
    if len(family.text) < 2 or family.text.isupper() != given.text.isupper() or _is_clinical(family, given):
        return False
    sure = (family.low in last_names().sure) + (given.low in first_names().sure)
    if family.text.isupper() and len(given.text) > 1:
        return sure == 2 or (sure == 1 and not (_is_plain(family) and _is_plain(given)))
    return sure == 2


def _is_pair(given: Word, family: Word, *, initial: bool) -> bool:
    if len(family.text) < 2 or _is_clinical(given, family) or given.low in _FUNCTION_WORDS:
        return False
    if given.text.isupper() != family.text.isupper() and len(given.text) > 1:
        return False
    first_sure, last_sure = given.low in first_names().sure, family.low in last_names().sure
    if initial:
        return first_sure or last_sure or not (_is_plain(given) or _is_plain(family))
    return (last_sure and (first_sure or given.low in first_names().possible)) or (first_sure and not _is_plain(family))


def _is_eponym(every: Sequence[Word], last: int) -> bool:
    for one in every[last + 1 : last + 1 + _EPONYM_REACH]:
        if "." in one.gap or "\n" in one.gap:
            return False
        if one.low in _EPONYM:
            return True
    return False


def _is_clinical(*pair: Word) -> bool:
    return any(one.low in clinical_words() for one in pair)


def _may_be_name(word: Word) -> bool:
    return word.low in last_names().possible or word.low in first_names().possible


def _is_sure(word: Word) -> bool:
    parts = [word.low, *word.low.split("-")]
    return not _is_clinical(word) and any(part in last_names().sure or part in first_names().sure for part in parts)


def _is_plain(word: Word) -> bool:
    """Whether a word is one of the language or of medicine, also in a simple plural."""
    low = word.low
    if "'" in low and low.rpartition("'")[2] in _SHORTENED:
        return True  # I'm, we've
    return low in ordinary_words() or low.removesuffix("s") in ordinary_words() or low in clinical_words() or _is_medical_form(low)


def _is_medical_form(low: str) -> bool:
    return low.endswith(
        ("ology", "itis", "osis", "emia", "ectomy", "oscopy", "pathy", "gram", "graphy", "ine", "ol", "ab", "ib", "ide", "ate", "ic", "al")
    )
