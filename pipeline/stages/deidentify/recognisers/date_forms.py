"""Forms of dates, as regular expressions with named groups. ``dates`` looks for them, ``date_shift`` rewrites what they name.

Groups: ``y`` (four or two digits), ``m``, ``d`` where the order is certain, ``a`` and ``b`` where month and day could be either, ``mon`` (a
name), ``ordinal`` ("th"), ``until`` (the last day of a range). All repeats are bounded; parts may be split over a line's end.
"""

from __future__ import annotations

import re
from typing import Final

from pipeline.stages.deidentify.recognisers.months import month_names
from pipeline.stages.deidentify.recognisers.number_words import DAY_CARDINAL, DAY_ORDINAL, YEAR_WORDS

YEAR: Final = r"(?:1[89]|2[01])\d\d"
_MONTH: Final = r"(?:1[0-2]|0?[1-9])"
_DAY: Final = r"(?:3[01]|[12]\d|0?[1-9])"
_NAME: Final = rf"(?P<mon>{month_names()})(?![^\W\d_])"
_ORDINAL: Final = r"(?P<ordinal>\s?(?:st|nd|rd|th|er|ª|º)\b)"
_WEEKDAYS: Final = "mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun"
WEEKDAY: Final = (
    rf"(?:(?:{_WEEKDAYS})(?:day)?|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche"
    r"|lunes|martes|miércoles|jueves|viernes|sábado|domingo)"
)
# What makes a number a quantity and not a part of a date.
UNIT: Final = (
    r"(?:%|°|[µu]g\b|mc?g\b|m?c?g\s?/|kg\b|g\b|m?l\b|d?l\b|cc\b|units?\b|iu\b|meq\b|mmol|mmhg|mm\b|cm\b|tab|cap(?:s|sules?)\b|pills?\b|puffs?\b|drops?\b"
    r"|tsp|tbsp|doses?\b|days?\b|d\b|wks?\b|weeks?\b|mos?\b|months?\b|yrs?\b|years?\b|y/?o\b|hours?\b|hrs?\b|h\b|min(?:ute)?s?\b|sec(?:ond)?s?\b|times\b|x\b"
    r"|patients\b|pts\b|people\b|subjects\b|cases\b|participants\b|beats\b|bpm\b|fold\b|points?\b|cycles?\b|lbs?\b|miles?\b|feet\b|ft\b|inch(?:es)?\b)"
)
_NOT_UNIT: Final = rf"(?![\s-]{{0,2}}{UNIT})"
_FREE: Final = r"(?<!\d)(?<!\d[./])"  # neither inside a number nor behind a decimal point or a slash
_ENDS: Final = r"(?!\d|[./-]\d)"
_TIME: Final = r"(?:[Tt]\d{1,2}:?\d{2}(?::?\d{2}(?:[.,]\d{1,9})?)?(?:Z\b|[+-]\d{2}:?\d{2})?|\s\d{1,2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z\b)?)"


def _form(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


# 2024-05-06, 2024.05.06, 2024/5/6. A machine's time of day belongs to it: T10:22:00Z, or seconds behind a blank.
YEAR_FIRST: Final = _form(
    rf"{_FREE}(?P<y>{YEAR})\s{{0,2}}(?P<sep>[-/._])\s{{0,2}}(?P<m>{_MONTH})\s{{0,2}}(?P=sep)\s{{0,2}}(?P<d>{_DAY})(?P<time>{_TIME})?(?!\d|[./]\d)"
)
# 3/7/2024, 07.03.2024, 03-07-2024, 03 / 07 / 2024; a range of days before it: 12-14/03/2024.
YEAR_LAST: Final = _form(
    r"(?<!\d)(?<!\d[.])(?:(?<!/)(?P<until>\d{1,2}\s?-\s?))?(?P<a>\d{1,2})\s{0,2}(?P<sep>[-/._])\s{0,2}(?P<b>\d{1,2})\s{0,2}(?P=sep)\s{0,2}"
    rf"(?P<y>{YEAR})(?P<time>{_TIME})?(?!\d|[./]\d)"
)
# 3/7/24, 3-7-24, 07.03.24 (a dotted one with all its zeros: 5.1.12 is a heading).
SHORT_YEAR: Final = _form(
    rf"(?<![\d._])(?<!\b[a-z])(?<!\d/)(?:(?P<a>\d{{1,2}})(?P<sep>/|(?<!\d-\d)(?<!\d-\d\d)-)(?P<b>\d{{1,2}})(?P=sep)(?P<y>'?\d\d)|(?P<a2>[0-3]\d)\.(?P<b2>[0-3]\d)\.(?P<y2>\d\d))"
    rf"(?!\d|[./]\d){_NOT_UNIT}"
)
# 20240312, and 202403121022(33) of HL7.
COMPACT: Final = _form(
    r"(?<![^\W_])(?<!\d[-.,/])(?P<y>(?:19|20)\d\d)(?P<m>0[1-9]|1[0-2])(?P<d>0[1-9]|[12]\d|3[01])(?P<time>T?(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d)?Z?)?"
    r"(?![^\W_]|[-.,/]\d)"
)
# 12-Mar-2024, 07MAR2024, 4th of July, 3-7 March 2024, 12. März 2024, 3 de mayo de 2024; UNK-MAR-2024.
DAY_FIRST: Final = _form(
    rf"(?<![^\W_])(?<!\d[.,/])(?:(?P<until>{_DAY}(?:\s?(?:st|nd|rd|th))?\s{{0,2}}(?:-|to|and|&|through|or|bis|au|al)\s{{0,2}}(?:the\s)?)?(?P<d>{_DAY}){_ORDINAL}?"
    rf"|(?P<word>{DAY_ORDINAL})|(?P<unknown>unk?))(?P<gap>\s{{0,2}}[-/.,]?\s{{0,2}}(?:(?:of|de)\s{{1,2}})?){_NAME}"
    rf"(?:\.?(?P<gap2>(?:\s{{0,2}}[-/,.]?\s{{0,2}}|\s{{1,2}})(?:(?:of|in|de|del)\s{{1,2}})?)(?P<y>{YEAR}(?!\d)|(?:'|(?<!,)(?<!,\s))\d\d(?!\d|[:/.]\d|\s?[ap]\.?m\b){_NOT_UNIT}|{YEAR_WORDS}))?"
)
# March 5, 2024; Mar 12th; March 3-7, 2024; MAR-05-2024; March fifth twenty twenty-four; with the year in front: 2024 March 5.
MONTH_FIRST: Final = _form(
    rf"(?<![^\W\d_]){_NAME}(?P<gap>\.?\s{{0,2}}[-/.]?\s{{0,2}}(?:the\s)?)"
    rf"(?:(?P<d>{_DAY})(?![\d/]|[.:]\d|,(?!{YEAR})\d|-(?!{YEAR})\d{{3}}){_ORDINAL}?{_NOT_UNIT}|(?P<word>{DAY_ORDINAL}|{DAY_CARDINAL}))"
    rf"(?P<until>(?:,\s?{_DAY}(?:(?:st|nd|rd|th)|(?=,?\s(?:and|or|&)\s{_DAY}(?!\d)))){{0,4}}"
    rf"(?:,?\s{{0,2}}(?:-|to|and|&|through|or)\s{{0,2}}(?:the\s)?{_DAY}(?![\d/]|[.:]\d)(?:st|nd|rd|th)?{_NOT_UNIT})?)"
    rf"(?:(?P<gap2>(?:\s{{0,2}}[-/,.]?\s{{0,2}}|\s{{1,2}})(?:(?:of|in)\s)?)(?P<y>{YEAR}(?!\d)|'\d\d(?!\d)|{YEAR_WORDS}|\d\d(?=\s{{0,2}}(?:[;)\n]|[.,](?:\s|$)|$))))?"
)
# March 2024, Sept '19, Mar-24, of March in 2024.
MONTH_YEAR: Final = _form(
    rf"(?<![^\W\d_]){_NAME}\.?(?:[\s,./-]{{1,3}}(?:(?:of|in|de|del|the\syear)\s{{1,2}})?|)(?P<y>{YEAR}(?!\d)|'\d\d(?!\d)|(?<=-)\d\d(?![\d:]|[./-]\d)|(?<=[a-z]{{3}})(?<![a-z]{{4}})\d\d(?!\w|[.:/-]\d)|{YEAR_WORDS})"
)
YEAR_MONTH_NAME: Final = _form(rf"(?<![\w.])(?P<y>{YEAR})[\s,./-]{{1,2}}{_NAME}")
MONTH_ALONE: Final = _form(rf"(?<![^\W_])(?:(?<![a-z]-)|(?<=mid-)|(?<=late-)|(?<=early-)|(?<=pre-)|(?<=post-)){_NAME}")
# 3/2024, 03-2024, 2024-05. 1/2000 is a ratio and 5-2000 a range: the caller judges.
MONTH_SLASH_YEAR: Final = _form(rf"(?<![\w.])(?<!\d[/-])(?P<m>{_MONTH})\s?(?P<sep>[/-])\s?(?P<y>19[3-9]\d|20\d\d)(?!\w|[./-]\d){_NOT_UNIT}")
YEAR_DASH_MONTH: Final = _form(rf"(?<![\w.])(?<!\d[/-])(?P<y>(?:19|20)\d\d)[-/](?P<m>0[1-9]|1[0-2])(?!\w|[./-]\d){_NOT_UNIT}")
# 3/7 and 3-7: a date only where the words around say so.
NO_YEAR: Final = _form(
    r"(?<![\w.])(?:(?<![\d.][/-])|(?<=/\d-)|(?<=/\d\d-))(?P<a>\d{1,2})(?P<sep>[-/])(?P<b>\d{1,2})(?![\w/]|\.\d|-\d{1,2}(?![\d/])|-\d{3})"
)
# 2024年3月14日, 1994년 3월 15일; and a day and a year around a word in another script (१२ ऑक्टोबर १९७९).
EAST_ASIAN: Final = _form(r"(?<!\d)(?P<y>\d{4})\s?[年년]\s?(?P<m>\d{1,2})\s?[月월](?:\s?(?P<d>\d{1,2})\s?[日일])?")
OTHER_SCRIPT: Final = _form(r"(?<!\d)\d{1,2}\.?\s{1,2}[^\x00-\u024f\s]{2,20}\s{1,2}(?:19|20)\d\d(?!\d)")

_OBSERVED: Final = (
    r"christmas(?:\s(?:eve|day))?(?!\s(?:disease|factor|tree))|xmas(?:\s(?:eve|day))?|new\syear'?s(?:\s(?:eve|day))(?:\s?/\s?day)?|new\syear'?s(?!\s(?:resol|party))"
    r"|thanksgiving(?:\s(?:day|eve))?|easter(?:\s(?:sunday|monday))?(?!\s(?:egg|seal|island|lil))|good\sfriday|ash\swednesday|palm\ssunday"
    r"|fourth\sof\sjuly|independence\sday|(?:labou?r|memorial|veterans'?|columbus|presidents?'?|mlk|martin\sluther\sking(?:\sjr\.?)?"
    r"|valentine'?s|mother'?s|father'?s|boxing|groundhog|(?:st|saint)\.?\spatrick'?s|indigenous\speoples'?)\sday|halloween|juneteenth|cinco\sde\smayo"
    r"|yom\skippur|rosh\shashanah?|c?hanukk?ah|passover|purim|diwali|eid(?:\sal-(?:fitr|adha))?(?=\W)|mardi\sgras|super\sbowl\ssunday|black\sfriday"
)
HOLIDAY: Final = _form(rf"(?<![\w-])(?:{_OBSERVED})(?![\w-])(?:\s{{0,2}},?\s{{0,2}}(?:of\s|in\s)?(?:{YEAR}(?!\d)|'\d\d(?!\d)))?")
HOLIDAY_STARTS: Final = frozenset(
    re.findall(
        r"\w+",
        """
    ash black boxing chanukah chanukkah christmas cinco columbus diwali easter eid father fathers fourth good groundhog halloween hanukah hanukkah
    independence indigenous juneteenth labor labour mardi martin memorial mlk mother mothers new palm passover president presidents purim rosh saint st
    super thanksgiving valentine valentines veteran veterans xmas yom""",
    )
)  # the first words of these
# A season or a quarter with its year: more than the year.
SEASON: Final = _form(rf"\b(?:spring|summer|fall|autumn|winter|ramadan|q[1-4])(?:\s{{1,2}}of|,)?[\s/-]{{1,2}}{YEAR}(?!\d)")
