"""Who acts: the name that is kept beside an approval, a hold or a deletion."""

from __future__ import annotations

import getpass
import os
from typing import Final

_LONGEST_NAME: Final = 255  # what the columns hold


def acting_user(by: str | None = None) -> str:
    """Return the name given, else the operating system's user, by number where it has no name (containers)."""
    return (by or _system_user())[:_LONGEST_NAME]


def _system_user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return f"uid {os.getuid()}"
