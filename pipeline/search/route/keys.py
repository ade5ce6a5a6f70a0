"""Identifiers as keys: however they are spaced, hyphened and cased, one identifier has one key."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import resources
from typing import Final

_DASHES: Final = re.compile(r"[‐‑‒–—―−]")
_GAPS: Final = re.compile(r"[\s_/-]+")
_SHORT_SERIES: Final = re.compile(r"([a-z]{2})-?(\d{2,4}[a-z]?)\Z")
_TAIL: Final = re.compile(r".*[a-z0-9][-](\d{3,4})\Z")


def key_of(value: str) -> str:
    """Return the key: lower case, one hyphen for every gap, and none where letters are in it (``keynote189``, ``3000-02-005``, ``1317.9``)."""
    key = _GAPS.sub("-", _DASHES.sub("-", value.strip().casefold())).strip("-.")
    return key.replace("-", "") if any(sign.isalpha() for sign in key) else key


def long_series(value: str) -> str | None:
    """Return ``KEYNOTE-189`` for ``KN-189``, or ``None`` where a value begins with no shortened name of a series."""
    found = _SHORT_SERIES.match(_DASHES.sub("-", value.strip().casefold()))
    series = trial_series()[1].get(found[1]) if found else None
    return f"{series}-{found[2]}" if found and series else None


def tail_of(value: str) -> str | None:
    """Return the last part of a protocol number of several parts, by which a team calls its study (``301`` of VLX-204-301), or ``None``."""
    found = _TAIL.match(_GAPS.sub("-", _DASHES.sub("-", value.strip().casefold())))
    return found[1] if found else None


@cache
def trial_series() -> tuple[frozenset[str], dict[str, str]]:
    """Return the names of series of trials (as ``key_of`` gives them), and the series that each short form stands for, in lower case."""
    data = tomllib.loads(resources.files("pipeline.lexicons").joinpath("trial_series.toml").read_text("utf-8"))
    short = {name.casefold(): series for name, series in data["short"].items()}
    return frozenset(key_of(name) for name in data["series"]), short
