"""Finds initials of known people: ``F.M.``, ``I. MacT.``, and ``FM`` where the text says that they are initials."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pipeline.stages.deidentify.known.people import PARTICLES, Person
from pipeline.stages.deidentify.known.text import Words, fold, word_set
from pipeline.stages.deidentify.known.text import words as words_of

_LABELS: Final = word_set("initial initials initialled initialed")
# Dotted abbreviations of clinical text, degrees and clock times: initials of somebody only where they are labelled.
ABBREVIATIONS: Final = word_set(
    "md rn do pa np po pr iv im sc sq ng bp hr er or ed id am pm eg ie us uk dc lp hs qd cc od os ou pc ac ns tv ca st no vs va la bm "
    "tid bid qid qod npo prn qhs qam qpm sob cad chf dvt ekg ecg mri icu nkda phd dds dpm lpn aka usa"
)
_LETTERS: Final = range(2, 6)


def find_initials(words: Words, people: Sequence[Person]) -> list[tuple[int, int]]:
    """Return half-open places of initials, with the full stop after the last."""
    orders = {letters for one in people for letters in _orders(one)}
    found = [*_dotted(words, orders), *_labelled(words, orders)]
    for one in people:
        found += _shortened(words, one)
    return found


def _orders(person: Person) -> Iterator[str]:
    given = [fold(name)[:1].upper() for name in person.given]
    family = [fold(word) for word in words_of(person.family)]
    parts = [word[:1].upper() for word in family if word not in PARTICLES] or [word[:1].upper() for word in family]
    if not given or not parts or not all((*given, *parts)):
        return
    yield given[0] + family[0][:1].upper()
    yield "".join((*given, parts[0]))
    yield given[0] + parts[0]
    yield parts[0] + given[0]
    yield given[0] + "".join(parts)
    yield "".join((*given, *parts))


def _dotted(words: Words, orders: set[str]) -> Iterator[tuple[int, int]]:
    index = 0
    while index < len(words):
        last = index
        if not _is_dotted(words, index):
            index += 1
            continue
        while last + 1 < len(words) and _is_dotted(words, last + 1) and words.gap(last) in {".", ". "}:
            last += 1
        letters = "".join(words.raw[index : last + 1])
        if len(letters) in _LETTERS and letters in orders and (letters.lower() not in ABBREVIATIONS or _has_label(words, index, last)):
            yield words.starts[index], words.ends[last] + 1
        index = last + 1


def _is_dotted(words: Words, index: int) -> bool:
    end = words.ends[index]
    return len(words.raw[index]) == 1 and words.raw[index].isupper() and words.text[end : end + 1] == "."


def _labelled(words: Words, orders: set[str]) -> Iterator[tuple[int, int]]:
    for index, raw in enumerate(words.raw):
        if raw in orders and _has_label(words, index, index):
            yield words.starts[index], words.ends[index]


def _has_label(words: Words, first: int, last: int) -> bool:
    around = (*words.folded[max(0, first - 2) : first], *words.folded[last + 1 : last + 3])
    return not _LABELS.isdisjoint(around)


def _shortened(words: Words, person: Person) -> Iterator[tuple[int, int]]:
    """``I. MacT.``: an initial and the beginning of the family name, each with a full stop."""
    family = fold(person.family)
    first = {fold(name)[:1].upper() for name in person.given}
    for index in (at for at, raw in enumerate(words.raw[:-1]) if raw in first):
        short = words.folded[index + 1]
        if (
            _is_dotted(words, index)
            and 2 <= len(short) < len(family)
            and family.startswith(short)
            and words.raw[index + 1][0].isupper()
            and words.gap(index) in {".", ". "}
            and words.text[words.ends[index + 1] : words.ends[index + 1] + 1] == "."
        ):
            yield words.starts[index], words.ends[index + 1] + 1
