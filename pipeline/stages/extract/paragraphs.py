"""Lines in, the text of their paragraph out: one blank between lines, words that were broken over two lines whole again."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from pipeline.stages.extract.content import Line
from pipeline.stages.extract.known_words import is_known, known_words

_HYPHENS: Final = "-\u00ad\u2010\ufffe"  # hyphen-minus, soft hyphen, hyphen, and PDFium's own sign for a hyphen at a line end
_DASHES: Final = "\u2011\u2013\u2014"  # never set by a hyphenation program; written without blanks they join what they stand between
_WITHOUT_BLANKS: Final = re.compile(r"[\u2e80-\u312f\u31a0-\u9fff\uf900-\ufaff\uff00-\uff65]")  # Chinese and Japanese, not Hangul
_LAST_LETTERS: Final = re.compile(r"[^\W\d_]+$")
_FIRST_LETTERS: Final = re.compile(r"[^\W\d_]+")
_AFTER_SUSPENDED: Final = frozenset({"and", "or", "to", "through", "vs", "versus", "as", "nor"})  # "pre- and post-dose"
_SHORT: Final = (
    3  # letters: "Gd-", "Hb-", "Tc-" name a thing and begin no word that was broken; as short an end ("ing") is no word of its own
)


@dataclass(frozen=True, slots=True)
class Joined:
    """The text of a paragraph.

    ``word_spans``: one per word of the lines, in order, half-open in characters of ``text``; both parts of a broken word have theirs.
    ``dropped``: hyphens that were left out.
    """

    text: str = field(repr=False)
    word_spans: tuple[tuple[int, int], ...] = field(repr=False)
    dropped: int = 0


def join_lines(lines: Iterable[Line]) -> Joined:
    """Return the lines of one paragraph as one text. No sign of a word is lost but hyphens counted as dropped."""
    parts: list[str] = []
    spans: list[tuple[int, int]] = []
    length = dropped = 0
    before = ""  # the last word of the line before
    for line in lines:
        for index, word in enumerate(line.words):
            glue = " "
            if index == 0 and before:
                before, glue = _bridge(before, word.text)
                lost = spans[-1][1] - spans[-1][0] - len(before)
                parts[-1], spans[-1] = before, (spans[-1][0], spans[-1][1] - lost)
                length, dropped = length - lost, dropped + lost
            if parts:
                parts.append(glue)
                length += len(glue)
            parts.append(word.text)
            spans.append((length, length + len(word.text)))
            length += len(word.text)
        before = line.words[-1].text if line.words else before
    return Joined("".join(parts), tuple(spans), dropped)


def _bridge(left: str, right: str) -> tuple[str, str]:
    """Return how the last word of a line is written, and what stands between it and the first word of the next line."""
    if len(left) < 2 or not left[-2].isalnum() or not right[:1].isalnum():
        return left, "" if _stand_together(left[-1:], right[:1]) else " "
    if _stand_together(left[-1], right[0]):
        return left, ""
    if left[-1] in _DASHES or (left[-1] == "/" and "//" not in left and not left.startswith("www.")):
        return left, ""
    if left[-1] not in _HYPHENS:
        return left, " "
    stem, head = _LAST_LETTERS.search(left[:-1]), _FIRST_LETTERS.match(right)
    if stem is None or head is None:
        return _kept(left), ""  # a range or a name: "10-" and "20", "COVID-" and "19"
    if _is_broken(stem.group(), head.group(), is_soft=left[-1] == "\u00ad"):
        return left[:-1], ""
    return _kept(left), " " if head.group() in _AFTER_SUSPENDED else ""


def _stand_together(before: str, after: str) -> bool:
    """Whether two signs are of scripts that have no blanks between words."""
    return bool(_WITHOUT_BLANKS.match(before)) and bool(_WITHOUT_BLANKS.match(after))


def _kept(word: str) -> str:
    return word[:-1] + ("-" if word[-1] in "\u00ad\ufffe" else word[-1])


def _is_broken(stem: str, head: str, *, is_soft: bool) -> bool:
    """Whether the hyphen between two runs of letters was set by a hyphenation program."""
    same_case = head.islower() or (stem.isupper() and head.isupper())
    if not same_case or len(stem) == 1:
        return False  # "non-" and "US", "End-of-" and "Study", "p-" and "values"
    words = known_words()
    lower, parts = (stem + head).lower(), (stem.lower() in words, head.lower() in words)
    if lower in words or (is_known(lower) and not (all(parts) and len(head) > _SHORT)):
        return True
    if head in _AFTER_SUSPENDED:
        return False
    if is_soft:
        return True
    if stem.isupper() and head.islower():
        return False  # "HLA-" and "matched"
    names_a_thing = len(stem) <= _SHORT and not stem.islower()
    return not ((parts[0] or names_a_thing) and is_known(head))
