"""What every recogniser is: one pure function from text to places. ``presidio`` lends them to presidio's analyzer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

from pipeline.domain.phi import Found, IdentifierClass

if TYPE_CHECKING:
    from spacy.tokens import Doc


class Recogniser(ABC):
    """Finds identifiers of its classes. One file each; the docstring of the file names the source of its rules.

    Subclasses set ``classes`` and implement ``find``. Regular expressions have bounded repeats, so that 60,000 characters without a
    blank stay linear. A recogniser finds the value alone: not the label before it, not a possessive after it.
    """

    classes: ClassVar[tuple[IdentifierClass, ...]]
    needs_language: ClassVar[bool] = False  # whether ``find`` reads spaCy's entities

    @property
    def name(self) -> str:
        """What its finds are signed with."""
        return type(self).__name__

    @abstractmethod
    def find(self, text: str, doc: Doc | None) -> Iterable[Found]:
        """Return what is found in ``text``, in any order; places may overlap.

        Args:
            text: Text to read, folded (see ``plain``): ASCII digits, no zero-width signs.
            doc: spaCy's reading of it; ``None`` where no language model runs (then a recogniser that needs one is not asked).
        """

    def found(self, start: int, end: int, category: IdentifierClass, score: float) -> Found:
        """Return a place found by this recogniser."""
        return Found(start, end, category, score, self.name)
