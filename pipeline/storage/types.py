"""Column types that mean the same on SQLite, PostgreSQL and MySQL/MariaDB."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import JSON, DateTime, String, Text
from sqlalchemy.dialects import mysql
from sqlalchemy.types import TypeDecorator

if TYPE_CHECKING:
    from sqlalchemy.engine import Dialect
    from sqlalchemy.types import TypeEngine


class UtcDateTime(TypeDecorator[datetime]):
    """A moment: stored in UTC with microseconds, read back as an aware ``datetime`` in UTC on every database."""

    impl = DateTime
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Use the database's own type; MySQL's would cut microseconds off without ``fsp``."""
        if dialect.name in ("mysql", "mariadb"):
            return dialect.type_descriptor(mysql.DATETIME(fsp=6))
        return dialect.type_descriptor(DateTime(timezone=True))

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Turn an aware moment into UTC; only PostgreSQL stores the zone.

        Raises:
            ValueError: The value has no time zone, so what it means is unknown.
        """
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a moment needs a time zone")
        moment = value.astimezone(UTC)
        return moment if dialect.name == "postgresql" else moment.replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Give the moment back as aware UTC."""
        del dialect
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


# MySQL's TEXT ends at 65,535 bytes; eligibility criteria with 60,000 characters exist.
LONG_TEXT = Text().with_variant(mysql.LONGTEXT(), "mysql", "mariadb")

# A Python ``None`` is SQL NULL, not the JSON value null.
JSON_VALUE = JSON(none_as_null=True)

SHA256 = String(64)  # hex digits
FINGERPRINT = String(32)  # hex digits of a 128-bit hash
CODE = String(64)  # a value of one of our own vocabularies
KEY = String(255)  # a source's own id
SCOPE = String(512)  # what a listing covers; with a source it still fits MySQL's 3,072 bytes of key
# A code of the registry as it was sent: the longest known has 45 characters, an unknown one may be longer.
REGISTRY_CODE = String(255)
