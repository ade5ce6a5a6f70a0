"""Headers of eligibility criteria in other languages than English: known, but no polarity is taken from them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class ForeignHeader:
    """A header, its language (ISO 639-1), and where it ends."""

    language: str
    label: str
    end: int


# Headers in other languages: polarity is not taken from them, the text is kept apart with its language.
_FOREIGN: Final[tuple[tuple[str, re.Pattern[str]], ...]] = tuple(
    (language, re.compile(rf"(?:{pattern})[^:：\n]{{0,60}}[:：]?", re.IGNORECASE))
    for language, pattern in (
        ("es", r"(?:principales\s+)?criterios?\s+de\s+(?:inclusi[oó]n|exclusi[oó]n|elegibilidad)"),
        ("pt", r"crit[eé]rios?\s+de\s+(?:inclus[aã]o|exclus[aã]o|elegibilidade)"),
        ("fr", r"crit[eè]res?\s+(?:d['’]\s?(?:inclusion|exclusion|[eé]ligibilit[eé])|de\s+(?:non[- ]inclusion|s[eé]lection))"),
        ("it", r"criteri(?:o)?\s+(?:di|d['’])\s?(?:inclusione|esclusione|eleggibilit[aà])"),
        ("de", r"(?:wichtigste\s+)?(?:ein|aus)schlu(?:ss|ß)[- ]?kriterien"),
        ("zh", r"[【\[]?(?:入选|纳入|入組|入组|收案|排除)[标標][准準]"),
        ("ja", r"[【\[]?(?:選択|適格|除外)基準"),
        ("ko", r"(?:선정|포함|제외)\s?기준"),
    )
)


def read_foreign(text: str, start: int) -> ForeignHeader | None:
    """Return the header in another language that begins at ``start``, or ``None``."""
    for language, pattern in _FOREIGN:
        match = pattern.match(text, start)
        if match and (match.group().endswith((":", "：")) or match.end() == len(text.rstrip())):
            label = match.group().rstrip(":： *")
            return ForeignHeader(language, label, match.end())
    return None
