"""The part of a ZIP code that Safe Harbor lets stand: 45 CFR 164.514(b)(2)(i)(B)."""

from __future__ import annotations

import re
from typing import Final

# The areas of three digits in which 20,000 people or fewer live, by the census of 2000, as the guidance of the Department of Health and Human
# Services on de-identification lists them (26 November 2012).
_SMALL: Final = "036 059 063 102 203 556 692 790 821 823 830 831 878 879 884 890 893"
SMALL_AREAS: Final = frozenset(_SMALL.split())
_NOTHING: Final = "000"


def safe_zip3(zip_code: str) -> str:
    """Return the first three digits of a ZIP code, or ``000``: for small areas, and for what is no ZIP code.

    Args:
        zip_code: ZIP or ZIP+4, with or without a hyphen.
    """
    if re.fullmatch(r"\s*\d{5}(?:-?\s?\d{4})?\s*", zip_code, re.ASCII) is None:
        return _NOTHING
    area = zip_code.strip()[:3]
    return _NOTHING if area in SMALL_AREAS else area
