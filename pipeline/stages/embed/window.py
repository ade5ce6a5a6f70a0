"""The rule that no document's text is cut silently."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pipeline.domain.errors import ModelError

_REMEDY: Final = "Chunk it again with this model's token counter: text is never cut silently."


def check_window(lengths: Sequence[int], *, window: int) -> None:
    """Refuse texts that the model would cut.

    Raises:
        ModelError: One of them has more tokens than ``window``; the message counts, it does not quote.
    """
    over = [length for length in lengths if length > window]
    if over:
        raise ModelError(
            f"{len(over)} of {len(lengths)} texts exceed the model's window of {window} tokens (the longest has {max(over)})",
            remedy=_REMEDY,
        )
