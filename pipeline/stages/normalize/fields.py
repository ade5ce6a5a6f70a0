"""Reads fields of untrusted JSON objects: right type or skipped with a notice, never an exception.

A field's path is that of the registry's data structure, lists without their index (``protocolSection.armsInterventionsModule.armGroups[].type``),
so that one fault in a thousand sites is one notice.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pipeline.domain.registry_enums import ENUMERATIONS
from pipeline.domain.study import Age, Notice, PartialDate
from pipeline.domain.vocabulary import NoticeCategory
from pipeline.stages.normalize.quantities import read_age, read_partial_date

_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")  # PostgreSQL refuses NUL, UTF-8 has no lone surrogates
_REPLACEMENT: Final = "\ufffd"
_CODE: Final = re.compile(r"[A-Z0-9_ /-]{1,64}", re.ASCII)  # anything else could be free text, which no notice may hold
_MAX_COUNT: Final = 2**31 - 1  # an int32 in the registry's contract and in the database


class Notices:
    """Collects notices in the order they came, each once."""

    def __init__(self) -> None:
        self._seen: dict[Notice, None] = {}

    def add(self, category: NoticeCategory, field: str, value: str | None = None) -> None:
        """Note something."""
        self._seen[Notice(category, field, value)] = None

    def __iter__(self) -> Iterator[Notice]:
        return iter(self._seen)


class Fields:
    """One JSON object and where it stands."""

    def __init__(self, value: Mapping[str, Any], path: str, notices: Notices) -> None:
        self._value = value
        self._path = path
        self.notices = notices

    def path_of(self, key: str) -> str:
        """Return the path of a field of this object."""
        return f"{self._path}.{key}" if self._path else key

    def _wrong(self, key: str) -> None:
        self.notices.add(NoticeCategory.WRONG_TYPE, self.path_of(key))

    def module(self, key: str) -> Fields:
        """Return an object that a full record has; a missing one is noted and read as empty."""
        if self._value.get(key) is None:
            self.notices.add(NoticeCategory.MISSING_MODULE, self.path_of(key))
        return self.object(key)

    def object(self, key: str) -> Fields:
        """Return an object; a missing one is read as empty."""
        value = self._value.get(key)
        if value is not None and not isinstance(value, dict):
            self._wrong(key)
            value = None
        return Fields(value or {}, self.path_of(key), self.notices)

    def objects(self, key: str) -> list[Fields]:
        """Return a list of objects; members of another type are skipped with a notice."""
        path = f"{self.path_of(key)}[]"
        return [Fields(member, path, self.notices) for member in self._members(key, dict)]

    def _members(self, key: str, kind: type) -> list[Any]:
        value = self._value.get(key)
        if value is None:
            return []
        if not isinstance(value, list):
            self._wrong(key)
            return []
        members = [member for member in value if isinstance(member, kind)]
        if len(members) != len(value):
            self._wrong(f"{key}[]")
        return members

    def _repaired(self, text: str, key: str) -> str:
        if _UNSTORABLE.search(text) is None:
            return text
        self.notices.add(NoticeCategory.TEXT_REPAIRED, self.path_of(key))
        return _UNSTORABLE.sub(_REPLACEMENT, text)

    def prose(self, key: str) -> str | None:
        """Return text as sent (spans refer to it), or ``None`` where it is missing or blank."""
        value = self._value.get(key)
        if value is None:
            return None
        if not isinstance(value, str):
            self._wrong(key)
            return None
        return self._repaired(value, key) if value and not value.isspace() else None

    def line(self, key: str) -> str | None:
        """Return a short text without blanks around it, or ``None`` where it is missing or blank."""
        value = self.prose(key)
        return value.strip() if value is not None else None

    def lines(self, key: str) -> tuple[str, ...]:
        """Return a list of short texts, blank ones left out."""
        texts = (self._repaired(member, f"{key}[]").strip() for member in self._members(key, str))
        return tuple(text for text in texts if text)

    def code(self, key: str, enumeration: str) -> str | None:
        """Return an enumerated value as text; one that the enumeration does not know is kept and noted."""
        value = self.line(key)
        return None if value is None else self._checked(value, key, enumeration)

    def codes(self, key: str, enumeration: str) -> tuple[str, ...]:
        """Return a list of enumerated values."""
        return tuple(self._checked(value, f"{key}[]", enumeration) for value in self.lines(key))

    def _checked(self, value: str, key: str, enumeration: str) -> str:
        if value not in ENUMERATIONS[enumeration]:
            shown = value if _CODE.fullmatch(value) else None
            self.notices.add(NoticeCategory.UNKNOWN_VALUE, self.path_of(key), shown)
        return value

    def flag(self, key: str) -> bool | None:
        """Return a boolean."""
        value = self._value.get(key)
        if value is None or isinstance(value, bool):
            return value
        self._wrong(key)
        return None

    def count(self, key: str) -> int | None:
        """Return a whole number from 0 to 2³¹ - 1."""
        value = self._value.get(key)
        if value is None:
            return None
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MAX_COUNT:
            return value
        self._wrong(key)
        return None

    def degrees(self, key: str, *, limit: float) -> float | None:
        """Return an angle between ``-limit`` and ``limit``, in degrees."""
        value = self._value.get(key)
        if value is None:
            return None
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and abs(value) <= limit:
            return float(value)
        self._wrong(key)
        return None

    def age(self, key: str) -> Age | None:
        """Return an age limit; words that cannot be read are kept and noted. ``N/A`` (old records) is no limit."""
        text = self.line(key)
        if text is None or text.upper() == "N/A":
            return None
        age = read_age(text)
        if age.days is None:
            self.notices.add(NoticeCategory.UNPARSED_AGE, self.path_of(key))
        return age

    def date(self, key: str, *, date_type: str | None = None) -> PartialDate | None:
        """Return a date given as text; what cannot be read is left out and noted."""
        text = self.line(key)
        if text is None:
            return None
        value = read_partial_date(text, date_type=date_type)
        if value is None:
            self.notices.add(NoticeCategory.UNPARSED_DATE, self.path_of(key))
        return value

    def date_struct(self, key: str) -> PartialDate | None:
        """Return a date given as ``{"date": …, "type": …}``."""
        struct = self.object(key)
        return struct.date("date", date_type=struct.code("type", "DateType"))
