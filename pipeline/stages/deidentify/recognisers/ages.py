"""Ages over 89 (45 CFR 164.514(b)(2)(i)(C)): 90 to 129 beside a word of age, a sex or a person; younger ages stay.

A place is the number alone, so that ``93-year-old`` becomes ``90+-year-old``. Doses, saturations, pressures, temperatures (``97 F``) and
isotopes (``90Y``) stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, Final

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.recognisers.base import Recogniser
from pipeline.stages.deidentify.recognisers.number_words import OVER_89_WORDS

if TYPE_CHECKING:
    from spacy.tokens import Doc

_SURE: Final = 0.95
_BY_CONTEXT: Final = 0.8
_REACH: Final = 40  # characters before a number that may say what it measures
# 90 to 129: nobody was older than 122. Not the end or the start of a longer number.
_OLD: Final = r"(?<![\w.,/])(?<!\d[-:])(?P<age>9\d|1[0-2]\d)(?![.,]\d)"
_NUMBER_OR_WORDS: Final = rf"(?:{_OLD}|(?<![\w-])(?P<words>{OVER_89_WORDS}))"
_WORDS_OR_NUMBER: Final = rf"(?:(?P<age>9\d|1[0-2]\d)(?!\d|[.,]\d)|(?P<words>{OVER_89_WORDS}))"
_NO_AGE_FOLLOWS: Final = r"(?!\s{0,2}(?:%|°|-?\s?(?:days?|d|wks?|weeks?|mos?|months?|hours?|hrs?|h|min(?:ute)?s?|mg|mcg|g|kg|ml|l|lbs?|cm|mm|mmhg|bpm|percent|units?|meq|degrees?)\b))"
_PERSON: Final = (
    r"(?:s?he|patient|pt|man|woman|lady|gentleman|resident|mother|father|mom|dad|grand(?:mother|father|ma|pa)|aunt|uncle|sister|brother|husband|wife|spouse|parents?"
    r"|who|mrs?\.?\s[A-Z]\w{1,20}|ms\.?\s[A-Z]\w{1,20})"
)


def _form(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


# Before a word of age: 93-year-old, 101 y/o, 90yo, ninety-three years old, 94 years of age; 93 ans, 95 Jahre alt.
_OF_YEARS: Final = _form(
    rf"{_NUMBER_OR_WORDS}(?:\s?\+)?[\s-]{{0,3}}(?:(?:years?|yrs?|yr)\.?[\s-]{{0,3}}(?:olds?\b|of\sage|o\b|young\b)|y[\s/.-]{{0,2}}o(?:[mf])?\b|y[\s-]?olds?\b|y/?[mf]\b"
    r"|jahre\b|jährige?[rnms]?\b|ans\b|años\b|anni\b|anos\b|jaar\soud)"
)
# Years alone are an age unless the words before it say a duration, or ``ago`` follows.
_YEARS_ALONE: Final = _form(
    rf"{_NUMBER_OR_WORDS}[\s-]{{0,2}}(?:years?|yrs?|yr)\b(?!\s{{0,2}}(?:ago|later|earlier|before|after|since|history|of\s(?!age)|experience|war\b|follow))"
)
_DURATION_BEFORE: Final = _form(r"\b(?:over|than|last|past|for|every|nearly|almost|within|to)\s\Z")
_Y_ALONE: Final = re.compile(rf"{_OLD}\s?y(?![\w-])(?=\s?[/,.;)]|\s(?:[MmFf]|male|female|man|woman|with|who)\b|\s{{0,2}}$|\n)")
# Before a sex: 97F, 94/M, 95 male, 96 woman. A temperature is none.
_OF_SEX: Final = re.compile(
    rf"{_OLD}(?:(?P<letter>(?:\s{{0,2}}/\s{{0,2}}|-|\s)?[MFW])(?![\w'/-])"
    r"|[\s-]{1,2}(?:(?i:(?:white|black|caucasian|african[\s-]american|asian|hispanic|latin[oa])\s)?(?i:female|male|woman|man|lady|gentleman|nun|veteran|widow(?:er)?)\b)(?!\s(?:participants|patients|subjects|volunteers|students|mice|rats|births)))"
)
# A letter alone is a sex only beside words of a person: "98 F" is warm and "100 M" is a solution.
_PERSON_BEFORE: Final = _form(
    r"(?:(?:\A|[.\n:(-]\s{0,3}|\b(?:a|an|this|pt|patient|resident|elderly|pleasant|old|hpi:?|cc:?|id:?)\s{1,2}))\Z"
)
_PERSON_FOLLOWS: Final = _form(
    r"\s{0,2}(?:[.,;)]|\n|\Z|\s(?:with|w/|w\b|c/o|c/b|who|whose|presents?|presenting|presented|p/w|s/p|h/o|hx|pmhx?|admitted|adm|here|from|found|brought|bib|seen|transferred|lives|living"
    r"|residing|a&o|dnr|on|in|is|was|has|had|and|for|came|arrived|referred|complain|fell|status|known|h/x|nh|snf)\b|\s(?:w/|c/o|p/w|s/p|h/o))"
)
_TEMPERATURE_BEFORE: Final = _form(
    r"\b(?:temp(?:erature)?s?|t\s?max|tm|t|fever(?:ish)?|febrile|afebrile|spik(?:ed|ing|es)|degrees?|warm(?:ed)?|cool(?:ed)?|heat(?:ed)?|vs|vss|vitals?|vital\ssigns|orally|axillary|rectal)"
    r"\b[^\n;]{0,25}\Z"
)
_TEMPERATURE_FOLLOWS: Final = _form(
    r"\s{0,2}(?:\(?\s?3\d(?:\.\d)?\s?°?\s?c\b|orally|oral\b|axillary|rectal|tympanic|temp|[,;]?\s?(?:hr|bp|rr|p|pulse|spo2|sats?)\b)"
)
# Behind a word of age: age: 94, aged 91, at the age of 96, Age/Sex: 94/F, turned 90, her 95th birthday, died at 93.
_AFTER_AGE: Final = _form(
    r"\b(?:age[ds]?|alter|edad|âge|età|idade|leeftijd)(?:\s?/\s?(?:sex|gender))?(?:\s?\((?:in\s)?(?:years?|yrs?|y)\)|\sin\syears)?"
    r"(?:\s(?:is|was|of|about|approximately|around|now|currently|reached|between|at\s[a-z]{3,12}))?\s{0,2}[:=~-]?\s{0,3}"
    rf"{_WORDS_OR_NUMBER}{_NO_AGE_FOLLOWS}"
)
_AFTER_AGE_RANGE: Final = _form(rf"\s{{0,2}}(?:-|/|,|to|and|or|&)\s{{0,2}}{_WORDS_OR_NUMBER}(?![\w/]){_NO_AGE_FOLLOWS}")
_TURNED: Final = _form(
    rf"\b(?:turn(?:ed|ing|s)|died\sat|passed\saway\sat|lived\sto(?:\sbe)?|approaching|liv(?:ing|ed)\suntil|deceased\sat|dies\sat|died|now\saged?|just\spast|since\sshe\swas|since\she\swas"
    rf"|until\s(?:s?he)\swas|when\s(?:s?he)\swas)\s{{1,2}}(?:age\s)?{_WORDS_OR_NUMBER}(?=\s{{0,2}}(?:[.,;)\n]|$|and\b|with\b|in\b|on\b|last\b|this\b|from\b|of\b|when\b|years?\b|yrs?\b|due\b|next\b))"
)
_BIRTHDAY: Final = _form(rf"{_OLD}(?:th|st|nd|rd)(?=\s(?:birth(?:day|\sday)|b-?day))")
_IS_OLD: Final = _form(
    rf"\b{_PERSON}(?:\s(?:is|was|will\sbe|are|being)|'s)(?:\s(?:now|currently|about|almost|nearly|only|already|approximately))?\s{{1,2}}{_WORDS_OR_NUMBER}"
    r"(?=\s{0,2}(?:[.;)\n]|$|,(?!\s?\d)|and\b|but\b|who\b|today\b|next\b|this\b|with\b(?!\so)))"
)
_IN_BRACKETS: Final = _form(
    rf"\b{_PERSON}(?:\s(?-i:[A-Z])[a-z'-]{{1,20}})?\s?\((?:age[d]?\s)?(?P<age>9\d|1[0-2]\d)(?=\s?(?:\)|y/?o|[mf]\)))"
)
_RELATIVE: Final = _form(
    rf"\b(?:mother|father|mom|dad|grand(?:mother|father|ma|pa)|aunt|uncle|sister|brother|husband|wife|spouse)(?:,\s|:\s|\s(?:died\s)?){_WORDS_OR_NUMBER}"
    r"(?=\s{0,2}(?:[,.;)\n]|$|(?:and\s)?(?:alive|dead|deceased|died|healthy|living|well|a&w)\b))"
)
_BEHIND_SEX: Final = re.compile(
    r"(?<![\w.])(?:[MF]\s?/\s?|(?i:female|male),\s?)(?P<age>9\d|1[0-2]\d)(?![\d/%]|[.,]\d|\s?(?:%|mg|kg|lb|cm))"
)
_AT_EVENT: Final = _form(rf"{_OLD}(?=\sat\s(?:(?:the\s)?time\sof\s)?(?:death|diagnosis|presentation|onset|enrol?lment|admission)\b)")
# Behind a full name: "Edith Moore, 93, was", and behind a date of birth: "DOB ... (92)".
_AFTER_NAME: Final = re.compile(
    rf"\b[A-Z][a-z'-]{{1,20}}\s[A-Z][A-Za-z'-]{{1,20}},?\s(?:\()?{_OLD}(?=\)|,\s(?:was|is|a|an|who|presents?|presented|of|has|had|came|with|seen|admitted|[MF]|male|female)\b)"
)
_AFTER_BIRTH: Final = _form(
    r"\b(?:d\.?o\.?b\b|birth\s?date|date\sof\sbirth|born)[^()\n]{0,45}\(\s?(?:age\s?|aged\s)?(?P<age>9\d|1[0-2]\d)(?=\s?(?:\)|y))"
)
# In words alone; "the 90s" is a decade or a saturation, "her nineties" is an age.
_DECADES: Final = _form(
    r"\b(?:in(?:to)?|entering|reached|well\sinto)\s(?:his|her|their|the\spatient's|hers)\s(?:(?:very\s)?(?:early|mid|middle|late|lower|upper)[\s-]{1,3})?(?P<words>(?:nineties|90'?s|9\ds|hundreds|100'?s))\b"
)
_CALLED: Final = _form(r"\b(?P<words>nonagenarians?|(?:super)?centenarians?)\b")
_DECADE_OF_LIFE: Final = _form(r"\b(?P<words>tenth|10th|eleventh|11th|twelfth|12th)(?=\sdecade\b)")

_SURE_FORMS: Final = (_OF_YEARS, _AFTER_AGE, _BIRTHDAY, _AFTER_BIRTH, _DECADES, _CALLED, _DECADE_OF_LIFE)
_CONTEXT_FORMS: Final = (_Y_ALONE, _TURNED, _IS_OLD, _AT_EVENT, _AFTER_NAME, _IN_BRACKETS, _RELATIVE, _BEHIND_SEX)


class Ages(Recogniser):
    """See the file."""

    classes: ClassVar = (IdentifierClass.AGE,)

    def find(self, text: str, doc: Doc | None) -> Iterable[Found]:
        """Return the numbers of ages over 89."""
        found: dict[tuple[int, int], float] = {}
        for forms, score in ((_CONTEXT_FORMS, _BY_CONTEXT), (_SURE_FORMS, _SURE)):
            for form in forms:
                for match in form.finditer(text):
                    found[_place(match)] = score
        for match in _YEARS_ALONE.finditer(text):
            if not _DURATION_BEFORE.search(text[max(0, match.start() - _REACH) : match.start()]):
                found.setdefault(_place(match), _BY_CONTEXT)
        for match in _AFTER_AGE.finditer(text):
            if second := _AFTER_AGE_RANGE.match(text, match.end()):
                found[_place(second)] = _BY_CONTEXT
        for match in _OF_SEX.finditer(text):
            if _is_person(text, match):
                found.setdefault(_place(match), _BY_CONTEXT)
        return [self.found(start, end, IdentifierClass.AGE, score) for (start, end), score in sorted(found.items())]


def _place(match: re.Match[str]) -> tuple[int, int]:
    groups = match.groupdict()
    return match.span("age") if groups.get("age") else match.span("words")


def _is_person(text: str, match: re.Match[str]) -> bool:
    """Whether the sex behind a number is one: a word or ``94/F`` always, ``97F`` beside words of a person and not of a temperature."""
    letter = match["letter"]
    if letter is None or "/" in letter:
        return True
    before = text[max(0, match.start() - _REACH) : match.start()]
    if letter.endswith("F") and (_TEMPERATURE_BEFORE.search(before) or _TEMPERATURE_FOLLOWS.match(text, match.end())):
        return False
    return _PERSON_FOLLOWS.match(text, match.end()) is not None and (
        _PERSON_BEFORE.search(before) is not None or text[match.end() : match.end() + 1] == " "
    )
