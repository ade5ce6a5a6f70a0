"""Numbers and units that OCR may have read wrong: words and their image in, a flag for each word out. Nothing is corrected.

A wrong dose is worse than a flag too many: what is not plainly a number with a plain unit, surely read, with as much ink as its signs have,
is flagged. Rules and bounds are measured by ``python -m bench.ocr`` on our own pages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import groupby
from typing import Final

from PIL import Image

from pipeline.lexicons import entries
from pipeline.stages.extract.ocr.blanks import UNIT_AND_WORD
from pipeline.stages.extract.ocr.glyphs import (
    crop,
    has_bar,
    has_more_ink,
    has_print,
    is_uneven,
    on_one_line,
    pieces_of,
    whole_digits,
    word_ink,
)
from pipeline.stages.extract.ocr.reread import PICO, first_letter
from pipeline.stages.extract.ocr.tesseract import Recognised

_SURE_NUMBER: Final = 0.85  # confidence; right numbers have 0.90 and more, `816` for `81.6` 0.74, `214` for `27.1` 0.53
_SURE_UNIT: Final = 0.6  # right units have 0.75 and more, but `fL` and `IU`
_SURE_WORD: Final = 0.5  # what stands before a unit and is no number: `vent %` for `7.1 %` has 0.27
_SURE_CODE: Final = 0.7  # `B27` for `8.7` has 0.45, `a4` for `3.1` 0.61; names like `T4` have 0.9
_FEW: Final = 3  # signs: what a value is read as that is no number to Tesseract (`VA`, `LAL` for `17.1`)
_SIDE: Final = 0.1  # of a word's height: slanted print reaches out of its box so far

# Units whose every letter Tesseract reads rightly. Left out on purpose: `pg`, `pmol`, `pL`, `ug`, `mol` (a micro sign is read as any of them),
# A micro sign stands here only where its ink said so (``reread``). `m2`, `m3` (superscripts come as 2, 7, ?, or not at all).
_ATOMS: Final = (
    "mg|g|kg|mcg|ng|µg|µL|µmol|µm|µU|mL|ml|L|dL|dl|cL|mmol|nmol|mEq|meq|U|IU|mIU|kIU|[Uu]nits?|mOsm|fL|[Gg]y|cGy|MBq|mCi|kcal|kJ|mmHg|kPa|cm|mm|m|km|inch|"
    "bpm|Hz|kHz|ms|s|sec|min|mins?|minutes?|h|hr|hrs|hours?|d|days?|wk|weeks?|months?|yr|years?|dose|doses|kg|%|°C|°F|C|F|ULN|LLN|mV|psi|lb|lbs|oz|ft"
)
_PLAIN_UNIT: Final = re.compile(rf"(?:{_ATOMS})(?:/(?:{_ATOMS})){{0,2}}\Z")
_PHYSICS: Final = "mGy|mSv|mA|kV|kVp|mAs|mL|mg|kg|g|cm|mm|m|L|h|min|s"
_JOINED_UNITS: Final = re.compile(rf"(?:{_PHYSICS})\W+(?:{_PHYSICS})\Z")  # `mGy-cm` for `mGy·cm`: the sign between them is lost
_PER_GRAM_OF_BODY: Final = re.compile(r"g/(?:kg|min)")  # `20 g/kg/min`: mostly a lost micro sign
_NUMBER: Final = r"(?:\d{1,3}(?:,\d{3})+|[1-9]\d*|0)(?:\.\d+)?"  # `025` and `.5` have lost something
_PLAIN_NUMBER: Final = re.compile(
    rf"[<>≥≤±]?{_NUMBER}(?:%|/(?:min|h|day|hr|wk))?\Z"
    rf"|{_NUMBER}[-–/:x]{_NUMBER}%?\Z"  # range, blood pressure, ratio
    r"|[0-2]?\d:[0-5]\d\Z|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{2}|\d{4})\Z|\d{4}-\d{2}-\d{2}\Z"  # time of day, dates
    r"|[1-4]\+\Z|\d+(?:st|nd|rd|th)\Z|\d+(?:\.\d+){2,}\Z"  # scores, ordinals, numbers of sections
)
_GLUED: Final = re.compile(rf"[<>≥≤±]?{_NUMBER}(?=\D)")
_ENDS_WITH_NUMBER: Final = re.compile(r"[\dOolI]\Z")
_CODE: Final = re.compile(r"[A-Za-z]+[A-Za-z-]*\d[\w.+-]*\Z")  # B12, Ki-67, pT1c: names, not quantities
_LIKE_NAME: Final = re.compile(r"(?:Hb)?A[lIi|]c\Z")  # `HbAlc`
_SUPERSCRIPT: Final = re.compile(r"(?:\S+/)?(?:[mckd]?m\S?[23]|m\d)\Z")  # `mm2`, `kg/m2`, `mmz2`, `m7`
_NO_ZERO: Final = re.compile(r"[(\[]?\.\d")
_LIKE_DIGITS: Final = re.compile(r"[lIO|!][\d.,lIO|]*\d")  # `l0`, `O.5`
_ONLY_LIKE_DIGITS: Final = re.compile(r"[lLIiOoSsBZzGTAUgq|!\d.,)(\]\[]{1,4}\Z")  # `lO`, `GO`, `LOO`, `|`
_CODE_LIKE_NUMBER: Final = re.compile(r"[LlIOSZB]\d+\Z")  # `L5 min` for `15 min`; `L5` alone is a vertebra
_ONE_LIKE_UNIT: Final = re.compile(
    r"[lLIi|!OoSsZzBj&$§]{1,3}(?:mg|mcg|mL|ml|kg|g/|mmol|mEq|ng|cm|mm)\b"
)  # `lmg` for `1 mg`, `&mg` for `8 mg`
_NEVER_BACK: Final = re.compile(r"(?:[=+{«»]+|[<>=][<>=s_]+|[<>]_)\Z|[=+][<>]?\d")  # what `≥`, `≤`, `±` come as
_NO_SIGN_OF_TEXT: Final = re.compile(r"[©®§¢€£¥¤™¶]\Z")  # what a faxed `≤` or `≥` comes as
_MIXED: Final = re.compile(r"[a-z][A-Z]")  # `mmollL`, `mLIkg`, `mmoWL`: a stroke of the unit was read as a letter
_SIGN_AS_LETTER: Final = re.compile(r"[sSzZ2]\Z")  # `2 18 years` for `≥ 18 years`
_MICRO: Final = re.compile(r"\S{0,3}(?:g|m|l|L|mol|M)(?:/\S+)?\Z")  # `pg`, `yg`, `jig`, `tum`: a unit, or what is left of one
# Words that may follow a number and are as short as a misread unit.
_SHORT_WORDS: Final = frozenset(
    re.findall(
        r"\S+",
        "to of in or and at on by is as if for was are per via po iv sc bid tid qid prn am x a an the no not be he it so up we do go my us "
        "IV IM SC PO BID TID QID PRN AM H N A B L arm leg all bag gel with from than who has had her his its may can but due off out one "
        "two ALT AST vs then when",
    )
)
_ENDINGS: Final = (("s", ""), ("es", ""), ("es", "is"), ("ies", "y"), ("ed", ""), ("d", ""), ("ing", ""), ("ing", "e"))
_PER: Final = re.compile(r"\S+/(?:L|l|dL|mL|kg|min|h)\Z")  # whatever stands before a stroke and a unit: `LOD/L` for `10⁹/L`, `TU/L`
_BEGINS_WITH_NUMBER: Final = re.compile(r"[<>≥≤±]?[.OlI]?\d")
_DIGITS_ONLY: Final = re.compile(r"\d[\d.,]+\Z")
_STRANGE_EDGES: Final = "[{‘'\"“”«"  # of a unit: `[U/mL` for `IU/mL`, `“C` for `°C`
_EDGES: Final = ".,;:()[]’‘'\"“”-–—*•"


def suspects_of(words: Sequence[Recognised], grey: Image.Image, *, low_quality: bool) -> list[bool]:
    """Return for each word whether it is a number or unit that may be wrong. ``grey``: the image that the words' boxes belong to."""
    flags: list[bool] = []
    for _, group in groupby(words, key=lambda word: word.block):
        block = list(group)
        flags.extend(_flags(block, _Looks(grey, block), low_quality=low_quality))
    return flags


class _Looks:
    """What the ink of a block's words says."""

    def __init__(self, grey: Image.Image, words: Sequence[Recognised]) -> None:
        self._grey = grey
        self._words = words

    def begins_with_p(self, at: int) -> bool:
        """Whether the ink of a unit behind a number surely begins with `p`, not with a micro sign."""
        return first_letter(self._words, at, self._grey) == "p"

    def passed_over(self, at: int) -> bool:
        """Whether print that belongs to no word stands between a word and the one before it in its line: `≥`, `-`, a micro sign."""
        if not at or not on_one_line(self._words[at - 1], self._words[at]):
            return False
        before, word = self._words[at - 1], self._words[at]
        side = max(1, round(_SIDE * word.height))
        left, start, end = before.left, before.left + before.width + side, word.left - side
        if end <= start:
            return False
        right = word.left + word.width
        ink = crop(self._grey, (left, word.top, right, word.top + word.height), left, right)
        return has_print(ink[:, start - left : end - left], word.height)

    def differ(self, at: int) -> bool:
        """Whether the ink of a word does not fit what it was read as."""
        word = self._words[at]
        ink, _ = word_ink(self._grey, self._words, at, is_sign=word.text in {"<", ">"})
        pieces = pieces_of(ink, word.height)
        if _DIGITS_ONLY.match(word.text) or word.text.isdigit():
            pieces = whole_digits(pieces)
        if has_more_ink(pieces, word.text):
            return True
        if word.text[-1] in "<>":
            sign = max(pieces[1:] if len(word.text) > 1 else pieces, key=lambda piece: piece.width, default=None)
            return sign is not None and has_bar(ink[:, int(sign.x0) : int(sign.x1)])
        return _DIGITS_ONLY.match(word.text) is not None and is_uneven(pieces)


def _flags(words: Sequence[Recognised], looks: _Looks, *, low_quality: bool) -> list[bool]:
    """Flag the words of a block. A number's unit may stand on the next line."""
    bare = [word.text.strip(_EDGES) or word.text for word in words]
    flags = [False] * len(words)
    for at, word in enumerate(words):
        following = bare[at + 1] if at + 1 < len(words) else ""
        before = bare[at - 1] if at else ""
        has_digit = any(sign.isdigit() for sign in word.text)
        is_pico = PICO.match(bare[at]) is not None and word.confidence >= _SURE_NUMBER and looks.begins_with_p(at)
        if has_digit:
            doubtful = low_quality or _number_is_doubtful(bare[at], word, following) or (_is_number(before) and bare[at][-1:].isalpha())
            flags[at] |= doubtful or (_CODE.match(bare[at]) is None and looks.differ(at))
        elif _is_number(before):
            doubtful = low_quality or (_after_number(bare[at], word) and not is_pico)
            flags[at] |= doubtful or (_PLAIN_UNIT.match(bare[at]) is not None and looks.differ(at))
        elif _is_unit(following):
            flags[at] |= _ONLY_LIKE_DIGITS.match(word.text) is not None or (
                word.confidence < _SURE_WORD and word.text.lower() not in _known()
            )
        flags[at] |= _LIKE_NAME.match(bare[at]) is not None or _ONE_LIKE_UNIT.match(bare[at]) is not None
        flags[at] |= (
            word.confidence < _SURE_WORD and len(word.text) <= _FEW and word.text.lower() not in _SHORT_WORDS and _has_number(words, at)
        )
        if (has_digit or _is_number(before)) and looks.passed_over(at):
            flags[at] = flags[at - 1] = True
        flags[at] |= _PER.match(bare[at]) is not None and not _is_plain(bare[at]) and not is_pico
        if _BEGINS_WITH_NUMBER.match(following) and _sign_is_doubtful(words, at, looks):
            flags[at] = flags[at + 1] = True
    return flags


def _has_number(words: Sequence[Recognised], at: int) -> bool:
    """Whether a number stands in the line of a word."""
    return any(on_one_line(words[at], other) and any(sign.isdigit() for sign in other.text) for other in words)


def _is_number(text: str) -> bool:
    return (
        bool(text)
        and text[:1] in "0123456789.<>=OlI+≥≤±"
        and _ENDS_WITH_NUMBER.search(text) is not None
        and any(sign.isdigit() for sign in text)
    )


def _is_plain(text: str) -> bool:
    return _PLAIN_UNIT.match(text) is not None or _PLAIN_NUMBER.match(text) is not None


def _is_unit(text: str) -> bool:
    """Whether a word is a unit, rightly read or not."""
    return text not in _SHORT_WORDS and (_PLAIN_UNIT.match(text) is not None or _PER.match(text) is not None)


def _number_is_doubtful(bare: str, word: Recognised, following: str) -> bool:
    """Whether a word with a digit is not plainly a number, a number with a plain unit, or a name with a number in it."""
    if _SUPERSCRIPT.match(bare) or _NO_ZERO.match(word.text):
        return True
    if _CODE.match(bare):
        is_misread = _CODE_LIKE_NUMBER.match(bare) is not None and _PLAIN_UNIT.match(following) is not None
        return is_misread or _LIKE_DIGITS.match(bare) is not None or word.confidence < _SURE_CODE
    if word.confidence < _SURE_NUMBER:
        return True
    if _PLAIN_NUMBER.match(bare):
        return word.text.endswith(".") and _PLAIN_UNIT.match(following) is not None  # `3.4. cm`
    glued = _GLUED.match(bare)
    return glued is None or _PLAIN_UNIT.match(bare[glued.end() :].lstrip("-")) is None


def _after_number(bare: str, word: Recognised) -> bool:
    """Whether the word after a number is a unit that may be wrong."""
    if _PLAIN_UNIT.match(bare):
        return word.confidence < _SURE_UNIT or _PER_GRAM_OF_BODY.match(bare) is not None or word.text[0] in _STRANGE_EDGES
    if _JOINED_UNITS.match(bare) or UNIT_AND_WORD.match(bare):
        return True
    if bare in _SHORT_WORDS or not any(sign.isalnum() for sign in bare):
        return bare[:1] in "/{[°?|"
    if not bare.isalpha() or len(bare) <= 2 or _MICRO.match(bare):
        return "-" not in bare and not (bare.isalpha() and len(bare) > 3 and _is_known(bare.lower()))
    return (bare.islower() or _MIXED.search(bare) is not None) and not _is_known(bare.lower())


def _sign_is_doubtful(words: Sequence[Recognised], at: int, looks: _Looks) -> bool:
    """Whether what stands before a number may be a comparison that was read as another sign."""
    text = words[at].text.lstrip("([")
    if text in {"<", ">"}:
        return looks.differ(at)
    return any(pattern.match(text) for pattern in (_NEVER_BACK, _NO_SIGN_OF_TEXT)) or _SIGN_AS_LETTER.match(text) is not None


def _is_known(word: str) -> bool:
    """Whether a word, or what it is formed from, is in a dictionary."""
    stems = [word.removesuffix(ending) + instead for ending, instead in _ENDINGS if word.endswith(ending)]
    return any(one in _known() for one in (word, *stems)) or word in _ordinary()


@cache
def _ordinary() -> frozenset[str]:
    return frozenset(word.lower() for word in entries("ordinary_words"))


@cache
def _known() -> frozenset[str]:
    return frozenset(word.lower() for name in ("dictionary_words", "clinical_words") for word in entries(name))
