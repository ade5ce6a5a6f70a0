"""Signs of a font in, signs that can be searched out: Symbol and Wingdings codes, ligatures. Nothing else is folded: 10⁹ stays 10⁹.

Sources: Adobe's Symbol encoding (PDF 32000-1, annex D.5; Unicode's VENDORS/ADOBE/symbol.txt, where 0x6D is the micro sign of units), Microsoft's
Wingdings as mapped in Unicode 7 (only what stands in forms and lists), Adobe's corporate use of the private area for pieces of brackets.
"""

from __future__ import annotations

import string
from typing import Final

PRIVATE_BLANK: Final = 0xF020  # of a symbol font
UNREADABLE: Final = "\ufffd"  # a glyph without a meaning that is known: it stays in the text, and the page's quality says so

LIGATURES: Final = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}  # st: drawn long or short

_SYMBOL_FROM: Final = 0x20
_SYMBOL: Final = (
    " !∀#∃%&∋()∗+,−./0123456789:;<=>?"
    "≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_"
    "‾αβχδεφγηιϕκλµνοπθρστυϖωξψζ{|}∼\x7f" + "\x80" * 32 + "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵"
    "ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓"
    "◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\xf0〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"
)
_UNDEFINED: Final = "\x7f\x80\xf0"

_WINGDINGS: Final = {
    0x6C: "●", 0x6D: "❍", 0x6E: "■", 0x6F: "□", 0x70: "□", 0x71: "❑", 0x72: "❒", 0x73: "⬧", 0x74: "⧫", 0x75: "◆", 0x76: "❖",
    0x9E: "·", 0x9F: "•", 0xA0: "▪", 0xA1: "○", 0xA4: "◉", 0xA5: "◎", 0xA7: "▪", 0xA8: "□", 0xD8: "➢", 0xDF: "←", 0xE0: "→",
    0xE1: "↑", 0xE2: "↓", 0xE8: "➔", 0xEF: "⇦", 0xF0: "⇨", 0xF1: "⇧", 0xF2: "⇩", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑",
}  # fmt: skip
_WINGDINGS_2: Final = {0x4F: "✗", 0x50: "✓", 0x51: "☒", 0x52: "☑", 0x53: "☒", 0x54: "☒", 0x97: "●", 0x98: "•", 0xA3: "□"}
_CORPORATE: Final = {
    0xF8E5: "‾", 0xF8E6: "⏐", 0xF8E7: "⎯", 0xF8E8: "®", 0xF8E9: "©", 0xF8EA: "™", 0xF8FF: UNREADABLE,
    **{0xF8EB + index: sign for index, sign in enumerate("⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪⎮⎞⎟⎠⎤⎥⎦⎫⎬⎭")},
}  # fmt: skip


def is_plain(code: int) -> bool:
    """Whether a code of a text font stands for itself without a look-up."""
    return 0x20 < code < 0x7F or (0xA1 <= code < 0x1680 and code != 0xAD) or 0x2070 <= code < 0x3000 or 0x3000 < code < 0xD800


def is_symbol_font(name: str) -> bool:
    """Whether the codes of a font (its name, any case, subset tag or not) are those of Symbol or Wingdings."""
    lower = name.lower()
    return "wingdings" in lower or lower.rpartition("+")[2] in _SYMBOL_NAMES


_SYMBOL_NAMES: Final = frozenset(
    {"symbol", "symbolmt", "symbolps", "symbol,bold", "symbol,italic", "symbolneu", "standardsymbolsps", "standardsymbolsl"}
)


def readable(code: int, font_name: str) -> str:
    """Return what a glyph says: its sign, the letters of a ligature, or U+FFFD; empty for what has no ink (blanks, zero-width signs)."""
    sign = chr(code)
    if sign in LIGATURES:
        return LIGATURES[sign]
    if code in _CORPORATE:
        return _CORPORATE[code]
    if 0xF000 <= code <= 0xF0FF:
        return _private(code - 0xF000, font_name)
    if code < 0x100 and is_symbol_font(font_name) and (sign in _LETTERS_OF_SYMBOL or _is_dingbat(sign, font_name)):
        return _private(code, font_name)
    if code in (0xAD, 0x2):
        return "-"  # a soft hyphen that is drawn is a hyphen
    if sign.isspace() or code in _WITHOUT_INK:
        return ""
    unknown = code < 0x20 or 0x7F <= code < 0xA0 or 0xD800 <= code < 0xF900 or code in (0xFFFE, 0xFFFF) or code > 0xEFFFF
    return UNREADABLE if unknown else sign


_LETTERS_OF_SYMBOL: Final = frozenset(string.ascii_letters + "\"$'@\\^`~")  # what is above 0x7F, PDFium has put right already
_WITHOUT_INK: Final = frozenset({0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060, 0xFEFF, PRIVATE_BLANK})


def _is_dingbat(sign: str, font_name: str) -> bool:
    """Whether a code is one of Wingdings. Those of 0x80 to 0x9F are not trusted: makers of subsets put boxes and circles there."""
    return "wingdings" in font_name.lower() and not "\x80" <= sign <= "\x9f"


def _private(code: int, font_name: str) -> str:
    """Return the sign of a code of Wingdings or (any other font: what Word writes there is Symbol's) Adobe Symbol."""
    if code <= _SYMBOL_FROM:
        return ""
    family = font_name.lower().rpartition("+")[2].replace(" ", "")
    if family.startswith("wingdings"):
        kind = family.removeprefix("wingdings").lstrip("-,")[:1]
        return {"2": _WINGDINGS_2, "3": {}}.get(kind, _WINGDINGS).get(code, UNREADABLE)
    if code >= _SYMBOL_FROM + len(_SYMBOL):
        return UNREADABLE
    sign = _SYMBOL[code - _SYMBOL_FROM]
    return UNREADABLE if sign in _UNDEFINED else sign
