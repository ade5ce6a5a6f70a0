"""What is known of a word as a name: lists of given names, surnames and ordinary English words (sources: the lists' first lines)."""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import Final

from pipeline.lexicons import entries

_NO_ACCENT: Final = str.maketrans({"đ": "d", "ł": "l", "ø": "o", "ß": "ss", "ı": "i", "æ": "ae", "þ": "th", "ð": "d"})


@cache
def words_of(name: str, *, lower: bool = False) -> frozenset[str]:
    """Return the entries of a list in ``lexicons``: one a line, lines that begin with # left out; in lower case if asked for."""
    return frozenset(line.lower() if lower else line for line in entries(name))


def never() -> frozenset[str]:
    """Return words that stand beside names and are no part of them."""
    return words_of("not_names")


def credentials() -> frozenset[str]:
    """Return degrees and licences, without dots."""
    return words_of("credentials")


def fold(word: str) -> str:
    """Return a word as the lists hold it: lower case, without accents."""
    word = word.lower()
    if word.isascii():
        return word
    parts = unicodedata.normalize("NFD", word.translate(_NO_ACCENT))
    return "".join(char for char in parts if not unicodedata.combining(char))


def traits(word: str) -> tuple[bool, bool, bool]:
    """Return whether a word is a given name, a surname and an ordinary word; of a hyphenated one all parts together."""
    low = fold(word)
    given, last, ordinary = _traits(low)
    ordinary = ordinary and word.isascii()  # "Đỗ" is not "do"
    if "-" not in low or given or last or ordinary:
        return given, last, ordinary
    parts = [_traits(part) for part in low.split("-") if part not in ("al", "el", "ul", "bin", "ibn", "de", "da")]
    if len(parts) == 1:
        return parts[0][0], parts[0][1] or (not parts[0][2] and low.startswith(("al-", "el-", "bin-", "ibn-"))), parts[0][2]
    is_ordinary = any(each[2] and not (each[0] or each[1]) for each in parts) or all(each[2] for each in parts)
    return all(each[0] for each in parts), any(each[1] or each[0] for each in parts) and not is_ordinary, is_ordinary


def _traits(low: str) -> tuple[bool, bool, bool]:
    if low.startswith(("o'", "d'")) and len(low) > 4:
        return False, True, False
    return low in words_of("given_names"), low in words_of("surnames"), low in words_of("ordinary_words")
