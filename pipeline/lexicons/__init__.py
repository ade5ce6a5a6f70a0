"""Packaged lists of words, which several stages read: one entry a line; lines that begin with ``#`` name the source."""

from __future__ import annotations

from importlib import resources


def entries(name: str) -> list[str]:
    """Return the entries of the list ``NAME.txt``, in its order."""
    text = resources.files("pipeline.lexicons").joinpath(f"{name}.txt").read_text("utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]
