"""A text cut into words once, for every finder of known identifiers. In: text. Out: words, folded, in one stream without separators."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from itertools import accumulate
from typing import Final

from pipeline.lexicons import entries

# Letters, digits and the marks that belong to them (Latin, Hebrew, Arabic, Indic).
_MARKS: Final = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0963\u0970-\u109f"
_WORD: Final = re.compile(f"(?:[^\\W_]|[{_MARKS}])+")
# Letters that Unicode does not take apart into a base and a mark.
_WHOLE: Final = str.maketrans({"ß": "ss", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "æ": "ae", "œ": "oe", "þ": "th", "ı": "i", "ħ": "h"})
# What OCR takes for each other, brought to one sign: 0/O, 1/l/I, 5/S, rn/m.
_LOOKALIKES: Final = str.maketrans("01i5", "olls")
_SPELT_OUT: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
# Lists whose words are never read as misspelt names.
_CLINICAL: Final = ("clinical_words", "drugs", "drug_brands", "anatomy", "eponyms", "measures")
_CLINICAL_LETTERS: Final = 4
# Scripts that are written without blanks between words: a value in one of them is looked for as it is.
_UNSPACED: Final = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")


def word_set(line: str) -> frozenset[str]:
    """Return the words of a line."""
    return frozenset(line.split())


def fold(word: str) -> str:
    """Return letters and digits in lower case without accents and separators: ``O'Brien`` and ``OBRIEN`` are one."""
    if word.isascii():
        return word.lower() if word.isalnum() else "".join(filter(str.isalnum, word.lower()))
    bare = unicodedata.normalize("NFKD", word.lower().translate(_WHOLE))
    return "".join(char for char in bare if char.isalnum())


def canonical(folded: str) -> str:
    """Return a folded word with look-alikes brought to one sign: ``Wa1lace`` and ``Wallace`` are one."""
    return folded.translate(_LOOKALIKES).replace("rn", "m")


def unjoined(folded: str) -> str:
    """Return ``canonical`` as it is where a line break stands between r and n."""
    return folded.translate(_LOOKALIKES)


def spellings(value: str) -> tuple[str, ...]:
    """Return a value and how its umlauts are written without them."""
    spelt = unicodedata.normalize("NFC", value.lower()).translate(_SPELT_OUT)
    return (value,) if spelt == value.lower() else (value, spelt)


def is_unspaced(value: str) -> bool:
    """Whether a value is in a script without blanks between words."""
    return _UNSPACED.search(value) is not None


def words(value: str) -> list[str]:
    """Return the words of a value as they are written."""
    return _WORD.findall(value)


@cache
def _ordinary_words() -> frozenset[str]:
    return frozenset(entries("ordinary_words"))


@cache
def _clinical_words() -> frozenset[str]:
    return frozenset(
        word for name in _CLINICAL for entry in entries(name) for word in map(fold, words(entry)) if len(word) >= _CLINICAL_LETTERS
    )


def is_ordinary(folded: str) -> bool:
    """Whether a folded word is one of the language, also as a plain plural: a name among them counts only with a capital."""
    known = _ordinary_words()
    return folded in known or (folded.endswith("s") and folded[:-1] in known)


def is_word(folded: str) -> bool:
    """Whether a folded word is one of the language or of medicine: such a word is never read as a misspelt name."""
    return is_ordinary(folded) or folded in _clinical_words()


class Words:
    """The words of one text, with their places (half-open).

    Attributes:
        raw: As written.
        folded: See ``fold``.
        canon: See ``canonical``.
        gaps: What stands between each word and the next.
        stream: All of ``canon`` joined: a value that is broken, hyphenated or spaced differently is found in it by ``str.find``.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        spans = [match.span() for match in _WORD.finditer(text)]
        self.starts = [start for start, _ in spans]
        self.ends = [end for _, end in spans]
        self.raw = [text[start:end] for start, end in spans]
        forms = {word: fold(word) for word in set(self.raw)}
        canon = {word: canonical(form) for word, form in forms.items()}
        self.folded = [forms[word] for word in self.raw]
        self.canon = [canon[word] for word in self.raw]
        self.gaps = [text[end:start] for end, start in zip(self.ends, self.starts[1:], strict=False)]
        self._join()

    def _join(self) -> None:
        self.stream = "".join(self.canon)
        lengths = [len(word) for word in self.canon]
        after = list(accumulate(lengths))
        self._bounds = [end - length for end, length in zip(after, lengths, strict=True)]
        self._ends = {end: index for index, end in enumerate(after) if lengths[index]}
        self._begins = {start: index for index, start in enumerate(self._bounds) if lengths[index]}

    def __len__(self) -> int:
        return len(self.raw)

    def gap(self, index: int) -> str:
        """Return what stands between word ``index`` and the next."""
        return self.gaps[index]

    def whole(self, canon: str) -> Iterator[tuple[int, int]]:
        """Yield the first and last word (both included) of each place where ``canon`` makes up whole words of the stream."""
        place = self.stream.find(canon)
        while place >= 0:
            first, last = self._begins.get(place), self._ends.get(place + len(canon))
            if first is not None and last is not None:
                yield first, last
            place = self.stream.find(canon, place + 1)

    def inside(self, canon: str) -> Iterator[tuple[int, int]]:
        """Yield the first and last word (both included) that hold ``canon``, whole or not."""
        place = self.stream.find(canon)
        while place >= 0:
            yield bisect_right(self._bounds, place) - 1, bisect_right(self._bounds, place + len(canon) - 1) - 1
            place = self.stream.find(canon, place + 1)
