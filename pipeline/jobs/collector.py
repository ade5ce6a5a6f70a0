"""Pauses Python's cycle collector around a loop that makes many objects and no cycles."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Free objects by their counts alone while entered.

    The collector looks for cycles whenever enough objects were made. Where thousands are alive at a time and none is part of a cycle, it
    finds nothing: of the processor time of reconciling 100,000 points it took 22 % (3.7 s for 2.9 s, in one process, alternating).
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
