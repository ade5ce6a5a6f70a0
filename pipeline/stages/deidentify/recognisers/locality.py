"""The end of an address: town, state, ZIP code, country. In: where to begin. Out: where they end.

``12 Elm St`` and ``Alder Creek, IL 60614`` are read as one place because each of both recognisers reads on with this.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from pipeline.stages.deidentify.recognisers.gazetteer import abbreviations, key, regions, town_at, word_set

_PAUSE: Final = re.compile(r"[ \t]*(?:,[ \t]*\n?|\n[ \t]*\n?[ \t]*,?)[ \t]*|[ \t]{1,2}(?:-[ \t])?")
_TOWN: Final = re.compile(r"[A-ZÀ-ÞŁŚŠŽČ][\w'.-]{1,24}(?: (?:(?:de|del|la|upon|on|am|sur|of|the) )?[A-ZÀ-ÞŁŚŠŽČ][\w'.-]{1,24}){0,3}")
# After a town: ZIP and ZIP+4, six digits of India, an outward and inward code of the United Kingdom, a code of Canada.
POSTCODE: Final = (
    r"(?:\d{5}(?:-\d{4})?(?!\d)|\d{3}[ ]?\d{3}(?!\d)|[A-Z]{1,2}\d[A-Z\d]?[ ]?\d[A-Z]{2}\b"
    r"|[ABCEGHJ-NPRSTVXY]\d[ABCEGHJ-NPRSTV-Z][ -]?\d[ABCEGHJ-NPRSTV-Z]\d\b)"
)
_POSTCODE: Final = re.compile(rf"[ \t]*(?:,|-|\n)?[ \t]*(?:(?:ZIP|PIN|postcode)(?: code)?:?[ ])?({POSTCODE})", re.IGNORECASE)
_DISTRICT: Final = re.compile(r" (?:0?\d|1[0-5])(?![\d.,/-]*\d)")  # Colombo 07, Dublin 4
_BEFORE_TOWN: Final = re.compile(r"(?:[A-Z]{1,2}-)?\d{4,5}[ ](?=[^\W\d_])|\d{5}-\d{3}[ ]")  # 10115 Berlin, D-10115 Berlin
_PROVINCES: Final = frozenset(
    ["AB", "BC", "MB", "NB", "NL", "NS", "NT", "NU", "ON", "PE", "QC", "SK", "YT", "NSW", "VIC", "QLD", "TAS", "ACT"]
)
# No town: what else begins with a capital after a comma.
_NO_TOWN: Final = word_set(
    "dr mr mrs ms miss phone tel telephone fax email mobile cell dob mrn ssn age patient pt she he they his her the who and with "
    "admitted date name physician provider attending hospital clinic contact insurance id sex gender home work on in at a an lives "
    "mother father"
)


def state_at(text: str, start: int) -> int | None:
    """Return where a state, province or country that begins at ``start`` ends."""
    word = re.compile(r"[A-Z]{2,3}\b\.?(?![ ]?[#:]|-[A-Z])|[A-Z]\.[A-Z]\.(?:[A-Z]\.)?").match(text, start)
    if word is not None and word.group().replace(".", "") in abbreviations() | _PROVINCES | {"USA", "UK", "US", "UAE", "DC"}:
        return word.end() if word.group().count(".") > 1 else start + len(word.group().rstrip("."))
    best = None
    for name in _region().finditer(text, start, start + 40):
        best = name.end()
        break
    return best if best is not None and _region().match(text, start) else None


@cache
def _region() -> re.Pattern[str]:
    names = sorted(regions(), key=len, reverse=True)
    return re.compile(rf"(?:{'|'.join(map(re.escape, names))})(?!\w)", re.IGNORECASE)


def read_on(text: str, end: int) -> int:
    """Return where the rest of an address ends: ``end`` where nothing of it follows.

    Args:
        text: Text.
        end: Where a street, a box or a unit ended.
    """
    done = _after_pause(text, end)
    if done is None:
        return after_town(text, end)
    pause, start = done
    before = _BEFORE_TOWN.match(text, start)
    place = before.end() if before else start
    if town := _town_end(text, place, comma="," in pause or "\n" in pause, sure=before is not None):
        return after_town(text, town)
    return after_town(text, end)


def after_town(text: str, end: int) -> int:
    """Return where state, ZIP code and country after a town end (``end`` where there are none)."""
    if district := _DISTRICT.match(text, end):
        end = district.end()
    for _ in range(2):  # state, then country
        if (pause := _after_pause(text, end)) and (region := state_at(text, pause[1])):
            end = region
        if postcode := _POSTCODE.match(text, end):
            end = postcode.end()
    return end


def _after_pause(text: str, end: int) -> tuple[str, int] | None:
    pause = _PAUSE.match(text, end)
    return (pause.group(), pause.end()) if pause else None


def _town_end(text: str, start: int, *, comma: bool, sure: bool) -> int | None:
    """Return where a town ends that stands where one is expected."""
    name = _TOWN.match(text, start)
    known = town_at(text, start)
    longer = name is not None and known is not None and name.end() > known[0] and _followed_by_state(text, name.end())
    if known and not longer and (comma or sure or not known[1].doubtful):
        return known[0]
    if name is None or key(name.group().split()[0]).strip(".,") in _NO_TOWN:
        return None
    end = start + len(name.group().rstrip(".'-"))
    if sure or _followed_by_state(text, end):
        return end
    return end if comma and len(name.group().split()) <= 2 and text[end : end + 1] in {"", ".", ",", ";", ")", "\n", "?"} else None


def _followed_by_state(text: str, end: int) -> bool:
    pause = _after_pause(text, end)
    return bool(pause and state_at(text, pause[1])) or _POSTCODE.match(text, end) is not None
