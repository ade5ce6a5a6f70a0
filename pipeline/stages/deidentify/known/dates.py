"""Finds known dates (of birth, of death) in every usual form: ``1948-11-02``, ``11/2/48``, ``2 Nov 1948``, ``November 2nd``, ``02NOV1948``, ``19481102``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from pipeline.stages.deidentify.known.text import Words, word_set

MONTHS: Final = (
    ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"],
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
)
_MORE: Final = {"sept": 9}
_ISO: Final = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")
_GAP: Final = re.compile(r"[\s./,'\-]{1,4}")
_OCR_DIGITS: Final = str.maketrans("olisbz", "011582")
_LABELS: Final = word_set("dob birth born birthday birthdate bday geb nacimiento")
_LABEL_WORDS: Final = 4  # how far before a date without a year its label may stand


class DateFinder:
    """Finds the known dates of one patient; made once a patient. Values that are no ISO dates are left to other finders."""

    def __init__(self, values: Iterable[str]) -> None:
        self._roles: dict[str, set[tuple[int, str]]] = {}
        self._whole: set[str] = set()
        for number, value in enumerate(values):
            if match := _ISO.match(value.strip()):
                self._add(number, *match.groups())

    def find(self, words: Words) -> list[tuple[int, int]]:
        """Return half-open places."""
        return list(self._find(words)) if self._roles else []

    def _add(self, number: int, year: str, month: str | None, day: str | None) -> None:
        self._role(number, "Y", year)
        self._role(number, "y", year[2:])
        if month is None or not 1 <= int(month) <= 12:
            return
        names = {MONTHS[0][int(month) - 1], MONTHS[1][int(month) - 1], *(name for name, at in _MORE.items() if at == int(month))}
        for name in names:
            self._role(number, "N", name)
        for form in {month, str(int(month))}:
            self._role(number, "M", form)
        if day is None:
            return
        for form in {day, str(int(day))}:
            for ending in ("", "st", "nd", "rd", "th"):
                self._role(number, "D", form + ending)
        self._whole |= {year + month + day, month + day + year, day + month + year}
        for name in names:
            for form in {day, str(int(day))}:
                self._whole |= {form + name + year, form + name + year[2:], name + form + year, year + name + form}

    def _role(self, number: int, role: str, form: str) -> None:
        self._roles.setdefault(form, set()).add((number, role))

    def _find(self, words: Words) -> Iterator[tuple[int, int]]:
        distinct = {folded: _plain(folded) for folded in set(words.folded)}
        begin = {folded for folded, form in distinct.items() if form in self._roles or form in self._whole}
        done = -1
        for index, folded in enumerate(words.folded):
            if folded in begin and index > done and (last := self._at(words, index)) is not None:
                yield words.starts[index], words.ends[last]
                done = last

    def _at(self, words: Words, index: int) -> int | None:
        """Return the last word of a known date that begins at word ``index``."""
        if _plain(words.folded[index]) in self._whole:
            return index
        roles = [self._roles_of(words, index)]
        if not roles[0]:
            return None
        places = [index]
        at = index
        while len(places) < 3 and at + 1 < len(words):
            gap = words.gap(at)
            if not _GAP.fullmatch(gap):
                break
            at += 1
            if words.folded[at] == "of":
                continue
            if not (more := self._roles_of(words, at)):
                break
            places.append(at)
            roles.append(more)
        for length in range(len(places), 1, -1):
            if self._is_date(words, places[:length], roles[:length]):
                return places[length - 1]
        return None

    def _roles_of(self, words: Words, index: int) -> set[tuple[int, str]]:
        return self._roles.get(_plain(words.folded[index]), set())

    def _is_date(self, words: Words, places: list[int], roles: list[set[tuple[int, str]]]) -> bool:
        for number in {number for number, _ in roles[0]}:
            kinds = [{role for at, role in each if at == number} for each in roles]
            if len(kinds) == 3 and _matches(kinds, ("DMy", "MDy", "yMD", "yDM")):
                return True
            if len(kinds) == 2 and _matches(kinds, ("DN", "ND", "NY", "YN")):
                return True
            if len(kinds) == 2 and _matches(kinds, ("MY", "YM")) and words.gap(places[0]) in {"/", "-", "."}:
                return True
            if len(kinds) == 2 and _matches(kinds, ("DM", "MD")) and self._labelled(words, places[0]):
                return True
        return False

    def _labelled(self, words: Words, index: int) -> bool:
        return not _LABELS.isdisjoint(words.folded[max(0, index - _LABEL_WORDS) : index])


def _matches(kinds: list[set[str]], orders: tuple[str, ...]) -> bool:
    """Whether words can take the roles of one order; M also by its name, y also with four digits."""
    wider = {"M": {"M", "N"}, "y": {"y", "Y"}, "D": {"D"}, "N": {"N"}, "Y": {"Y"}}
    return any(all(kind & wider[role] for kind, role in zip(kinds, order, strict=True)) for order in orders)


def _plain(folded: str) -> str:
    """Return a word as a date writes it: without the time after an ISO date, look-alike letters as digits."""
    if folded[2:3] == "t" and folded[:2].isdecimal() and folded[3:4].isdecimal():
        return folded[:2]
    if folded.isalpha() or folded.isdecimal():
        return folded
    digits = folded.translate(_OCR_DIGITS)
    return digits if digits.isdecimal() else folded
