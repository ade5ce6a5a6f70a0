"""Numbers written as words: days of a month, years, ages over 89. Sources of regular expressions; blanks may be hyphens or line breaks."""

from __future__ import annotations

from typing import Final

_GAP: Final = r"(?:\s{1,2}|-\s?)"
_ONES: Final = "one|two|three|four|five|six|seven|eight|nine"
_TEENS: Final = "ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
_TENS: Final = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_ORDINAL_ONES: Final = "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth"

# First to thirty-first, as ordinals: "the twenty-ninth".
DAY_ORDINAL: Final = (
    rf"(?:(?:twenty{_GAP}?(?:{_ORDINAL_ONES})|thirty{_GAP}?first|{_ORDINAL_ONES}|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|sixteenth"
    r"|seventeenth|eighteenth|nineteenth|twentieth|thirtieth)(?![a-z]))"
)
# 1900 to 2099: "nineteen eighty-four", "twenty twenty-four", "twenty oh four", "two thousand and four".
YEAR_WORDS: Final = (
    rf"(?:(?:(?:nineteen|twenty){_GAP}(?:(?:{_TENS})(?:{_GAP}(?:{_ONES}))?|{_TEENS}|(?:oh|o|hundred(?:\s{{1,2}}and)?){_GAP}(?:{_ONES})|hundred)"
    rf"|two{_GAP}thousand(?:\s{{1,2}}(?:and\s{{1,2}})?(?:(?:{_TENS})(?:{_GAP}(?:{_ONES}))?|{_TEENS}|{_ONES}))?)(?![a-z]))"
)
# The same as cardinals: "March five" is read only before a year in words.
DAY_CARDINAL: Final = rf"(?:(?:twenty{_GAP}(?:{_ONES})|thirty(?:{_GAP}one)?|twenty|{_TEENS}|{_ONES})(?=,?\s{{1,2}}{YEAR_WORDS}))"
# 90 to 129: "ninety-three", "hundred", "one hundred and four"; an article before it is none of it.
OVER_89_WORDS: Final = rf"(?:(?:ninety(?:{_GAP}?(?:{_ONES}))?|(?:one{_GAP})?hundred(?:{_GAP}(?:and{_GAP})?(?:twenty(?:{_GAP}(?:{_ONES}))?|{_TEENS}|{_ONES}))?)(?![a-z]))"
