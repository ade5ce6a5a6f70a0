"""Tells durations, doses, ratios and frequencies from dates. In: what a recogniser took for a date. Out: whether it is none."""

from __future__ import annotations

import re
from typing import Final

_NUMBER: Final = (
    r"(?:\d{1,4}(?:[.,]\d{1,3})?|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty"
    r"|several|few|many|couple|half|some)"
)
_UNIT: Final = (
    r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|h|days?|nights?|weeks?|wks?|months?|mos?|years?|yrs?|decades?|trimesters?|shifts?)"
)
_LEAD: Final = (
    r"(?:(?:about|approximately|approx\.?|around|over|under|up to|at least|at most|more than|less than|only|nearly|almost|within|after|before|for|in|the|every"
    r"|each|per|once|twice|another|additional|first|last|past|next|previous|prior|following|final|initial|this|that|these|those|same|post-?op(?:erative)?"
    r"|hospital|pod|a|of|[x×~<>≥≤]=?)\s{1,2}){0,4}"
)
_TAIL: Final = r"(?:\s{1,2}(?:old|ago|later|prior|before|after|earlier|duration|apart|or|of age|post-?op(?:eratively)?|history|course|follow-?up|straight|long))?"
_DURATION: Final = re.compile(
    rf"{_LEAD}(?:{_NUMBER}(?:\s?(?:-|to|or|and|/)\s?{_NUMBER})?(?:\s|-)?(?:to\s|or\s|more\s|full\s|consecutive\s|business\s)?)?{_UNIT}"
    rf"(?:[- ]olds?)?{_TAIL}(?:'s?)?",
    re.IGNORECASE,
)
_DAY_NUMBER: Final = re.compile(
    r"(?:(?:study|cycle|post-?op(?:erative)?|hospital|treatment|week|day|month|year|visit|pod|hd)\s?#?)+(?:day\s)?\d{1,3}(?:\s?(?:-|to|,|and)\s?\d{1,3})?",
    re.IGNORECASE,
)
_FREQUENCY: Final = re.compile(
    r"(?:(?:once|twice|thrice|three times|four times|\d{1,2}(?:-\d{1,2})? times|every|each|per|a|the|other|same|next|previous|early|late|this|that|all|one|any"
    r"|long|mid|most)\s{1,2}){0,4}"
    r"(?:daily|nightly|weekly|bi-?weekly|monthly|quarterly|yearly|annual(?:ly)?|hourly|today|tonight|tomorrow|yesterday|overnight|morning|afternoon|evening"
    r"|night|noon|midnight|bedtime|mealtimes?|day|week|month|year|childhood|adolescence|infancy|adulthood|age|ages|qd|q\.?d\.?|bid|tid|qid|qhs|qam|qpm|prn"
    r"|q\.?\s?\d{1,2}(?:-\d{1,2})?\s?(?:h|hrs?|hours?|d|days?|wk|weeks?|m|min)|24/7)",
    re.IGNORECASE,
)
# "5/5", "120/80", "12.5/25": no date has such numbers; 5/5 is one only where nothing clinical stands beside it.
_RATIO: Final = re.compile(r"(\d{1,3}(?:\.\d{1,2})?)\s?/\s?(\d{1,3}(?:\.\d{1,2})?)")
_LAST_MONTH: Final = 12
_LAST_DAY: Final = 31
_UNIT_AFTER: Final = re.compile(
    r"\s{0,2}-?(?:mg|mcg|µg|ug|g|gm|kg|ml|cc|l|dl|units?|iu|meq|mmol|mmhg|mm|cm|%|tabs?|tablets?|caps?|drops?|puffs?|sprays?|teaspoons?|tsp|tbsp|strength"
    r"|motor|pulses?|power|reflexes|pain|systolic|murmur|lung|solution|ns|inch(?:es)?|lb|lbs|oz|fr|french|gauge|x\d|bpm|/min|weeks?|days?|months?|years?|hours?)\b"
    r"|\s?%",
    re.IGNORECASE,
)
_CUE_BEFORE: Final = re.compile(
    r"(?:\b(?:bp|b\.p\.|blood pressure|strength|motor|score|scale|pain|apgars?|pulses?|reflexes|grade|rated|ratio|va|vision|acuity|gcs|i/e|murmur|gain|novolin|humulin"
    r"|mix|insulin)(?:\s(?:of|is|was|were|at|are))?[\s:=,]{0,3})$",
    re.IGNORECASE,
)
_SEEN_BEFORE: Final = 30  # characters read before a place


def is_no_date(text: str, start: int, end: int) -> bool:
    """Return whether ``text[start:end]`` is a duration, a frequency, a dose or a ratio."""
    value = text[start:end].strip(" .,;:()")
    if _DURATION.fullmatch(value) or _DAY_NUMBER.fullmatch(value) or _FREQUENCY.fullmatch(value):
        return True
    ratio = _RATIO.fullmatch(value)
    if ratio is None:
        return False
    first, second = (float(each) for each in ratio.groups())
    if first > _LAST_DAY or second > _LAST_DAY or (first > _LAST_MONTH and second > _LAST_MONTH) or "." in value:
        return True
    return bool(_UNIT_AFTER.match(text, end) or _CUE_BEFORE.search(text, max(0, start - _SEEN_BEFORE), start))
