"""ICD-10-CM codes that stand in a text.

Shape: a letter but U, a digit, a letter or digit, then up to four after a point (ICD-10-CM Official Guidelines, Section I.A.3). Many other
things look like it: vitamin B12, vertebra L4, a study's code, a well. So a code counts where it has its point and is no dose or version, or
where its words say that it is one.
"""

from __future__ import annotations

import re
from typing import Final

_CODE: Final = re.compile(r"(?<![\w.\-/+])([A-TV-Z]\d[0-9A-Z])(?:\.([0-9A-Z]{1,4}))?(?![\w])(?!\.\w)(?!-\d)(?!/\d)")
_LABEL: Final = re.compile(
    r"(?:ICD[\s-]?(?:10|X)(?:[\s-]?CM)?|ICD(?:\scodes?)?|diagnos[ie]s\scodes?|dx\scodes?|DX)(?:\scodes?)?(?![\w-]*9)[\s:;#()\[\]]{0,4}",
    re.IGNORECASE,
)
# After a label: codes one after another, each with words of its own (``I10 Essential hypertension, E11.9``), to the end of the line.
_LABEL_REACH: Final = 200
_NOT_AFTER: Final = re.compile(
    r"(?:vitamin|vit\.?|vertebra[el]?|level|spine|disc|disk|segments?|lead|grade|stage|visit|arm|cohort|version|protocol|study|section|table|figure"
    r"|appendix|page|room|bed|unit|well|clone|allele|HLA|gene|hemoglobin|CYP|exon|Rev\.?|form|policy|ref(?:erence)?\.?|No\.?|number)[\s:#-]{1,3}\Z",
    re.IGNORECASE,
)
# V codes of ICD-10-CM (transport accidents) have three or four signs after the point; those of ICD-9 (V70.0) have one or two.
_VEHICLE_DIGITS: Final = 3
_LOOK_BACK: Final = 16
_UNIT_AFTER: Final = re.compile(r"\s?(?:mg|mcg|µg|g|kg|mL|ml|mm|cm|units?|IU|%)\b")
# A letter that the classification's chapters end before: no category of D has 9 as its second digit past D89, and so on.
_LAST: Final = {"D": 89, "E": 89, "H": 95, "K": 95, "N": 99, "P": 96, "R": 99, "S": 99, "T": 88, "W": 99, "X": 99, "Y": 99, "Z": 99}


def icd10_codes(text: str) -> tuple[str, ...]:
    """Return the codes in a text, in order, each once, in capitals with their point."""
    labelled = [(match.end(), _line_end(text, match.end())) for match in _LABEL.finditer(text)]
    found: dict[str, None] = {}
    for match in _CODE.finditer(text):
        category, rest = match.groups()
        said = any(start <= match.start() < end for start, end in labelled)
        if not _is_category(category) or (not said and not _stands_alone(text, match, rest)):
            continue
        found[category if rest is None else f"{category}.{rest}"] = None
    return tuple(found)


def _line_end(text: str, start: int) -> int:
    stop = text.find("\n", start, start + _LABEL_REACH)
    return start + _LABEL_REACH if stop < 0 else stop


def _is_category(category: str) -> bool:
    if not category[1:].isdigit():  # C4A, C7A, C7B, D3A, M1A, O9A, Z3A
        return category in {"C4A", "C7A", "C7B", "D3A", "M1A", "O9A", "Z3A"}
    return int(category[1:]) <= _LAST.get(category[0], 99)


def _stands_alone(text: str, match: re.Match[str], rest: str | None) -> bool:
    """Whether a code without a label cannot well be anything else: it has its point, and nothing around it names another thing."""
    if match[1].startswith("V") and len(rest or "") < _VEHICLE_DIGITS:
        return False
    if rest is None or not rest[0].isdigit() or _UNIT_AFTER.match(text, match.end()):
        return False
    return _NOT_AFTER.search(text[max(0, match.start() - _LOOK_BACK) : match.start()]) is None
