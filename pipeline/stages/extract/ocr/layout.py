"""Words of Tesseract in, blocks of a page out: paragraphs, list items, headings, rows, in points, in its reading order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from statistics import median
from typing import Final

from pipeline.stages.extract.content import Block, BlockKind, Box, Line, Word
from pipeline.stages.extract.ocr.tesseract import Recognised

# Height of a word's box as a share of its font size, by what its signs reach (DejaVu, Liberation, STIX; within a tenth of each other).
_TALL_AND_DEEP: Final = 0.95
_TALL: Final = 0.73
_DEEP: Final = 0.76
_FLAT: Final = 0.54
_TALL_SIGNS: Final = re.compile(r"[A-Z0-9bdfhklt(\[/]")
_DEEP_SIGNS: Final = re.compile(r"[gjpqy(\[,;µ]")

_RULING: Final = re.compile(r"[|_~—–\-.'`‘’\"“”\\/]+\Z")  # what rules, folds and specks of a sheet are read as
_RULING_CONFIDENCE: Final = 0.6  # such a sign that Tesseract is surer of is one
# What Tesseract reads a bullet as (`•` at five fonts: `¢`, `e`, `*`, `©`, `®`, `°`, `»`, `«`); only where a line begins.
_BULLETS: Final = frozenset("•¢©®*°»«·◦▪■□●○-–—eoO")
_LETTERS_AS_BULLETS: Final = frozenset("eoO")
_NUMBERED: Final = re.compile(r"(?:\d{1,2}|[a-zA-Z]|[ivx]{1,4})[.)]\Z|\(\w{1,3}\)\Z")
_BIG: Final = 1.3  # times the body's size: a heading; print of one size is measured within a tenth
_BIGGEST: Final = 1.6
_HEADING_WORDS: Final = 12
_CAPITALS: Final = 4  # letters
_WIDE_GAP: Final = 1.8  # font sizes between two words: cells of a row
_BLANK: Final = 0.3  # font sizes between words
_SLACK: Final = 1.0  # font sizes that a line may end before its column's edge although the next word would have fitted: measured boxes vary
_SAME_EDGE: Final = 2.0  # font sizes between the left edges of lines of one column
_ITEM_WORDS: Final = 9  # of a line of a list of medications
_DOSED: Final = re.compile(r"[A-Z][\w-]+\b.*?\d\s?(?:mg|mcg|µg|g|kg|mL|units?|mEq|IU|%|mmol|puffs?|tablets?|drops?)\b")


@dataclass(frozen=True, slots=True)
class _Set:
    """A line with what Tesseract says of its place."""

    line: Line = field(repr=False)
    block: int
    paragraph: int
    bulleted: bool


def blocks_of(words: Sequence[Recognised], suspects: Sequence[bool], *, points: float) -> tuple[tuple[Block, ...], int]:
    """Return a page's blocks, and how many signs were left out because they are rules and specks of the sheet.

    ``suspects``: for each word. ``points``: a pixel's width.
    """
    kept = [(word, suspect) for word, suspect in zip(words, suspects, strict=True) if not _is_speck(word)]
    dropped = sum(len(word.text) for word in words) - sum(len(word.text) for word, _ in kept)
    lines = [
        _line([_word(word, suspect, points) for word, suspect in group], *place[:2])
        for place, group in groupby(kept, key=lambda one: (one[0].block, one[0].paragraph, one[0].line))
    ]
    lines = _with_bullets(lines)
    body = _body_size(lines)
    found: list[Block] = []
    for _, group in groupby(lines, key=lambda one: one.block):
        block = list(group)
        found.extend(_blocks(block, body, _right_edge(block, lines)))
    return tuple(found), dropped


def _is_speck(word: Recognised) -> bool:
    return word.confidence < _RULING_CONFIDENCE and _RULING.match(word.text) is not None


def _word(word: Recognised, suspect: bool, points: float) -> Word:
    box = Box(word.left * points, word.top * points, (word.left + word.width) * points, (word.top + word.height) * points)
    return Word(word.text, box, confidence=word.confidence, suspect=suspect)


def _line(words: list[Word], block: int, paragraph: int) -> _Set:
    size = median(font_size(word.text, word.box.height) for word in words)
    return _Set(Line(tuple(words), _around(word.box for word in words), size=round(size, 1)), block, paragraph, bulleted=False)


def font_size(text: str, height: float) -> float:
    """Return the font size of a word by what its signs reach, in the unit of its box's ``height``."""
    tall, deep = _TALL_SIGNS.search(text), _DEEP_SIGNS.search(text)
    share = (_TALL_AND_DEEP if deep else _TALL) if tall else (_DEEP if deep else _FLAT)
    return height / share


def _around(boxes: Iterable[Box]) -> Box:
    first, *others = boxes
    for box in others:
        first = first.joined(box)
    return first


def _body_size(lines: Sequence[_Set]) -> float:
    """Return the size that most signs have."""
    sizes = sorted((one.line.size, len(one.line.text)) for one in lines)
    half, seen = sum(count for _, count in sizes) / 2, 0
    for size, count in sizes:
        seen += count
        if seen >= half:
            return size
    return 0.0


def _with_bullets(lines: Sequence[_Set]) -> list[_Set]:
    """Write the bullets of list items as bullets. A letter is one only if its line's like stand below each other, twice or more."""
    starts = [one for one in lines if len(one.line.words) > 1 and one.line.words[0].text in _BULLETS]
    found = []
    for one in lines:
        first = one.line.words[0]
        like = [other for other in starts if abs(other.line.box.x0 - one.line.box.x0) <= one.line.size / 2]
        if one not in starts or (first.text in _LETTERS_AS_BULLETS and len(like) < 2):
            found.append(one)
            continue
        bullet = replace(first, text="•" if first.text not in {"-", "–", "—"} else first.text)
        found.append(replace(one, line=replace(one.line, words=(bullet, *one.line.words[1:])), bulleted=True))
    return found


def _right_edge(block: Sequence[_Set], page: Sequence[_Set]) -> float:
    """Return where the column of a block ends: two lines of the page that begin at its left edge, or one of its own, reach it."""
    box = _around(one.line.box for one in block)
    like = sorted(one.line.box.x1 for one in page if abs(one.line.box.x0 - box.x0) <= _SAME_EDGE * one.line.size and not _is_row(one.line))
    return max([box.x1, *like[-2:-1]])


def _blocks(lines: Sequence[_Set], body: float, right: float) -> list[Block]:
    """Part the lines of one block of Tesseract. ``right``: where its column ends."""
    found: list[Block] = []
    held: list[Line] = []
    kind = BlockKind.PARAGRAPH

    def close() -> None:
        if held:
            found.append(Block(kind, _around(line.box for line in held), tuple(held), level=int(kind is BlockKind.LIST_ITEM)))
            held.clear()

    for before, one in pairwise([None, *lines]):
        assert one is not None  # noqa: S101 - for the type checker: only the first of all is none
        level = _heading_level(one, body)
        is_item = one.bulleted or _NUMBERED.match(one.line.words[0].text) is not None
        if level or is_item or _is_row(one.line) or before is None or _ends(before, one, right):
            close()
        if level:
            found.append(Block(BlockKind.HEADING, one.line.box, (one.line,), level=level))
            continue
        if not held:
            kind = BlockKind.LIST_ITEM if is_item else BlockKind.PARAGRAPH
        held.append(one.line)
    close()
    return found


def _heading_level(one: _Set, body: float) -> int:
    """Return 1 to 3, or 0 for a line that is no heading."""
    text, size = one.line.text, one.line.size
    letters = [sign for sign in text if sign.isalpha()]
    if len(one.line.words) > _HEADING_WORDS or text[-1] in ".,;" or len(letters) < _CAPITALS or _is_row(one.line) or one.bulleted:
        return 0
    if size >= body * _BIG:
        return 1 if size >= body * _BIGGEST else 2
    return 3 if all(sign.isupper() for sign in letters) else 0


def _is_row(line: Line) -> bool:
    """Whether the words stand in cells."""
    return any(second.box.x0 - first.box.x1 > _WIDE_GAP * line.size for first, second in pairwise(line.words))


def _ends(before: _Set, one: _Set, right: float) -> bool:
    """Whether a paragraph ends between two lines of a block."""
    if before.paragraph != one.paragraph:
        return True
    if _is_row(before.line):
        return True
    if one.line.text[0].islower():
        return False
    first, size = one.line.words[0], one.line.size
    has_room = before.line.box.x1 + _BLANK * size + first.box.width + _SLACK * size < right
    return has_room or (_is_dosed(before.line) and _is_dosed(one.line))


def _is_dosed(line: Line) -> bool:
    """Whether a line looks like one of a list of medications without bullets."""
    return len(line.words) <= _ITEM_WORDS and _DOSED.match(line.text) is not None
