"""Lines before a list that say which way the list goes: "Participants are excluded if any of the following apply:"."""

from __future__ import annotations

import re
from typing import Final

# A line of its own before a list that says which way the list goes.
_EXCLUDES: Final = re.compile(
    r"\b(?:excluded|ineligible|exclusionary|not\s+(?:be\s+)?(?:eligible|enrol\w*|included|enter\w*|participate)|exclusion\s+criteri\w+)\b",
    re.IGNORECASE,
)
_INCLUDES: Final = re.compile(r"\b(?:eligible|included|enrolled|qualified|inclusion(?:\s+criteri\w+)?)\b", re.IGNORECASE)
_OPENS_LIST: Final = re.compile(r"\b(?:following|if|who|with|when|criteria|are|be|conditions?)\b[^.]{0,90}$", re.IGNORECASE)
_EXCEPTION: Final = re.compile(r"\b(?:unless|except\w*|provided|not\s+excluded|not\s+ineligible)\b", re.IGNORECASE)
_NEGATED: Final = re.compile(r"\b(?:not|no|none|neither|without)\b", re.IGNORECASE)  # "eligible if none of these": neither way is safe
_MAX_LEAD_IN: Final = 200


def lead_in_polarity(text: str) -> bool | None:
    """Return which way a line that opens a list goes (``Participants are excluded if …:``), or ``None``."""
    if len(text) > _MAX_LEAD_IN or _EXCEPTION.search(text) or not _OPENS_LIST.search(text):
        return None
    if _EXCLUDES.search(text):
        return True
    return False if _INCLUDES.search(text) and not _NEGATED.search(text) else None
