"""Where somebody lives, works or is treated: streets, ZIP codes, towns with their state, facilities, employers (paragraph B)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.gate.lexicon import last_names, ordinary_words, word_list
from pipeline.stages.deidentify.gate.words import Word, Words, joined

_C = IdentifierClass

_STATE_CODES: Final = word_list("places", "state_codes")
_STATES: Final = word_list("places", "states")
# Codes that stand after a name or a noun in clinical text as well: MD, PA (credentials), IN, OR, ME, LA, MS, CA, ID, OK, HI, MI, CO, AL, DE.
_ALSO_WORDS: Final = word_list("places", "also_words")
_STREETS: Final = word_list("places", "streets")
_CREDENTIAL_CODES: Final = frozenset({"MD", "PA"})
_SHORT_STREETS: Final = frozenset({"St", "Dr", "Ct", "Pl", "Way", "Place", "Loop", "Run", "Row", "Path"})
_UNIT: Final = frozenset({"apt", "apartment", "suite", "ste", "unit", "floor"})
_FACILITIES: Final = word_list("places", "facilities")
_FACILITY_PAIRS: Final = frozenset(
    {
        ("medical", "center"), ("medical", "centre"), ("nursing", "home"), ("health", "center"), ("health", "system"), ("care", "center"),
        ("surgery", "center"), ("rehabilitation", "center"), ("rehab", "center"), ("cancer", "center"), ("family", "practice"),
        ("assisted", "living"), ("medical", "group"), ("primary", "care"), ("urgent", "care"), ("dialysis", "center"),
        ("senior", "living"), ("rehab", "facility"), ("health", "clinic"), ("memorial", "hospital"),
    }
)  # fmt: skip
_GENERIC: Final = word_list("places", "generic")
_SCHOOLS: Final = frozenset(
    {("high", "school"), ("elementary", "school"), ("middle", "school"), ("grammar", "school"), ("primary", "school")}
)
_EMPLOYED: Final = frozenset(
    {("works", "for"), ("works", "at"), ("worked", "for"), ("worked", "at"), ("employed", "by"), ("employed", "at"), ("insured", "by"), ("insured", "through"), ("working", "at"), ("working", "for"), ("job", "at"), ("covered", "by"), ("student", "at"), ("retired", "from")}
)  # fmt: skip
_EMPLOYER_LABELS: Final = frozenset({"employer", "insurer", "insurance", "school", "company"})
_RESIDENCE: Final = frozenset({("lives", "in"), ("living", "in"), ("resides", "in"), ("resident", "of"), ("residing", "in"), ("lived", "in"), ("moved", "to"), ("native", "of"), ("lives", "near"), ("lives", "on"), ("lives", "at"), ("staying", "at"), ("stays", "at")})  # fmt: skip
_TOWARDS: Final = frozenset({"at", "to", "from", "in", "by", "near"})
_CITY_LABELS: Final = frozenset({"city", "county", "town", "address", "hometown", "residence"})
_STREET_WORDS: Final = 5


def find_places(read: Words) -> list[Found]:
    """Return addresses, ZIP codes, facilities and organisations."""
    found: list[Found] = []
    every = read.all
    for index, word in enumerate(every):
        if word.digits:
            if _is_zip(every, index):
                found.append(read.found(word, word, _C.ZIP, "places"))
            last = _street_end(every, index)
            if last is not None:
                found.append(read.found(word, every[last], _C.ADDRESS, "places"))
            elif _is_unit(every, index):
                found.append(read.found(word, word, _C.ADDRESS, "places"))
        elif word.is_name_like:
            found += _named_places(read, every, index)
    return found


def _is_zip(every: Sequence[Word], index: int) -> bool:
    word = every[index]
    five, dash, four = word.text.partition("-")
    if not (len(five) == 5 and five.isdecimal() and (not dash or (len(four) == 4 and four.isdecimal()))) or index == 0:
        return False
    before = every[index - 1]
    if before.low in ("zip", "zipcode", "postcode") or (before.low == "code" and index > 1 and every[index - 2].low in ("zip", "postal")):
        return True
    return joined(word, also=",.") and (before.text in _STATE_CODES or before.low in _STATES)


def _street_end(every: Sequence[Word], index: int) -> int | None:
    """Return the last word of a street address that begins with this number, or ``None``."""
    number = every[index].text
    if not number.rstrip("ABCDabcd").isdecimal() or len(number) > 6:
        return None
    for place in range(index + 1, min(index + 1 + _STREET_WORDS, len(every))):
        word = every[place]
        if not joined(word, also=".") or not (word.is_name_like or word.low[:-2].isdecimal()):
            return None
        if place > index + 1 and (word.low in _STREETS or word.text in _SHORT_STREETS):
            return place
        if place == index + 1 and word.low in ("highway", "route", "hwy", "county") and place + 1 < len(every) and every[place + 1].digits:
            return place + 1
    return None


def _is_unit(every: Sequence[Word], index: int) -> bool:
    word, before = every[index], every[index - 1] if index else None
    if before is None or not joined(word, also=".#"):
        return False
    if before.low == "box" and index > 1:
        return every[index - 2].low in ("p.o", "po", "o", "p.o.")
    if before.low in ("unit", "floor", "suite", "ste") and not (before.text[0].isupper() and before.low in ("suite", "ste")):
        return False
    return before.low in _UNIT and word.digits <= 5


def _named_places(read: Words, every: Sequence[Word], index: int) -> list[Found]:
    word = every[index]
    if _is_town(every, index):
        return [read.found(word, every[index + 1], _C.ADDRESS, "places")]
    before = tuple(one.low for one in every[max(0, index - 2) : index])
    if before in _RESIDENCE and joined(word) and not _is_ordinary(word) and not word.text.isupper():
        return [read.found(word, word, _C.ADDRESS, "places")]
    if before[-1:] and before[-1] in _CITY_LABELS and word.gap.strip() == ":" and not _is_ordinary(word):
        return [read.found(word, word, _C.ADDRESS, "places")]
    if before in _EMPLOYED and joined(word) and word.low not in ordinary_words():
        return [read.found(word, word, _C.ORGANISATION, "places")]
    if before[-1:] and before[-1] in _EMPLOYER_LABELS and word.gap.strip() == ":" and not _is_ordinary(word):
        return [read.found(word, word, _C.ORGANISATION, "places")]
    if before[-1:] == ("st",) and before[0] in _TOWARDS and word.gap.strip(" ") == "." and not _is_wort(every, index):
        return [read.found(word, word, _C.FACILITY, "places")]  # at St. Mary's
    return _institutions(read, every, index)


def _is_wort(every: Sequence[Word], index: int) -> bool:
    return index + 1 < len(every) and every[index + 1].low == "wort"


def _institutions(read: Words, every: Sequence[Word], index: int) -> list[Found]:
    word = every[index]
    following = every[index + 1 : index + 4]
    if word.low in _GENERIC or not following or (word.text.isupper() and len(word.text) > 3 and word.low in ordinary_words()):
        return []
    for count, one in enumerate(following):
        if not joined(one, also="'.&"):
            return []
        pair = (one.low, following[count + 1].low) if count + 1 < len(following) and joined(following[count + 1]) else None
        if pair in _SCHOOLS and one.is_name_like:
            return [read.found(word, one, _C.ORGANISATION, "places")]
        if pair in _FACILITY_PAIRS and one.is_name_like and following[count + 1].is_name_like:
            return [read.found(word, following[count + 1], _C.FACILITY, "places")]
        if (
            one.is_name_like
            and one.low in _FACILITIES
            and every[index + count].low not in _GENERIC - {"general", "university", "regional", "memorial", "children", "community"}
        ):
            return [read.found(word, one, _C.FACILITY, "places")]
        if not one.is_name_like:
            return []
    return []


def _is_town(every: Sequence[Word], index: int) -> bool:
    """Springfield, IL; Springfield, Illinois: a capitalised word, a comma, a state."""
    if index + 1 == len(every):
        return False
    word, state = every[index], every[index + 1]
    if state.gap.strip(" ") != "," or len(word.text) < 3 or not (word.text[1:].islower() or word.text.isupper()):
        return False
    if state.low in _STATES:
        return word.low not in _STATES and not _is_ordinary(word)
    if state.text not in _STATE_CODES:
        return False
    if index + 2 < len(every) and every[index + 2].digits >= 3 and joined(every[index + 2]):
        return True  # the ZIP code follows
    if state.text in _CREDENTIAL_CODES:
        return False
    two = index > 0 and every[index - 1].is_name_like and joined(word) and word.text[1:].islower()  # Cedar Falls
    if _is_ordinary(word):
        return two and every[index - 1].text[1:].islower() and state.text not in _ALSO_WORDS
    return state.text not in _ALSO_WORDS or word.low not in last_names().sure


def _is_ordinary(word: Word) -> bool:
    return word.low in ordinary_words()
