"""Finds the names of known people in a text. In: words of a text. Out: half-open places.

A name counts in any case, order, spacing and hyphenation, with typing errors (Damerau-Levenshtein distance 1 from five letters on, 2 from
nine on; never where the text holds a dictionary word) and with what OCR takes for each other. A name that is a word of the language,
or shorter than three letters, counts with a capital, or beside another part of the name, or after a title.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from rapidfuzz.distance import OSA

from pipeline.stages.deidentify.known.initials import find_initials
from pipeline.stages.deidentify.known.people import PARTICLES, SUFFIXES, TITLES, NameForm, Person, name_forms
from pipeline.stages.deidentify.known.text import Words, is_ordinary, is_unspaced, is_word, word_set

# Inside one name: nothing, or what breaks, hyphenates or spaces it. Bounded, as an indented next line is.
_INSIDE: Final = re.compile(r"[\s'’`´_.\-]{0,40}")
_BESIDE: Final = re.compile(r"[\s,._\-]{1,4}")
_HYPHEN: Final = re.compile(r"\s{0,2}[-_'’`´]\s{0,40}")
_TYPO_LETTERS: Final = ((9, 2), (5, 1))  # length from which on, errors
_LETTERS_AN_ERROR: Final = 3  # of what stands beside a word of the name that is right: "Ada Birhc" has one, an initial none
_FIRST_LETTER: Final = 7  # from this length on, one error may be in the first letter
_HELD_LETTERS: Final = 6  # a name this long counts inside a longer token, too: a file name, a user name
# Read as abbreviations where they stand alone in capitals amid lower case, although somebody may be called so.
ABBREVIATIONS: Final = word_set("ed er mi ms pt or ot us iv po pr im id ng do bp hr rr np pa md rn lp la le ct ca na po ra sa ac st")


@dataclass(frozen=True, slots=True)
class _Hit:
    first: int
    last: int  # words, both included
    form: NameForm
    strong: bool  # counts alone


class NameFinder:
    """Finds the names of one patient's people; made once a patient."""

    def __init__(self, people: Sequence[Person]) -> None:
        self._people = tuple(people)
        self._forms = [form for form in name_forms(people) if not is_unspaced(form.folded)]
        unspaced = {name for one in people for name in (*one.given, one.family) if is_unspaced(name)}
        self._unspaced = tuple({unicodedata.normalize(form, name) for name in unspaced for form in ("NFC", "NFD")})
        self._by_edge: defaultdict[str, list[NameForm]] = defaultdict(list)
        self._by_word: defaultdict[str, list[NameForm]] = defaultdict(list)
        for form in self._forms:
            if _errors(len(form.folded)) and not (form.is_pair and form.breaks):
                self._by_edge[form.canon[0]].append(form)
                self._by_edge["-" + form.canon[-1]].append(form)
            if form.breaks and _errors(len(form.folded)):
                self._by_word[form.folded[: min(form.breaks)]].append(form)
                self._by_word["-" + form.folded[max(form.breaks) :]].append(form)
        self._initials = frozenset[str]().union(*(one.initials for one in people))

    def find(self, words: Words) -> list[tuple[int, int]]:
        """Return half-open places, in order and apart."""
        hits = [*self._spelt(words), *self._misspelt(words), *self._held(words)]
        places = self._together(words, _counting(words, hits))
        places += find_initials(words, self._people)
        for name in self._unspaced:
            places += [match.span() for match in re.finditer(re.escape(name), words.text)]
        return sorted(places)

    def _spelt(self, words: Words) -> Iterator[_Hit]:
        for form in self._forms:
            for canon in form.canons:
                for first, last in words.whole(canon):
                    if _is_one(words, first, last, form) and (hit := _judged(words, first, last, form)):
                        yield hit

    def _misspelt(self, words: Words) -> Iterator[_Hit]:
        distinct = dict(zip(words.folded, words.canon, strict=True))
        close = {folded: form for folded, canon in distinct.items() if not is_word(folded) and (form := self._close(folded, canon))}
        edges = {key.removeprefix("-") for key in self._by_word} & distinct.keys()
        for index, folded in enumerate(words.folded):
            if folded in close:
                yield _Hit(index, index, close[folded], True)
            if folded in edges:
                yield from self._misspelt_in_words(words, index)
        for index, gap in enumerate(words.gaps):
            if gap != " " and _HYPHEN.fullmatch(gap):
                form = self._close(words.folded[index] + words.folded[index + 1], words.canon[index] + words.canon[index + 1])
                if form and not (is_ordinary(words.folded[index]) and is_ordinary(words.folded[index + 1])):
                    yield _Hit(index, index + 1, form, True)

    def _close(self, folded: str, canon: str) -> NameForm | None:
        if len(folded) < _TYPO_LETTERS[-1][0] - 1:
            return None
        alike: list[NameForm] = [*self._by_edge.get(canon[0], []), *self._by_edge.get("-" + canon[-1], [])]
        for form in alike:
            errors = _errors(len(form.folded))
            if canon[0] != form.canon[0]:
                errors = errors and int(len(form.folded) >= _FIRST_LETTER)  # "melena" is no Elena
            if errors and _is_near(folded, canon, form, errors):
                return form
        return None

    def _misspelt_in_words(self, words: Words, index: int) -> Iterator[_Hit]:
        """Names of several words, one of them misspelt: the first or the last stands as it should."""
        folded = words.folded[index]
        for key, step in ((folded, 1), ("-" + folded, -1)):
            for form in self._by_word.get(key, ()):
                other = index + step * len(form.breaks)
                first, last = min(index, other), max(index, other)
                if first < 0 or last >= len(words) or not _joined(words, first, last):
                    continue
                rest = [words.folded[at] for at in range(first, last + 1) if at != index]
                if all(map(is_ordinary, rest)):
                    continue
                read = ("".join(words.folded[first : last + 1]), "".join(words.canon[first : last + 1]))
                # The errors are in what is not the word that stands as it should: an initial has no room for one.
                room = (len(form.folded) - len(folded)) // _LETTERS_AN_ERROR
                if (errors := min(_errors(len(form.folded)), room)) and _is_near(*read, form, errors):
                    yield _Hit(first, last, form, True)

    def _held(self, words: Words) -> Iterator[_Hit]:
        for form in self._forms:
            if len(form.folded) >= _HELD_LETTERS and not form.needs_capital:
                for first, last in words.inside(form.canon):
                    known = all(is_word(words.folded[at]) for at in range(first, last + 1))
                    if not known and (first == last or _hyphened(words, first, last)):
                        yield _Hit(first, last, form, True)

    def _together(self, words: Words, hits: Sequence[_Hit]) -> list[tuple[int, int]]:
        """Unite parts of one name that stand beside each other, with initials and suffixes between and around them."""
        merged: list[list[int]] = []
        family = False
        for hit in sorted(hits, key=lambda one: (one.first, -one.last)):
            if merged and (hit.first <= merged[-1][1] or self._goes_on(words, merged[-1][1], hit.first, family=family)):
                merged[-1][1] = max(merged[-1][1], hit.last)
            else:
                merged.append([hit.first, hit.last])
            family = hit.form.is_family
        return [self._with_initials(words, first, last) for first, last in merged]

    def _goes_on(self, words: Words, last: int, first: int, *, family: bool) -> bool:
        between = words.raw[last + 1 : first]
        if len(between) > 2 or any(not self._is_initial(each) and each.lower() not in PARTICLES for each in between):
            return False
        gaps = [words.gap(index) for index in range(last, first)]
        return all(_BESIDE.fullmatch(gap) and "\n" not in gap and ("," not in gap or family) for gap in gaps)

    def _is_initial(self, raw: str) -> bool:
        return len(raw) == 1 and raw.isupper()

    def _with_initials(self, words: Words, first: int, last: int) -> tuple[int, int]:
        while first > 0 and self._is_initial(words.raw[first - 1]) and words.gap(first - 1) in {". ", " ", "."}:
            if words.raw[first - 1] not in self._initials:
                break
            first -= 1
        end = words.ends[last]
        for index in range(last + 1, min(last + 3, len(words))):
            raw, gap = words.raw[index], words.gap(index - 1)
            dotted = words.text[words.ends[index] : words.ends[index] + 1] == "."
            if self._is_initial(raw) and raw in self._initials and dotted and gap in {" ", ", ", ",", ". "}:
                end = words.ends[index] + 1
            elif raw.lower() in SUFFIXES and gap in {" ", ", ", ","} and raw[0].isupper():
                end = words.ends[index]
            else:
                break
        return words.starts[first], end


def _errors(letters: int) -> int:
    return next((errors for length, errors in _TYPO_LETTERS if letters >= length), 0)


def _is_near(folded: str, canon: str, form: NameForm, errors: int) -> bool:
    """Whether a word is at most some errors away from a form. Look-alikes count as no error; a turned ``rn`` counts as one."""
    if abs(len(canon) - len(form.canon)) <= errors and int(OSA.distance(canon, form.canon, score_cutoff=errors)) <= errors:
        return True
    turned = "rn" in form.folded or "rn" in folded
    return turned and int(OSA.distance(folded, form.folded, score_cutoff=errors)) <= errors


def _joined(words: Words, first: int, last: int) -> bool:
    return all(_INSIDE.fullmatch(words.gap(index)) for index in range(first, last))


def _hyphened(words: Words, first: int, last: int) -> bool:
    return all(_HYPHEN.fullmatch(words.gap(index)) for index in range(first, last))


def _is_one(words: Words, first: int, last: int, form: NameForm) -> bool:
    """Whether words are one name: broken where the name has a break of its own, or by a hyphen, or into pieces that are no words."""
    if first == last:
        return True
    if not _joined(words, first, last):
        return False
    length = 0
    for index in range(first, last):
        length += len(words.folded[index])
        own = any(abs(length - each) <= 1 for each in form.breaks)
        pieces = (words.folded[index], words.folded[index + 1])
        if not own and words.gap(index).isspace() and all(is_ordinary(each) for each in pieces):
            return False
    return True


def _judged(words: Words, first: int, last: int, form: NameForm) -> _Hit | None:
    """Say whether a place counts alone. What only looks alike does not count where it is a word of the language, or very short."""
    raw = words.raw[first]
    folded = "".join(words.folded[first : last + 1])
    capital = not raw[0].islower()
    if folded != form.folded:
        return _Hit(first, last, form, True) if len(folded) > 3 - capital and not is_word(folded) else None
    if form.is_pair:
        return _Hit(first, last, form, first < last or not is_ordinary(folded))
    if not form.needs_capital:
        return _Hit(first, last, form, True)
    if len(folded) < 3 and raw.isupper() and folded in ABBREVIATIONS and not _amid_capitals(words, first, last):
        capital = False
    return _Hit(first, last, form, capital)


def _amid_capitals(words: Words, first: int, last: int) -> bool:
    around = [word for word in (*words.raw[max(0, first - 2) : first], *words.raw[last + 1 : last + 3]) if word.isalpha() and len(word) > 1]
    return bool(around) and all(word.isupper() for word in around)


def _counting(words: Words, hits: Iterable[_Hit]) -> list[_Hit]:
    """Return what counts: alone, after a title, or beside a part of the name that counts."""
    ordered = sorted(hits, key=lambda one: (one.first, one.last))
    kept = [hit for hit in ordered if hit.strong or _titled(words, hit.first)]
    ends, starts = {hit.last for hit in kept}, {hit.first for hit in kept}
    weak = [hit for hit in ordered if not hit.strong and not _titled(words, hit.first)]
    begun = {hit.first: hit for hit in weak}
    for hit in weak:
        after, before = hit.last + 1, hit.first - 1
        beside = (after in starts and _BESIDE.fullmatch(words.gap(hit.last))) or (before in ends and _BESIDE.fullmatch(words.gap(before)))
        turned = after in begun and words.gap(hit.last) in {", ", ","}
        if beside:
            kept.append(hit)
        elif turned:
            kept += (hit, begun[after])
    return kept


def _titled(words: Words, first: int) -> bool:
    return first > 0 and words.folded[first - 1] in TITLES and words.gap(first - 1) in {". ", " ", "."}
