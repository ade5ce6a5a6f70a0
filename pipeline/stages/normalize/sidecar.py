"""Bytes of a sidecar in, what a site says of one document out. Errors quote nothing: a misspelt key may be a name."""

from __future__ import annotations

from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from pipeline.domain.errors import RecordError
from pipeline.domain.site_files import Sidecar
from pipeline.domain.vocabulary import FILE_KINDS, DocumentKind, FailureCategory
from pipeline.json_bytes import read_json

_DATE: Final = r"^\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?$"


class _Read(BaseModel):
    # An unknown key is refused: a misspelt "known_identifiers" would leave identifiers in the text.
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True, str_strip_whitespace=True)

    kind: DocumentKind | None = None
    title: str | None = Field(None, min_length=1, max_length=1000)
    date: str | None = Field(None, pattern=_DATE)
    author: str | None = Field(None, min_length=1, max_length=300)
    department: str | None = Field(None, min_length=1, max_length=100)
    patient: str | None = Field(None, min_length=1, max_length=300)
    access: str | None = Field(None, min_length=1, max_length=64)
    known_identifiers: dict[str, Any] | None = None

    @field_validator("kind")
    @classmethod
    def _no_trial(cls, value: DocumentKind | None) -> DocumentKind | None:
        if value is not None and value not in FILE_KINDS:
            raise ValueError("no kind of a text file")
        return value


def read_sidecar(data: bytes) -> Sidecar:
    """Return what a sidecar says.

    Raises:
        RecordError: ``bad_sidecar``: no JSON object, a key that is unknown, or a value that cannot be used.
    """
    try:
        read = _Read.model_validate(read_json(data.removeprefix(b"\xef\xbb\xbf")))
    except (RecordError, ValidationError):
        raise RecordError(FailureCategory.BAD_SIDECAR, "the sidecar cannot be used") from None
    return Sidecar(**{name: getattr(read, name) for name in Sidecar.__dataclass_fields__})
