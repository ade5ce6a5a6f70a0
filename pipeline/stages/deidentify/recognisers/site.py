"""What a site's own numbers look like: settings, as every hospital has its formats."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pipeline.domain.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class SiteFormats:
    """Regular expressions of a site's own identifiers, found without a label before them; word boundaries are added.

    Raises:
        ConfigurationError: One is no regular expression, or matches the empty string.
    """

    mrn: tuple[str, ...] = ()
    account: tuple[str, ...] = ()
    other: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for pattern in (*self.mrn, *self.account, *self.other):
            try:
                empty = re.compile(pattern).fullmatch("")
            except re.error:
                raise ConfigurationError(
                    "a site format is no regular expression",
                    remedy="Correct CLINDEX_MRN_FORMATS, CLINDEX_ACCOUNT_FORMATS or CLINDEX_OTHER_ID_FORMATS.",
                ) from None
            if empty:
                raise ConfigurationError(
                    "a site format matches the empty string",
                    remedy="Correct CLINDEX_MRN_FORMATS, CLINDEX_ACCOUNT_FORMATS or CLINDEX_OTHER_ID_FORMATS.",
                )


def site_pattern(formats: tuple[str, ...]) -> re.Pattern[str] | None:
    """Return one pattern for all of ``formats`` between word boundaries; ``None`` where there are none."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(f'(?:{each})' for each in formats)})(?!\w)") if formats else None
