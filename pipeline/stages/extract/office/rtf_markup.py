"""RTF markup in, markup out that the library reads rightly: what it loses or gets wrong is put into words that it knows."""

from __future__ import annotations

import re
from typing import Final

from pipeline.stages.extract.office.flow import raised
from pipeline.stages.extract.pdf.symbols import is_symbol_font, readable

# The library writes "|" for the end of a cell and a line end for that of a row, which text may hold too. Two rare blanks stand for them.
CELL: Final = "\u2005"
ROW: Final = "\u2005\u2002\u2005"

_CELL_WORD: Final = re.compile(r"(?<!\\)((?:\\\\)*)\\(?:nest)?cell(?![a-z])")
_ROW_WORD: Final = re.compile(r"(?<!\\)((?:\\\\)*)\\(?:nest)?row(?![a-z])")
_RAISED: Final = re.compile(r"(\\super(?:\\[a-z]+-?\d*)*) ?([0-9+()-]{1,4})(?=[{}\\])")
# Hidden, deleted under tracked changes, or struck out: in a group of its own, or between two switches.
_WITHDRAWN: Final = re.compile(r"\\(v|deleted|strike|striked1)(?![a-z0-9])[^{}]*?(?=[{}]|\\(?:\1|striked)0|\\(?:plain|pard?)(?![a-z])|\Z)")
_FONT: Final = re.compile(r"\{\\f(\d+)(?:\\[a-z]+-?\d*|\{[^{}]*\})* ?([^\\{};]+);\s*\}")
_TOKEN: Final = re.compile(r"\\[a-z]+-?\d* ?|\\'([0-9a-f]{2})|\\[^a-z']|([!-~])", re.IGNORECASE)


def prepared(markup: str) -> str:
    """Return markup whose superscripts and symbols are signs, whose cells and rows end in ``CELL`` and ``ROW``, without withdrawn text."""
    markup = _WITHDRAWN.sub("", markup)
    fonts = list(_FONT.finditer(markup))
    head, text = (markup[: fonts[-1].end()], markup[fonts[-1].end() :]) if fonts else ("", markup)
    for number, name in {(font[1], font[2].strip()) for font in fonts if is_symbol_font(font[2].strip())}:
        text = _with_symbols(text, number, name)
    markup = head + text
    markup = _RAISED.sub(lambda found: f"{found[1]} " + "".join(_escaped(sign) for sign in raised(found[2])), markup)
    return _ROW_WORD.sub(r"\1\\qmspace\\enspace\\qmspace ", _CELL_WORD.sub(r"\1\\qmspace ", markup))


def private_signs(text: str) -> str:
    """Return a text whose signs of the private area, which Word writes for the Symbol font, are those that they show."""
    return re.sub("[\uf020-\uf0ff]", lambda found: readable(ord(found[0]), "Symbol"), text)


def _with_symbols(text: str, number: str, font: str) -> str:
    """Return markup whose stretches in one font of symbols, up to the next font or the group's end, are written as signs."""
    run = re.compile(rf"(\\f{number}(?!\d))([^{{}}]*?)(?=\\f\d|\\plain|[{{}}]|\Z)")
    return run.sub(lambda found: found[1] + _TOKEN.sub(lambda one: _symbol(one, font), found[2]), text)


def _symbol(token: re.Match[str], font: str) -> str:
    code = int(token[1], 16) if token[1] else ord(token[2]) if token[2] else None
    return token[0] if code is None else _escaped(readable(0xF000 + code, font))


def _escaped(sign: str) -> str:
    return sign if len(sign) != 1 or ord(sign) < 128 else f"{{\\uc1\\u{ord(sign)}?}}"
