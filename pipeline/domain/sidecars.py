"""What a site may say of one document: keys and values of a sidecar or of a manifest's row in, checked facts out.

Strict: an unknown key is refused, for a misspelt ``known_identifiers`` would leave identifiers in the text. Errors quote nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError, field_validator

from pipeline.domain.errors import RecordError
from pipeline.domain.site_files import Sidecar
from pipeline.domain.vocabulary import FILE_KINDS, AuthorRole, DocumentKind, FailureCategory

_DATE: Final = r"^\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?\z"
# Sponsors number as they like (NRG-GY005, BO29554, 1199.32, ACTG A5001): short, and never without a digit.
_PROTOCOL_NUMBER: Final = r"^[A-Za-z0-9][A-Za-z0-9 ./_-]{0,39}\z"
_AMENDMENT: Final = r"^[A-Za-z0-9][A-Za-z0-9 ./_-]{0,39}\z"  # 3, Amendment 2, v4.0, 2.1-UK
_NCT_ID: Final = r"^NCT\d{8}\z"
# ICD-10-CM (CMS, Official Guidelines 2025, I.A.2): a letter, a digit, a digit or letter, then up to four after the dot.
_ICD_CODE: Final = r"^[A-Z][0-9][0-9A-Z](\.[0-9A-Z]{1,4})?\z"
#: USPS Publication 28, appendix B: states, the District of Columbia, territories.
_STATES: Final = (
    "AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT "
    "VT VA WA WV WI WY DC AS GU MP PR VI"
)
_MAX_LIST: Final = 100  # codes of one document


def _code(value: object) -> object:
    """Write a code as it is published: capitals, the dot after the third sign."""
    if not isinstance(value, str):
        return value
    plain = value.strip().upper()
    return f"{plain[:3]}.{plain[3:]}" if len(plain) > 3 and "." not in plain else plain


def _capitals(value: object) -> object:
    return value.strip().upper() if isinstance(value, str) else value


NctId = Annotated[str, BeforeValidator(_capitals), StringConstraints(pattern=_NCT_ID)]
IcdCode = Annotated[str, BeforeValidator(_code), StringConstraints(pattern=_ICD_CODE)]


class _Said(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True, str_strip_whitespace=True)

    kind: DocumentKind | None = None
    title: str | None = Field(None, min_length=1, max_length=1000)
    date: str | None = Field(None, pattern=_DATE)
    author: str | None = Field(None, min_length=1, max_length=300)
    department: str | None = Field(None, min_length=1, max_length=100)
    patient: str | None = Field(None, min_length=1, max_length=300)
    access: str | None = Field(None, min_length=1, max_length=64)
    author_role: AuthorRole | None = None
    agency: str | None = Field(None, min_length=1, max_length=200)
    state: Annotated[str | None, BeforeValidator(_capitals)] = None
    protocol_number: str | None = Field(None, pattern=_PROTOCOL_NUMBER)
    amendment: str | None = Field(None, pattern=_AMENDMENT)
    nct_ids: tuple[NctId, ...] = Field((), max_length=_MAX_LIST)
    icd_codes: tuple[IcdCode, ...] = Field((), max_length=_MAX_LIST)
    known_identifiers: dict[str, Any] | None = None

    @field_validator("kind")
    @classmethod
    def _no_trial(cls, value: DocumentKind | None) -> DocumentKind | None:
        if value is not None and value not in FILE_KINDS:
            raise ValueError("no kind of a file")
        return value

    @field_validator("state")
    @classmethod
    def _of_the_states(cls, value: str | None) -> str | None:
        if value is not None and value not in _STATES.split():
            raise ValueError("no postal code of a state")
        return value

    @field_validator("protocol_number")
    @classmethod
    def _has_a_digit(cls, value: str | None) -> str | None:
        if value is not None and not any(sign.isdigit() for sign in value):
            raise ValueError("no number")
        return value


#: Keys that a sidecar may have.
SIDECAR_KEYS: Final = tuple(_Said.model_fields)
#: Those whose value is a list.
LIST_KEYS: Final = ("nct_ids", "icd_codes")


def sidecar_of_values(values: Any) -> Sidecar:
    """Return what keys and values say; a key with ``None`` says nothing.

    Raises:
        RecordError: ``bad_sidecar``: no mapping, a key that is unknown, or a value that cannot be used.
    """
    said = {key: value for key, value in values.items() if value is not None} if isinstance(values, Mapping) else values
    try:
        read = _Said.model_validate(said)
    except ValidationError:
        raise RecordError(FailureCategory.BAD_SIDECAR, "the sidecar cannot be used") from None
    return Sidecar(**{name: getattr(read, name) for name in Sidecar.__dataclass_fields__})
