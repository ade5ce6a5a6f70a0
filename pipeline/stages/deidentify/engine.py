"""Runs recognisers over one text. In: text. Out: places, overlapping and unjudged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.recognisers.base import Recogniser

if TYPE_CHECKING:
    from pipeline.stages.deidentify.presidio import PresidioAnalyzer


class Engine:
    """Presidio's analyzer with our recognisers and no others.

    Where no recogniser that is asked reads language, presidio and spaCy are not even imported: registry text costs microseconds.

    Args:
        recognisers: What to look with.
    """

    def __init__(self, recognisers: Sequence[Recogniser]) -> None:
        self._recognisers = tuple(recognisers)
        self._presidio: PresidioAnalyzer | None = None

    def find(self, text: str, classes: frozenset[IdentifierClass]) -> list[Found]:
        """Return what the recognisers of these classes find in ``text`` (folded; long ones in windows)."""
        asked = [each for each in self._recognisers if classes.intersection(each.classes)]
        if not any(each.needs_language for each in asked):
            return [found for each in asked for found in each.find(text, None) if found.category in classes]
        if self._presidio is None:
            from pipeline.stages.deidentify.presidio import PresidioAnalyzer

            self._presidio = PresidioAnalyzer(self._recognisers)
        return self._presidio.find(text, classes)
