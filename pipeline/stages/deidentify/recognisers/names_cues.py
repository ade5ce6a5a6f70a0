"""Names by the word before them: titles, relatives, roles, the patient, and phrases such as "discussed with" and "my name is"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pipeline.stages.deidentify.recognisers.names_lexicon import credentials, never, words_of
from pipeline.stages.deidentify.recognisers.names_phrase import FILLERS, PARTICLES, end_of, extend, linked
from pipeline.stages.deidentify.recognisers.names_words import Word

Span = tuple[int, int, float]

# A title decides: an eponym or an ordinary word after it is a person.
TITLES: Final = frozenset(["dr", "mr", "mrs", "ms", "mx", "prof", "drs", "dra", "sra", "mme", "herr", "frau"])
# Titles that are words too: what follows must look like a name.
SOFT_TITLES: Final = frozenset(
    [
        "miss",
        "doctor",
        "doc",
        "professor",
        "nurse",
        "sister",
        "brother",
        "father",
        "rev",
        "reverend",
        "fr",
        "pastor",
        "rabbi",
        "imam",
        "sir",
        "madam",
        "judge",
        "officer",
        "captain",
        "capt",
        "sgt",
        "lt",
        "sheriff",
        "deputy",
        "detective",
        "trooper",
        "medic",
        "paramedic",
        "chaplain",
        "deacon",
        "dame",
        "lady",
        "lord",
        "hon",
        "senator",
    ]
)
_OLOGIST: Final = ("therapist", "ologist", "iatrist", "ographer", "otherapist")
PATIENT: Final = frozenset({"patient", "pt", "client", "infant", "neonate", "toddler", "newborn", "decedent", "victim", "donor"})
_BY: Final = frozenset(
    [
        "seen",
        "dictated",
        "signed",
        "reviewed",
        "evaluated",
        "performed",
        "ordered",
        "referred",
        "authored",
        "transcribed",
        "verified",
        "prepared",
        "approved",
        "interpreted",
        "read",
        "cosigned",
        "co-signed",
        "examined",
        "treated",
        "accompanied",
        "diagnosed",
        "prescribed",
        "written",
        "completed",
        "witnessed",
        "assisted",
        "recommended",
        "supervised",
        "entered",
        "cleared",
        "electronically",
        "attended",
        "admitted",
        "discharged",
        "supervised",
        "placed",
        "inserted",
        "intubated",
        "called",
        "paged",
        "escorted",
        "interviewed",
        "requested",
        "given",
        "obtained",
        "organized",
        "organised",
        "led",
        "chaired",
        "taught",
        "hosted",
        "coordinated",
    ]
)
_WITH: Final = frozenset(
    [
        "discussed",
        "spoke",
        "spoken",
        "met",
        "consulted",
        "talked",
        "lives",
        "living",
        "conferred",
        "dw",
        "confirmed",
        "speak",
        "visit",
        "appointment",
    ]
)
_GREETINGS: Final = frozenset(
    ["hi", "hello", "hey", "dear", "thanks", "bye", "goodbye", "okay", "sorry", "morning", "afternoon", "evening"]
)
_NAMED: Final = frozenset({"named", "nicknamed", "née", "nee", "paciente", "señor", "señora", "don", "doña"})
_GAP: Final = re.compile(r"[ \t]{0,2}[,:(?\-—]?[ \t]{0,3}[\"']?")
_TITLE_GAP: Final = re.compile(r"\.?[ \t]{0,3}|\.?[ \t]?\r?\n[ \t]{0,8}")
_MIN_LOWER: Final = 3

TITLE_SCORE: Final = 0.95
CUE_SCORE: Final = 0.88
DOUBTFUL_SCORE: Final = 0.75  # after a cue, but in no list of names: a drug may stand there
LOWER_SCORE: Final = 0.82  # typed notes: a name in lower case after a cue


def find_cued(text: str, words: Sequence[Word]) -> Iterator[Span]:
    """Yield names that a word or phrase before them announces, with scores."""
    for index, word in enumerate(words[:-1]):
        low = word.low
        if low in TITLES and word.shape in "TCl":
            yield from _titled(text, words, index, hard=True)
        elif low in SOFT_TITLES and word.shape in "TC":
            yield from _titled(text, words, index, hard=False)
        if low in words_of("relatives"):
            yield from _announced(text, words, index, lower=True)
        elif low in PATIENT:
            yield from _announced(text, words, index, lower=low == "pt" or word.text == "patient", listed=low == "patient")
        elif (
            low in words_of("roles")
            or (low in SOFT_TITLES and word.shape == "l")
            or low.endswith(_OLOGIST)
            or low in _NAMED
            or low in _GREETINGS
            or _is_phrase(words, index, low)
        ):
            yield from _announced(text, words, index, lower=low == "is" and words[index - 1].low == "name")


def _is_phrase(words: Sequence[Word], index: int, low: str) -> bool:
    """Whether the words up to ``index`` announce a person."""
    before = words[index - 1].low if index else ""
    if low == "by":
        return before in _BY
    if low == "with":
        return before in _WITH
    if low == "is":
        return before in ("name", "this", "names")
    if low == "w":
        return before == "d"
    if low == "am":
        return before == "i"
    if low == "me":
        return before in ("call", "calls", "called")
    if low in ("him", "her"):
        return before == "named"
    if low.endswith("-old"):
        return _begins_name(words, index + 1)
    return low in ("i'm", "name", "it's", "cc", "attn", "signed", "paged", "per")


def _begins_name(words: Sequence[Word], index: int) -> bool:
    """Whether a listed name stands here, or a word that no list has before a listed one."""
    word = words[index]
    if word.only_name:
        return True
    after = words[index + 1] if index + 1 < len(words) else None
    return (
        word.shape == "T" and not word.ordinary and word.low not in never() and after is not None and after.shape == "T" and after.is_name
    )


def _titled(text: str, words: Sequence[Word], index: int, *, hard: bool) -> Iterator[Span]:
    first = _after_fillers(text, words, index)
    if first is None:
        if index + 1 >= len(words) or not _TITLE_GAP.fullmatch(text, words[index].end, words[index + 1].start):
            return
        first = index + 1
    word = words[first]
    if not _fits_title(word, hard=hard, gap=text[words[index].end : word.start]):
        return
    if word.shape == "l" and word.low not in PARTICLES:
        after = first + 1
        if after < len(words) and linked(text, word, words[after]) and words[after].last and _closes(text, words[after]):
            first = after
        yield word.start, words[first].end, LOWER_SCORE
        return
    last = extend(text, words, first, lines=False, spoken=True)
    yield word.start, end_of(text, words, last - 1), TITLE_SCORE if hard else CUE_SCORE
    if words[index].low in ("drs", "mr", "mrs") and last + 1 < len(words) and words[last].low in ("and", "&") and words[last + 1].upper:
        other = words[last + 1]
        if other.low not in TITLES and other.low not in never() and not other.plain_word:
            yield other.start, end_of(text, words, extend(text, words, last + 1) - 1), CUE_SCORE


def _closes(text: str, word: Word) -> bool:
    """Whether a lower-case word can end a name: no ordinary word, or a stop follows it."""
    return word.shape == "l" and len(word.low) >= _MIN_LOWER and (not word.ordinary or text[word.end : word.end + 1] in ".,;:")


def _fits_title(word: Word, *, hard: bool, gap: str) -> bool:
    if word.shape != "I" and word.low in never() and not (word.is_name and hard and len(word.low) > _MIN_LOWER and word.shape in "TC"):
        return False
    if word.shape in "TC":
        if hard:
            return word.low not in credentials() or word.shape == "T"
        return not word.plain_word and "." not in gap and word.low not in credentials() and (word.is_name or word.shape == "T")
    if word.shape == "I":
        return hard
    if word.low in PARTICLES and word.shape == "l":
        return hard
    return hard and len(word.low) >= _MIN_LOWER and word.shape == "l" and not word.ordinary


def _announced(text: str, words: Sequence[Word], index: int, *, lower: bool, listed: bool = False) -> Iterator[Span]:
    first = _after_fillers(text, words, index)
    if first is None:
        first = index + 1
        if not _GAP.fullmatch(text, words[index].end, words[first].start):
            return
        while first + 1 < len(words) and words[first].low in ("named", "name", "is", "called") and first < index + 4:
            if not _GAP.fullmatch(text, words[first].end, words[first + 1].start):
                return
            first += 1
    word = words[first]
    if word.shape == "l" and lower and first == index + 1:
        yield from _lower(text, words, first, listed=listed)
    if not word.upper and not (word.shape == "I" and _is_initialled(text, words, first)):
        return
    if word.shape != "I" and not fits(word, caps=words[index].shape == "C"):
        return
    last = extend(text, words, first, lines=False, spoken=True)
    if last == first + 1 and word.ordinary and last < len(words) and _goes_on(text, words, last):
        return
    if before_head(text, words, last):
        return
    known = any(each.is_name for each in words[first:last])
    yield word.start, end_of(text, words, last - 1), CUE_SCORE if known else DOUBTFUL_SCORE


def _goes_on(text: str, words: Sequence[Word], after: int) -> bool:
    """Whether capitalised ordinary words follow at once: a heading or a title of something, no name."""
    return words[after].upper and linked(text, words[after - 1], words[after]) and words[after].plain_word


def _is_initialled(text: str, words: Sequence[Word], first: int) -> bool:
    """Whether an initial is followed by a surname."""
    return first + 1 < len(words) and words[first + 1].upper and linked(text, words[first], words[first + 1]) and words[first + 1].is_name


def fits(word: Word, *, caps: bool) -> bool:
    """Whether a capitalised word after a cue can be a name: in a list, or in no list of words and written like a name."""
    if word.low in never() or word.low in credentials() or word.plain_word:
        return False
    if word.shape == "C" and not caps:  # abbreviations: "mother HTN"
        return word.only_name and len(word.text) > _MIN_LOWER
    return word.is_name or (len(word.text) >= _MIN_LOWER and not word.ordinary and not is_medical(word.low))


def before_head(text: str, words: Sequence[Word], last: int) -> bool:
    """Whether a disease, a device or a place follows the word before ``last``: then the words are an eponym."""
    at = last
    while at < len(words) and at < last + 2:
        if text[words[at - 1].end : words[at].start] not in _HEAD_GAPS:
            return False
        if words[at].low in words_of("eponym_followers"):
            return True
        at += 1
    return False


_HEAD_GAPS: Final = frozenset((" ", "  ", "-", "'s ", "\n", "' ", "/", "'s\n"))

_MEDICAL_ENDINGS: Final = [
    "itis",
    "oma",
    "emia",
    "aemia",
    "osis",
    "iasis",
    "opathy",
    "ectomy",
    "otomy",
    "ostomy",
    "oscopy",
    "ology",
    "plasty",
    "algia",
    "uria",
    "pnea",
    "mab",
    "nib",
    "statin",
    "pril",
    "sartan",
    "azole",
    "cillin",
    "mycin",
    "oxacin",
    "prazole",
    "olol",
    "dipine",
    "parin",
    "xaban",
    "gliptin",
    "gliflozin",
    "afil",
    "triptan",
    "setron",
    "vir",
    "cline",
    "caine",
    "zepam",
    "zolam",
    "barbital",
    "phylline",
    "thiazide",
    "semide",
    "glutide",
    "lukast",
    "tidine",
    "profen",
    "coxib",
    "sone",
    "lone",
    "dronate",
    "ximab",
    "zumab",
    "tinib",
    "platin",
    "rubicin",
    "taxel",
    "bine",
    "amide",
    "azine",
]
_MEDICAL: Final = tuple(_MEDICAL_ENDINGS)


def is_medical(low: str) -> bool:
    """Whether a word that no list has ends as diseases, operations and drugs do (endings of USAN stems and of Greek and Latin terms)."""
    return len(low) > 5 and low.endswith(_MEDICAL)


def _lower(text: str, words: Sequence[Word], first: int, *, listed: bool) -> Iterator[Span]:
    """A name in lower case after a cue: its words are in the lists, or one word that is in no list at all."""
    word = words[first]
    if word.ordinary or len(word.low) < _MIN_LOWER or word.low in never() or word.low in FILLERS or word.low in credentials():
        return
    if not word.is_name and (listed or not _looks_like_name(word.low)):
        return
    gap = text[words[first - 1].end : word.start]
    if gap not in (" ", ", ", "  ", ": "):
        return
    end = first + 1
    while end < len(words) and end - first < 3 and linked(text, words[end - 1], words[end]) and _goes_with(words[end], words[end - 1]):
        end += 1
    if listed and end == first + 1 and not word.given:
        return
    yield word.start, words[end - 1].end, LOWER_SCORE


def _goes_with(word: Word, before: Word) -> bool:
    return word.shape == "l" and len(word.low) >= _MIN_LOWER and not word.ordinary and word.low not in never() and word.is_name


_NO_VOWEL: Final = re.compile(r"[^aeiouy]+")


def _looks_like_name(low: str) -> bool:
    """Whether a word in no list can be a name rather than an abbreviation or a term."""
    return len(low) >= 5 and not is_medical(low) and not _NO_VOWEL.match(low[:4]) and low.isalpha()


def _after_fillers(text: str, words: Sequence[Word], index: int) -> int | None:
    """Return the word after fillers that follow ``index`` ("this is um Sarah"); ``None`` where there are none."""
    at = index + 1
    while at < len(words) and at - index < 4 and words[at].low in FILLERS and words[at].shape == "l":
        at += 1
    if at == index + 1 or at >= len(words) or len(text[words[index].end : words[at].start]) > 20:
        return None
    return at
