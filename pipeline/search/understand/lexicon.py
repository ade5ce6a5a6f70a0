"""Packaged data files of understanding, read once."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any


@cache
def toml(name: str) -> dict[str, Any]:
    """Return the data of ``pipeline/lexicons/NAME.toml``."""
    return tomllib.loads(resources.files("pipeline.lexicons").joinpath(f"{name}.toml").read_text("utf-8"))
