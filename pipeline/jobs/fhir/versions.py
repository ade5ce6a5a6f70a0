"""Of the entries of one batch the newest of each resource, by what its versions say of their order; else by which came later."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from pipeline.domain.fhir import RawResource
from pipeline.domain.vocabulary import ResourceOutcome
from pipeline.stages.normalize.fhir import Checked

#: Outcomes with which the bytes of a version land.
LANDED: Final = (ResourceOutcome.DOCUMENT, ResourceOutcome.SUPPORTING)


@dataclass(slots=True)
class Read:
    """One version of a resource.

    Attributes:
        key: The resource's.
        raw: As it came.
        checked: What became of it.
        aliases: Of a Patient, every pseudonym.
        pseudonym: Of its patient.
        good: The newest valid version before it, where it is invalid itself.
    """

    key: str
    raw: RawResource
    checked: Checked
    aliases: tuple[str, ...] = field(default=(), repr=False)
    pseudonym: str | None = None
    good: Read | None = None

    @property
    def is_invalid(self) -> bool:
        """Whether it leaves the good version before it in its place."""
        return self.checked.outcome is ResourceOutcome.QUARANTINED


@dataclass(frozen=True, slots=True)
class Removal:
    """A deletion of a resource. ``order_key``: as of a version; empty where nobody says when it was."""

    key: str
    resource_type: str
    order_key: str = ""
    aliases: tuple[str, ...] = ()
    pseudonym: str | None = None  # of a Patient, its own


class Batch:
    """The newest version, or the deletion, of each resource.

    Args:
        overtaken: Called with the type of each entry that a newer one makes void.
    """

    def __init__(self, overtaken: Callable[[str], None]) -> None:
        self.read: dict[str, Read] = {}
        self.removed: dict[str, Removal] = {}
        self._overtaken = overtaken

    def offered(self) -> Iterator[Read | Removal]:
        """Yield everything that may be written."""
        for one in self.read.values():
            yield one
            if one.good is not None:
                yield one.good
        yield from self.removed.values()

    def add(self, one: Read) -> None:
        """Take a version."""
        removal = self.removed.get(one.key)
        if removal is not None and is_before(one.checked.order_key, removal.order_key):
            self._overtaken(one.checked.resource_type)
            return
        self.removed.pop(one.key, None)
        other = self.read.get(one.key)
        if other is not None:
            self._overtaken(one.checked.resource_type)
            older, one = (one, other) if one.checked.order_key < other.checked.order_key else (other, one)
            if one.is_invalid:
                one.good = _newer(one.good, older.good if older.is_invalid else older)
        self.read[one.key] = one

    def remove(self, removal: Removal) -> bool:
        """Take a deletion. Returns whether it is the newest that is known."""
        one = self.read.get(removal.key)
        if one is not None and is_before(removal.order_key, one.checked.order_key):
            self._overtaken(removal.resource_type)
            return False
        if one is not None:
            self._overtaken(one.checked.resource_type)
            del self.read[removal.key]
            removal = replace(removal, order_key=removal.order_key or one.checked.order_key)  # what is older than that comes later
        other = self.removed.get(removal.key)
        if other is None or not is_before(removal.order_key, other.order_key):
            self.removed[removal.key] = removal
        return True


def is_before(key: str, other: str) -> bool:
    """Whether an order key is known to be before another one."""
    return bool(key) and key < other


def _newer(one: Read | None, other: Read | None) -> Read | None:
    if one is None or other is None:
        return one or other
    return one if one.checked.order_key > other.checked.order_key else other
