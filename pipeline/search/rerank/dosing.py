"""Doses in a passage: an amount of a drug, with the drug beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_AMOUNT: Final = re.compile(
    r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?:\s?(?:-|–|to)\s?\d[\d,]*(?:\.\d+)?)?\s?"
    r"(?:(?:mg|mcg|µg|μg|g|gm|grams?|mEq|mmol|units?|IU|mL|puffs?|tab(?:let)?s?|sprays?|drops?|joules?|J|L)(?:/(?:kg|min|hr?|m2|m²|day|dose)){0,2})"
    r"(?![\w/])",
    re.IGNORECASE,
)
#: How a dose is given. An amount without one is often a concentration, a laboratory value or a threshold.
_GIVEN: Final = re.compile(
    r"\b(?:IV|IO|IM|IN|SL|SQ|SC|PO|PR|IVP|ODT|neb\w*|inhal\w*|intra(?:venous|muscular|nasal|osseous)\w*|sublingual\w*|subcutaneous\w*|oral(?:ly)?"
    r"|by mouth|push|bolus|infus\w*|MDI|every|daily|(?:once|twice)|(?:max|maximum)|repeat|x\s?\d)\b",
    re.IGNORECASE,
)
_PER_KG: Final = re.compile(r"/\s?kg\b", re.IGNORECASE)

#: Characters between a drug's name and an amount that is its dose: the concentration, the route and a clause stand between them at most.
BESIDE: Final = 120
#: Characters after an amount in which its route or its schedule is looked for.
AFTER: Final = 60


def stated(text: str) -> list[tuple[int, int]]:
    """Return where doses stand in a text: amounts that are said with a route or a schedule, half-open, in order."""
    return [span for span in _amounts(text) if _GIVEN.search(text, span[1], span[1] + AFTER)]


def _amounts(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in _AMOUNT.finditer(text)]


def beside(text: str, drugs: Sequence[re.Pattern[str]], *, about: bool) -> float:
    """Return how surely a text states the dose of one of the drugs (0..1).

    Args:
        text: Of the passage.
        drugs: What each drug's names look like; none: any drug.
        about: The document is about the drug, so that an amount without a name is its dose.

    Returns:
        1: a dose beside the drug's name, or any dose where none was asked for or the document is about it; 0.5: the document is about it
        and an amount stands there, without a route or a schedule; 0: none.
    """
    places = stated(text)
    if not places:
        return 0.5 if about and _amounts(text) else 0.0
    if about or not drugs:
        return 1.0
    named = [match.span() for drug in drugs for match in drug.finditer(text)]
    close = any(-BESIDE <= start - name_end <= BESIDE for start, _ in places for _, name_end in named)
    return 1.0 if close else 0.0


def by_weight(text: str) -> bool:
    """Whether a text gives amounts by body weight, as orders for children do."""
    return _PER_KG.search(text) is not None
