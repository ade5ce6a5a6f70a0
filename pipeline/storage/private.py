"""Folders that are their owner's only (0700): checked and put right whenever a home is opened."""

from __future__ import annotations

import logging
import os
import stat
from pathlib import Path
from typing import Final

from pipeline.observability import log_event

_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
_PRIVATE: Final = 0o700


def keep_private(folder: Path, *, name: str) -> bool:
    """Take away others' rights on a folder that is there. Returns whether it is its owner's only now.

    A folder that somebody else owns, or a file system without rights, is said once in the log and left as it is.

    Args:
        folder: The folder; nothing happens where there is none.
        name: What it is, for the log (a path may say more than a log should).
    """
    if os.name != "posix":
        return True
    try:
        mode = stat.S_IMODE(folder.stat().st_mode)
        if not mode & _OTHERS:
            return True
        folder.chmod(_PRIVATE)
        if stat.S_IMODE(folder.stat().st_mode) & _OTHERS:
            raise PermissionError
    except FileNotFoundError:
        return True
    except OSError:
        log_event("folder_not_private", level=logging.WARNING, folder=name)
        return False
    log_event("folder_made_private", level=logging.WARNING, folder=name, mode=oct(mode))
    return True
