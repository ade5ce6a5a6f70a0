"""Styles and numbering of a Word file in, what a paragraph is out: a heading of which level, an item of which list, and its number."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, Final

from docx.opc.constants import RELATIONSHIP_TYPE

from pipeline.stages.extract.office.docx_text import q

_HEADING_STYLE: Final = re.compile(r"heading ([1-9])\Z", re.IGNORECASE)  # the built-in styles' names are English in every language
_PLACE: Final = re.compile(r"%([1-9])")
_MAX_BASED_ON: Final = 20  # styles based on styles; more is a circle
_ROMAN: Final = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip


class Styles:
    """Answers for one document, its paragraphs asked in order: numbers go on counting."""

    def __init__(self, document: Any) -> None:
        styles = document.styles.element
        self._styles = {style.get(q("styleId")): style for style in styles.iter(q("style"))}
        self._levels: dict[tuple[str, int], tuple[str, str, int]] = {}  # (list, level): format, text, start
        self._counts: dict[str, Counter[int]] = {}
        for relation in document.part.rels.values():
            if relation.reltype == RELATIONSHIP_TYPE.NUMBERING and not relation.is_external:
                self._read_numbering(relation.target_part.element)

    def of(self, paragraph: Any) -> tuple[int, str, int]:
        """Return heading level (0: none), number as printed (empty: none), and level of a list item from 1 (0: none)."""
        heading, number_id, level = self._facts(paragraph)
        is_item = number_id not in ("", "0")
        number = self._number(number_id, level) if is_item else ""
        return heading, number, level + 1 if is_item and not heading else 0

    def _facts(self, paragraph: Any) -> tuple[int, str, int]:
        """Return heading level, list and level in it: the paragraph's own properties before its style's, a style's before its base's."""
        properties = paragraph.find(q("pPr"))
        heading, number_id, level = 0, None, None
        style = None if properties is None else _value(properties.find(q("pStyle")))
        for _ in range(_MAX_BASED_ON):
            if properties is not None:
                outline = _value(properties.find(q("outlineLvl")))
                heading = heading or (int(outline) + 1 if outline and outline.isdigit() and int(outline) < 9 else 0)
                number_id = number_id or _value(properties.find(f"{q('numPr')}/{q('numId')}"))
                level = level or _value(properties.find(f"{q('numPr')}/{q('ilvl')}"))
            element = self._styles.get(style)
            if element is None:
                break
            named = _HEADING_STYLE.match(_value(element.find(q("name"))) or "")
            heading = heading or (int(named[1]) if named else 0)
            properties, style = element.find(q("pPr")), _value(element.find(q("basedOn")))
        return heading, number_id or "", int(level) if level and level.isdigit() else 0

    def _read_numbering(self, numbering: Any) -> None:
        abstract = {one.get(q("abstractNumId")): one for one in numbering.findall(q("abstractNum"))}
        for number in numbering.findall(q("num")):
            pattern = abstract.get(_value(number.find(q("abstractNumId"))))
            for level in () if pattern is None else pattern.findall(q("lvl")):
                index, start = level.get(q("ilvl"), "0"), _value(level.find(q("start"))) or "1"
                form, text = _value(level.find(q("numFmt"))) or "decimal", _value(level.find(q("lvlText"))) or ""
                if index.isdigit():
                    self._levels[number.get(q("numId")), int(index)] = (form, text, int(start) if start.isdigit() else 1)

    def _number(self, number_id: str, level: int) -> str:
        """Count one item on, and return its number as printed; of bullets nothing."""
        counts = self._counts.setdefault(number_id, Counter())
        form, text, start = self._levels.get((number_id, level), ("bullet", "", 1))
        counts[level] = counts[level] + 1 if level in counts else start
        for deeper in [one for one in counts if one > level]:
            del counts[deeper]
        if form in ("bullet", "none"):
            return ""
        return _PLACE.sub(lambda found: self._printed(number_id, int(found[1]) - 1, counts), text)

    def _printed(self, number_id: str, level: int, counts: Counter[int]) -> str:
        form, _, start = self._levels.get((number_id, level), ("decimal", "", 1))
        value = counts.get(level, start)
        if form in ("lowerLetter", "upperLetter") and value > 0:
            letters = chr(ord("a") + (value - 1) % 26) * ((value - 1) // 26 + 1)
            return letters.upper() if form == "upperLetter" else letters
        if form in ("lowerRoman", "upperRoman") and 0 < value < 4000:
            return _roman(value).upper() if form == "upperRoman" else _roman(value)
        return str(value)


def _roman(value: int) -> str:
    signs = ""
    for worth, sign in _ROMAN:
        signs += sign * (value // worth)
        value %= worth
    return signs


def _value(element: Any) -> str | None:
    value: str | None = None if element is None else element.get(q("val"))
    return value
