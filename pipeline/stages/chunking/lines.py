"""Lines of a text with their indent and list marks. Whether a sign is a mark is decided by how the block around it uses it."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final


class Style(StrEnum):
    """Family of a list mark. Items of one family at one indent are siblings."""

    SYMBOL = "symbol"
    HYPHEN = "hyphen"
    NUMBER = "number"
    MULTILEVEL = "multilevel"
    LETTER = "letter"
    ROMAN = "roman"


@dataclass(frozen=True, slots=True)
class Mark:
    """One list mark: its half-open range in the text, family, and place in its sequence (from 1; 0 for signs)."""

    start: int
    end: int
    style: Style
    form: str  # the sign, or the punctuation around the number
    value: int = 0


@dataclass(frozen=True, slots=True)
class Line:
    """One line that is not blank. ``start:end`` is its text without marks, indent and blanks at the end."""

    begin: int  # where the line begins, indent included
    start: int
    end: int
    indent: int
    width: int  # columns, indent included
    fresh: bool  # a blank line, or nothing, stands before it
    marks: tuple[Mark, ...] = field(default=())


_TAB: Final = 4
_SIGNS: Final = "•◦▪▫●○■□◆◇►▶▸‣⁃∙⦁✓✔➢➤❖※·\uf0b7\uf0a7\uf076\uf0d8\u2043"
_SIGN: Final = re.compile(rf"[{_SIGNS}]{{1,3}}\s*(?=[^\s{_SIGNS}])")
_STAR: Final = re.compile(r"[*+]\s+(?=\S)")
_HYPHEN: Final = re.compile(r"-\s+(?=\S)")
_DASH: Final = re.compile(r"[–—]\s*(?=[^\W\d_])|[–—]\s+(?=\S)")
_WORD_BULLET: Final = re.compile(r"o\s+(?=[A-Z])")
_NUMBER: Final = re.compile(
    r"(?P<open>[(（]?)(?P<value>\d{1,2})(?P<close>\.\)|[.)）、．:](?!\d)|\s?-(?=\s|[A-Z]))(?:\s+(?=\S)|(?=[^\s\d.,)]))"
)
_CIRCLED: Final = re.compile(r"(?P<value>[①-⑳])\s*(?=\S)")
_MULTILEVEL: Final = re.compile(r"(?P<value>\d{1,2}(?:\.\d{1,2}){1,4})[.)]?\s+(?=[A-Za-z(])")
_LETTER: Final = re.compile(r"(?P<open>\(?)(?P<value>[A-Za-z])(?P<close>[.)])(?:\s+(?=\S)|(?=[A-Z][a-z]))")
_ROMAN: Final = re.compile(r"(?P<open>\(?)(?P<value>[ivx]{1,5}|[IVX]{1,5})(?P<close>[.)])(?:\s+(?=\S)|(?=[A-Z][a-z]))")
_ROMAN_VALUES: Final = {
    numeral: value
    for value, numeral in enumerate(
        [
            "i",
            "ii",
            "iii",
            "iv",
            "v",
            "vi",
            "vii",
            "viii",
            "ix",
            "x",
            "xi",
            "xii",
            "xiii",
            "xiv",
            "xv",
            "xvi",
            "xvii",
            "xviii",
            "xix",
            "xx",
            "xxi",
            "xxii",
            "xxiii",
            "xxiv",
            "xxv",
        ],
        start=1,
    )
}
_MAX_MARKS: Final = 3  # "* (1) • text" was the longest met
_LENIENT: Final = re.compile(
    rf"(?:[{_SIGNS}*+\-–—]+\s*|[(]?\d{{1,2}}(?:\.\d{{1,2}}){{0,4}}[.)]?\s+|[(]?[ivxIVX]{{1,5}}[.)]\s+|[(]?[A-Za-z][.)]\s+){{1,2}}(?=\S)"
)


def read_lines(text: str, breaks: Sequence[int] = ()) -> list[Line]:
    """Return the lines of ``text`` that are not blank, without reading marks. ``breaks`` are offsets of lost line breaks, ascending."""
    lines: list[Line] = []
    fresh = True
    for begin, stop in _ranges(text, breaks):
        content = text[begin:stop]
        stripped = content.strip()
        if not stripped:
            fresh = True
            continue
        lead = len(content) - len(content.lstrip())
        indent = len(content[:lead].expandtabs(_TAB))
        start = begin + lead
        lines.append(Line(begin, start, start + len(stripped), indent, indent + len(stripped), fresh))
        fresh = False
    return lines


def _ranges(text: str, breaks: Sequence[int]) -> list[tuple[int, int]]:
    cuts = sorted({0, len(text), *breaks, *(match.end() for match in re.finditer("\n", text))})
    return [(start, end) for start, end in itertools.pairwise(cuts) if start < end]


def lenient_start(text: str, line: Line) -> int:
    """Return where a line's words begin if everything that looks like a mark is one (for headers)."""
    match = _LENIENT.match(text, line.start, line.end)
    return match.end() if match else line.start


def read_marks(text: str, lines: Sequence[Line], escaped: frozenset[int]) -> list[Line]:
    """Return the lines of one block with their marks read."""
    usage = _Usage(text, lines, escaped)
    read: list[Line] = []
    for index, line in enumerate(lines):
        start = line.start
        marks: list[Mark] = []
        while len(marks) < _MAX_MARKS:
            mark = _mark_at(text, start, line.end, escaped)
            if mark is None or not usage.accepts(mark, line, read[index - 1] if index else None, inner=bool(marks)):
                break
            marks.append(mark)
            start = mark.end
        usage.seen(marks)
        read.append(replace(line, start=start, marks=tuple(marks)))
    return read


def _mark_at(text: str, start: int, end: int, escaped: frozenset[int]) -> Mark | None:
    for pattern, style in (
        (_SIGN, Style.SYMBOL),
        (_STAR, Style.SYMBOL),
        (_DASH, Style.SYMBOL),
        (_WORD_BULLET, Style.SYMBOL),
        (_HYPHEN, Style.HYPHEN),
    ):
        match = pattern.match(text, start, end)
        if match:
            form = "\\" + text[start] if start in escaped else text[start]
            return Mark(start, match.end(), style, form)
    match = _CIRCLED.match(text, start, end)
    if match:
        return Mark(start, match.end(), Style.NUMBER, "①", ord(match["value"]) - ord("①") + 1)
    match = _NUMBER.match(text, start, end)
    if match:
        return Mark(start, match.end(), Style.NUMBER, match["open"] + match["close"].strip(), int(match["value"]))
    match = _MULTILEVEL.match(text, start, end)
    if match:
        return Mark(start, match.end(), Style.MULTILEVEL, "1.1", int(match["value"].rsplit(".", 1)[1]))
    return _alphabetic(text, start, end)


def _alphabetic(text: str, start: int, end: int) -> Mark | None:
    letter = _LETTER.match(text, start, end)
    roman = _ROMAN.match(text, start, end)
    if roman and roman["value"].lower() in _ROMAN_VALUES and (letter is None or roman["value"] in "iI"):
        form = roman["open"] + ("i" if roman["value"].islower() else "I") + roman["close"]
        return Mark(start, roman.end(), Style.ROMAN, form, _ROMAN_VALUES[roman["value"].lower()])
    if letter:
        form = letter["open"] + ("a" if letter["value"].islower() else "A") + letter["close"]
        return Mark(start, letter.end(), Style.LETTER, form, ord(letter["value"].lower()) - ord("a") + 1)
    return None


class _Usage:
    """How often a block begins lines with each sign and each place of a sequence."""

    def __init__(self, text: str, lines: Sequence[Line], escaped: frozenset[int]) -> None:
        marks = [mark for line in lines if (mark := _first_inner(text, line, escaped)) is not None]
        self._count = Counter(mark.form for mark in marks)
        self._values = {(mark.form, mark.value) for mark in marks}
        self._seen: set[tuple[str, int]] = set()
        self._text = text

    def seen(self, marks: Sequence[Mark]) -> None:
        self._seen.update((mark.form, mark.value) for mark in marks)

    def accepts(self, mark: Mark, line: Line, before: Line | None, *, inner: bool) -> bool:
        """Whether the sign is a mark here, given the line before (``None``: first of the block)."""
        opens = before is None or line.fresh or inner or self._text[before.end - 1] in ":："
        match mark.style:
            case Style.SYMBOL if mark.form in "–—":
                return opens or self._count[mark.form] > 1 or bool(before and before.marks)
            case Style.SYMBOL if mark.form in {"\\*", "+", "\\+"}:
                return self._count[mark.form] > 1
            case Style.SYMBOL:
                return True
            case Style.HYPHEN:
                return opens or self._count[mark.form] + self._count["\\-"] > 1
            case Style.NUMBER if mark.form.endswith(("-", ":")):
                return {(mark.form, 1), (mark.form, 2)} <= self._values
            case Style.NUMBER:
                return opens or mark.value == 1 or (mark.form, mark.value - 1) in self._seen or bool(before and before.marks)
            case Style.MULTILEVEL:
                return self._count[mark.form] > 1
            case _:
                bracketed = mark.form.startswith("(")
                neighbours = {(mark.form, mark.value - 1), (mark.form, mark.value + 1)} & self._values
                return bool(neighbours) or bracketed or (mark.style is Style.ROMAN and self._letter_neighbour(mark))

    def _letter_neighbour(self, mark: Mark) -> bool:
        """A single ``i.`` may stand between ``h.`` and ``j.``."""
        form = mark.form.replace("i", "a").replace("I", "A")
        return bool({(form, mark.value + 7), (form, mark.value + 9)} & self._values)


def _first_inner(text: str, line: Line, escaped: frozenset[int]) -> Mark | None:
    """Return the first mark of a line that belongs to a sequence, behind signs (``* a.``), or else its first sign."""
    first = _mark_at(text, line.start, line.end, escaped)
    if first is not None and first.value == 0:
        return _mark_at(text, first.end, line.end, escaped) or first
    return first
