"""Reads the number after its label: ``MRN# is 00-12-34``, ``Account Number: 4471 2288``, ``member ID ABC-1234``.

In: text and a pattern of labels. Out: places of the values alone. What a label announces is told by each recogniser; how a value is
written after it (signs, ``is``, columns, the answer to a question, spoken digits, a correction) is told here, once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

# How labels go on: "record number", "record no.", "record #", "record ID number".
NUMBER: Final = (
    r"(?:[ \t]?[-_/]?[ \t]?(?:(?:numbers?|num|nos?|nr|id(?:s|ent(?:ifier|ification|ity)?)?|code|ref(?:erence)?)(?![A-Za-z])\.?"
    r"(?:[ \t]?(?:(?:numbers?|num|nos?|code)(?![A-Za-z])\.?|\#))?|\#))"
)
_SAID: Final = (
    r"(?:(?:is|was|are|of|as|reads?|still|now|like|uh+|um+|er|it'?s|that'?s|i[ ]think|listed|assigned|recorded|belonging[ ]to|(?:changed|updated|corrected)[ ]to|ending[ ]in)"
    r"\b[ \t,.:]{1,4}){0,4}"
)
# Signs of forms, tables, Markdown and JSON; columns are up to 40 blanks wide; a value may stand on the next line.
_SIGNS: Final = r"(?:[ \t]?\([A-Za-z .]{2,12}\))?(?:[ \t:;/=*|\"'>\])-]|\#[ :]){0,40}(?:\n[ \t|]{0,20})?"
_ANSWER: Final = r"[ ]?\?[\"']?\s{1,3}(?:[A-Z][A-Za-z. ]{1,20}:\s?)?(?:(?:sure|yes|yeah|ok(?:ay)?|it'?s|it[ ]is|that'?s|my|of[ ]course)\b[ ,.]{0,3}){0,4}"
_GLUE: Final = rf"(?:{_ANSWER}|{_SIGNS}{_SAID}[\"'(\[*]{{0,3}})"
_DIGIT_WORD: Final = r"(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)"
SPOKEN: Final = (
    rf"\b(?:(?:double|triple)[ ])?{_DIGIT_WORD}(?:[ ,.-]{{1,3}}(?:(?:and|dash|hyphen|double|triple)[ ])?{_DIGIT_WORD}){{3,18}}\b"
)
_CODE: Final = (
    r"(?:\d(?:[ -]\d){4,17}(?![\d/.])"  # 4 4 7 1 2, digit by digit
    r"|(?!id|no|nr)(?-i:[A-Z]{1,4})(?:(?:[ ]\d{2,4}){1,4}[ ]\d{2,6}|[ ]\d{4,14})(?![\w/])"  # AB 123456, ABC 123 456 789
    # A code of letters, digits and single signs with a digit near its beginning; 40 characters are more than any identifier in use.
    r"|\#?(?=[A-Za-z_./-]{0,12}\d)[A-Za-z0-9](?:[A-Za-z0-9]|[-_/.:](?=[A-Za-z0-9])){0,39}(?![A-Za-z0-9]))"
)
_VALUE: Final = rf"(?P<value>{SPOKEN}|{_CODE})"
_MORE: Final = re.compile(
    r"(?:[ ]?[,;]?[ ]?\b(?:or|and|no|sorry|i[ ]mean|is[ ]it|it'?s|maybe|correction|make[ ]that|rather|wait|actually|then|also|formerly|old|new)"
    rf"\b){{1,5}}[ ,]{{1,3}}(?:[A-Za-z]{{2,4}}[ ])?{_VALUE}",
    re.IGNORECASE,
)
_GROUPS: Final = re.compile(r"(?:[ ]\d{2,4}){1,5}(?![\w/%])(?!\.\d)")
_NOT_A_GROUP: Final = re.compile(
    r"[ -]?(?:y/?o\b|year|yr|male|female|[MF]\b|mg|mcg|ml|mm|cm|kg|lb|%|days?|weeks?|months?|hours?|bpm)", re.IGNORECASE
)
_UNIT: Final = re.compile(
    r"[ -]?(?:%|m?[cgl]?g\b|[mµud]?l\b|m?m\b|cm\b|lbs?\b|iu\b|units?\b|days?\b|d\b|weeks?\b|wks?\b|months?\b|years?\b|y/?o\b|hours?\b|hrs?\b|h\b"
    r"|min(?:ute)?s?\b|times\b|times?\b|patients\b|subjects\b|participants\b|cells\b|tablets?\b|doses?\b|/\w)",
    re.IGNORECASE,
)
# Numbers of studies and publications: they name no patient. 2019-001234-56 is EudraCT, 10.1016/… a DOI.
_PUBLIC: Final = re.compile(
    r"NCT\d{8}|ISRCTN\d{6,8}|EUCTR.{0,40}|\d{4}-\d{6}-\d{2}(?:-\d{2})?|U\d{4}-\d{4}-\d{4}|(?:UMIN|JRCT|CTRI|ACTRN|DRKS|NTR|ChiCTR)[\w/-]{4,30}"
    r"|PMC?\d{5,9}|PMID\d{5,9}|10\.\d{4,6}/.{1,40}|KEYNOTE-?\d{1,4}|CHECKMATE-?\d{1,4}",
    re.IGNORECASE,
)
_DATE: Final = re.compile(r"\d{1,2}[-/.]\d{1,2}[-/.](?:\d{2}|\d{4})|(?:19|20)\d{2}[-/.]\d{1,2}[-/.]\d{1,2}|(?:19|20)\d{2}|\d{1,2}/\d{2,4}")
_RANGE: Final = re.compile(r"\d+(?:\.\d+)?-\d+\.\d+|\d+\.\d+-\d+")  # 4.5-11.0: a range with decimals is a measure
_VARIANT: Final = re.compile(r"(?-i:[A-Z])\d{2,4}(?-i:[A-Z*])")  # T315I: an amino acid for another
_TIME: Final = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?")


def labelled(labels: str) -> re.Pattern[str]:
    """Return a pattern of a value after one of ``labels`` (an alternation, any case); the value is the group ``value``."""
    return re.compile(rf"(?<![A-Za-z0-9])(?:{labels})(?:(?<=\#)|(?![A-Za-z])){_GLUE}{_VALUE}", re.IGNORECASE)


def find_labelled(text: str, pattern: re.Pattern[str], plausible: Callable[[str, str], bool]) -> Iterator[tuple[int, int]]:
    """Yield half-open places of values in ``text``, in order.

    Args:
        text: Text to read.
        pattern: What ``labelled`` returns.
        plausible: Whether a value (first argument; then what follows it) may be one of this class.
    """
    position = 0
    while match := pattern.search(text, position):
        place = _whole(text, *match.span("value"))
        position = match.start("value")  # after a refusal: what was taken for a value may be the label of the next
        if place is None or not plausible(text[slice(*place)], text[place[1] : place[1] + 12]):
            continue
        yield _with_sign(text, *place)
        position = place[1]
        while more := _MORE.match(text, position):
            place = _whole(text, *more.span("value"))
            if place is None or not is_code(text[slice(*place)], text[place[1] : place[1] + 12]):
                break
            yield place
            position = place[1]


def _with_sign(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the place with the # of ``case #AB-12``, which the label took for its own."""
    return (start - 1, end) if text[start - 1 : start] == "#" and text[start - 2 : start - 1] in {" ", "(", "\n", "\t"} else (start, end)


def _whole(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the place of the whole value: without a word that was glued to it, with groups of digits after it; None if it has no digit."""
    value = text[start:end]
    while (cut := max(value.rfind(sign) for sign in "-_/.:")) >= 0 and value[cut + 1 :].isalpha() and len(value) - cut > 5:
        value = value[:cut]
    if value[:4].isdecimal() and len(value) <= 4 and (groups := _GROUPS.match(text, end)) and not _NOT_A_GROUP.match(text, groups.end()):
        return start, groups.end()
    if not digits(value) and " " not in value and "-" not in value:
        return None
    return start, start + len(value)


def digits(value: str) -> int:
    """Return how many digits ``value`` has."""
    return sum(char.isdecimal() for char in value)


def is_number(value: str, after: str) -> bool:
    """Whether ``value`` may stand after a label that announces nothing else (MRN): all but numbers of studies, times and measures."""
    if _PUBLIC.fullmatch(value) or _TIME.fullmatch(value):
        return False
    return digits(value) >= 4 or not digits(value) or not _UNIT.match(after)


def is_code(value: str, after: str) -> bool:
    """Whether ``value`` may stand after a label that also has other uses (order, visit, group): a code of its own or four digits or more.

    Dates, years, times and numbers with a unit are not.
    """
    if not is_number(value, after) or _DATE.fullmatch(value) or _RANGE.fullmatch(value) or _VARIANT.fullmatch(value):
        return False
    count = digits(value)
    if not count:
        return True  # spoken digits
    if value.replace(".", "").isdecimal():
        return count >= 4 and not _UNIT.match(after) and value.count(".") != 1
    letters = sum(char.isalpha() for char in value)
    return (count >= 4 or (count >= 2 and letters >= 1 and len(value) >= 5)) and not (letters == 0 and value.count("/") == 1 and count < 6)


def luhn(value: str) -> bool:
    """Whether the digits of ``value`` have a right check digit (ISO/IEC 7812-1, annex B)."""
    total = 0
    for index, char in enumerate(reversed([each for each in value if each.isdecimal()])):
        number = int(char) * (1 + index % 2)
        total += number - 9 if number > 9 else number
    return total % 10 == 0
