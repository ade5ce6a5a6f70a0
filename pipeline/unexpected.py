"""Errors that nobody raised on purpose, in our words. A foreign message may quote a document: class and place are told, no more."""

from __future__ import annotations

import errno
import re
import traceback
from pathlib import Path
from typing import Final

from pydantic import ValidationError
from pydantic_settings import SettingsError

from pipeline.domain.errors import ClindexError, ConfigurationError, InternalError, InterruptedRunError, StoreUnavailableError

_PACKAGE: Final = Path(__file__).resolve().parent
_FIELD: Final = re.compile(r'for field "(\w+)"')  # in what pydantic-settings says of a variable that is no JSON
_PLACES: Final = 3  # innermost places of our own that are named


def as_ours(error: BaseException) -> ClindexError:
    """Return an error of ours for any error: the same one where it is ours already."""
    if isinstance(error, ClindexError):
        return error
    if isinstance(error, KeyboardInterrupt):
        return InterruptedRunError("interrupted; what was committed stays", remedy="Run the same command again: it goes on.")
    if isinstance(error, ValidationError) and error.title == "Settings":
        found = error.errors(include_input=False)
        names = sorted({f"CLINDEX_{part}".upper() for one in found for part in one["loc"][:1]})
        names += [
            one["msg"].removeprefix("Value error, ") for one in found if not one["loc"]
        ]  # settings that contradict each other: our words
        return ConfigurationError(f"not a valid setting: {', '.join(names)}", remedy="schemas/settings.json says what each takes.")
    if isinstance(error, SettingsError):
        name = _FIELD.search(str(error))
        said = f"CLINDEX_{name[1]}".upper() if name else "one that is a list"
        return ConfigurationError(f"not a valid setting: {said}", remedy='A list is written as JSON: ["one", "two"].')
    if isinstance(error, OSError):
        return _of_the_system(error)
    return InternalError(
        f"{type(error).__name__} in {place_of(error)}", remedy="This is a defect of Clindex, not of your data: report it with this line."
    )


def place_of(error: BaseException) -> str:
    """Return the innermost places in our code that an error came through, as ``module:line``."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f"{Path(one.filename).relative_to(_PACKAGE)}:{one.lineno}" for one in frames if Path(one.filename).is_relative_to(_PACKAGE)]
    return " < ".join(reversed(ours[-_PLACES:])) or "no place of ours"


def _of_the_system(error: OSError) -> ClindexError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StoreUnavailableError("the disk is full", remedy="Free space, then run the same command again.")
    code = errno.errorcode.get(error.errno or 0, type(error).__name__)
    return StoreUnavailableError(
        f"a file or folder cannot be used ({code}, {place_of(error)})", remedy="Check CLINDEX_HOME: does it exist, and may this user write?"
    )
