"""The gate's own dictionaries: which words are names, and which are ordinary. Loaded at the first clinical text (about 60 ms)."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources

_DOUBT = "?"


@dataclass(frozen=True, slots=True)
class Names:
    """Names in lower case: sure ones, and words that are names only beside a sure one."""

    sure: frozenset[str]
    possible: frozenset[str]  # the sure ones too


@cache
def first_names() -> Names:
    """Given names."""
    return _names("first_names.txt")


@cache
def last_names() -> Names:
    """Family names."""
    return _names("last_names.txt")


@cache
def ordinary_words() -> frozenset[str]:
    """Words that any English text may hold, without sure names."""
    return frozenset(_lines("ordinary_words.txt"))


@cache
def clinical_words() -> frozenset[str]:
    """Words of medicine that are also names, or that begin a heading or an eponym's second half."""
    return frozenset(_lines("clinical_words.txt"))


def word_list(file: str, name: str) -> frozenset[str]:
    """Return one of the closed lists of ``rules.toml``."""
    return frozenset(_rules()[file][name])


@cache
def _rules() -> dict[str, dict[str, list[str]]]:
    return tomllib.loads(resources.files(__package__).joinpath("lexicon", "rules.toml").read_text("utf-8"))


def _names(file: str) -> Names:
    lines = _lines(file)
    return Names(
        sure=frozenset(line for line in lines if not line.endswith(_DOUBT)), possible=frozenset(line.rstrip(_DOUBT) for line in lines)
    )


def _lines(file: str) -> list[str]:
    text = resources.files(__package__).joinpath("lexicon", file).read_text("utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]
