"""What is known of one patient, and where it stands in that patient's documents. In: text and values. Out: places, with score 1.

Recall on these values is meant to be complete, so everything that reads as one of them counts: in other case, accents, hyphens and
order, broken over a line, misspelt, misread by OCR (``known.names``), with other separators (``known.numbers``), written out or
abbreviated (``known.places``, ``known.dates``). A text is cut into words once (``known.text``) and every finder looks up in that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.known.match import KnownMatcher


@dataclass(frozen=True)
class KnownIdentifiers:
    """Values by class, as the patient's record gives them: names, record numbers, telephones, addresses, relatives. Never shown.

    Attributes:
        values: Names as ``Family, Given Given`` or ``Given Family``, one person a value; addresses one line a value (street, city);
            dates as ISO 8601 (``1948-11-02``); everything else as it is written.
    """

    values: Mapping[IdentifierClass, tuple[str, ...]] = field(default_factory=dict, repr=False)

    @cached_property
    def matcher(self) -> KnownMatcher:
        """What finds them; made once a patient (about a millisecond)."""
        return KnownMatcher(self.values)

    def __bool__(self) -> bool:
        return any(self.values.values())


def find_known(text: str, known: KnownIdentifiers) -> list[Found]:
    """Return every place where a known identifier stands in ``text`` (folded, see ``plain``), in order, apart within a class."""
    return known.matcher.find(text) if known and text else []
