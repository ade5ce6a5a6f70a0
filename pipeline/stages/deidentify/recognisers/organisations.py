"""Employers, schools, insurers and congregations, where they are a person's. In: text. Out: their names.

An organisation is found by the word that makes it somebody's ("works at", "insured through", "student at"); learned societies, authorities
and makers of drugs and devices stay, as they have no such word before them. Insurers by name: ``lexicons/insurers.txt``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, ClassVar, Final

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.lexicons import entries
from pipeline.stages.deidentify.recognisers.base import Recogniser
from pipeline.stages.deidentify.recognisers.gazetteer import key, regions, word_set

if TYPE_CHECKING:
    from spacy.tokens import Doc

_WORD: Final = r"[A-ZÀ-Þ][\w'&.-]{0,24}"
_NAME: Final = rf"(?-i:{_WORD}(?: (?:(?:of|the|and|&|for|de) ){{0,2}}(?:{_WORD}|\d{{1,4}})){{0,5}})"
_NOT_AFTER: Final = r"(?:the |a local |their |his |her )?"
_EMPLOYED: Final = re.compile(
    rf"\b(?:(?:work(?:s|ed|ing)?|job|employed|employment|employee|shift|intern(?:s|ed|ship)?|hired|retired|laid off|fired|volunteers?|consults)"
    rf"(?: (?:as|for|with) an? [\w -]{{2,30}}?| (?:full|part)[ -]time| currently| there)?(?: still)? (?:at|for|by|from|of)|(?:employed|job|career|internship) with|position (?:at|for)"
    rf"|(?:teacher|nurse|engineer|driver|manager|clerk|cashier|mechanic|welder|accountant|professor|attorney|officer|technician|supervisor|worker|foreman|"
    rf"electrician|cook|secretary|analyst|programmer|executive|specialist|coordinator|custodian|guard|operator) (?:at|for|with)"
    rf"|employer(?: is)?[:,]?|workplace:?|place of (?:work|employment):?|company:|works at:) {{1,12}}{_NOT_AFTER}({_NAME})",
    re.IGNORECASE,
)
_ATTENDS: Final = re.compile(
    rf"\b(?:student at|attend(?:s|ed|ing)?(?: (?:a|the) [\w ]{{2,20}} at)?|enrolled (?:at|in)|stud(?:ies|ied|ying)(?: [\w ]{{2,30}})? at|graduat(?:ed|es|ing) from|"
    rf"grader? at|freshman at|sophomore at|junior at|senior at|goes to school at|goes to|went to|teaches at|school:|university:|college:) {_NOT_AFTER}({_NAME})",
    re.IGNORECASE,
)
_LEARNING: Final = re.compile(
    r"\b(?:University|College|School|Academy|Institute|Polytechnic|Seminary|Elementary|Montessori|High|MIT|Kindergarten|Preschool|Daycare|Church|Temple|Center|Tech)\b"
)
_SCHOOL: Final = re.compile(
    rf"(?<![\w-])((?:{_WORD} ){{1,4}})(?:(?:Elementary|Middle|Junior High|Senior High|High|Primary|Secondary|Grammar|Charter|Preparatory|Nursery|Public|Catholic|Day)(?: School)|"
    rf"Elementary|Montessori(?: School)?|Preschool|Kindergarten|Daycare|Day Care|Head Start|Middle School|High School|Junior High)\b"
)
_CHURCH: Final = re.compile(
    rf"(?<![\w-])((?:(?:{_WORD}|of|the) ){{0,4}}?{_WORD} )(?:Baptist |Lutheran |Methodist |Catholic |Presbyterian |Episcopal |Community |Orthodox |Pentecostal |AME )?(?:Church|Synagogue|Mosque|Parish|Cathedral|Tabernacle|Monastery|Convent|Priory|Gurdwara|Mandir)\b(?! of (?:England|Christ\b))"
)
_INSURANCE: Final = re.compile(
    r"\b(?:insur|cover(?:ed|age)|payer|payor|policy|plan\b|member\b|subscriber|HMO|PPO|carrier|benefits|premium|copay|medicare advantage|prior auth)",
    re.IGNORECASE,
)
_INSURANCE_BEFORE: Final = re.compile(r"\b(?:has|through|with|under|by|via|from|to|:)\s{1,3}$", re.IGNORECASE)
_INSURER_NAME: Final = re.compile(
    rf"(?<![\w-])((?:{_WORD} ){{1,3}})(?:Insurance|Health Plans?|Mutual)(?: (?:Company|Co\.|Group|Corporation|Inc))?\b"
)
_SENTENCE_END: Final = re.compile(r"(?<!\bSt)(?<!\bMt)(?<!\bDr)(?<!\b[A-Z])\. (?!(?:Inc|Co|Ltd)\b)")
_AND_A_NUMBER: Final = re.compile(r" (?:for|of|and|the|&) \d{1,4}$")  # "Tolliver Foods for 11" years
# Units somebody served with: "3rd Battalion, 7th Marines", "HHC 2-87 Infantry".
_TROOPS: Final = r"(?:Battalion|Brigade|Regiment|Infantry|Marines|Squadron|Cavalry|Airborne|Armored|Artillery|Fusiliers|Rifles)"
_MILITARY: Final = re.compile(
    rf"(?<![\w-])(?:[A-Z]{{1,4}} )?\d{{1,3}}(?:-\d{{1,3}}|st|nd|rd|th) {_TROOPS}(?:,? (?:\d{{1,3}}(?:st|nd|rd|th) )?{_TROOPS}){{0,2}}"
)
_AROUND: Final = 60
# No organisation, or none that is a person's.
_GENERIC: Final = word_set(
    "health medical dental life private commercial primary secondary your his her their our my the no social national auto car home travel "
    "patient adequate current state public supplemental insurance disability property this that some elementary middle high local old new "
    "night day nights days evenings home school work monday tuesday wednesday thursday friday saturday sunday he she they i dr mr mrs ms "
    "january february march april may june july august september october november december er icu emergency he's she's no yes unknown none "
    "college university academy retired unemployed self department n/a patient pt medicare medicaid tricare aa na attending junior senior"
)
_NOBODYS: Final = re.compile(
    r"\b(?:Heart Association|Oncology Group|College of|Academy of|Society|Association|Food and Drug|World Health|Institutes? of Health|"
    r"Medical School|School of (?:Medicine|Public Health|Nursing)|Medical College|Nursing School|FDA|WHO|CDC|NIH)\b"
)


class Organisations(Recogniser):
    """See the file."""

    classes: ClassVar = (IdentifierClass.ORGANISATION,)

    def find(self, text: str, doc: Doc | None) -> Iterable[Found]:
        """Return employers, schools, insurers and congregations."""
        for start, end, score in self._names(text):
            yield self.found(start, end, IdentifierClass.ORGANISATION, score)
        for match in _MILITARY.finditer(text):
            yield self.found(*match.span(), IdentifierClass.ORGANISATION, 0.86)

    def _names(self, text: str) -> Iterator[tuple[int, int, float]]:
        for match in _EMPLOYED.finditer(text):
            if end := _name_end(text, *match.span(1)):
                yield match.start(1), end, 0.88
        for match in _ATTENDS.finditer(text):
            if (end := _name_end(text, *match.span(1))) and _LEARNING.search(text, match.start(1), end):
                yield match.start(1), end, 0.88
        for pattern in (_SCHOOL, _CHURCH):
            for match in pattern.finditer(text):
                if (start := _own_start(match)) is not None:
                    yield start, match.end(), 0.88
        for match in _insurers().finditer(text):
            if _is_insured(text, *match.span()):
                yield *match.span(), 0.88
        for match in _INSURER_NAME.finditer(text):
            if (start := _own_start(match)) is not None:
                yield start, match.end(), 0.86


def _own_start(match: re.Match[str]) -> int | None:
    """Return where a name begins after words that are none of it; ``None`` where nothing is left."""
    words = list(re.finditer(r"\S+", match.group(1)))
    last = max((index for index, word in enumerate(words) if word.group()[-1] in ".,;:" and len(word.group()) > 3), default=-1)
    del words[: last + 1]
    while words and words[0].group().lower().strip(".,") in _GENERIC | {
        "at",
        "in",
        "of",
        "from",
        "to",
        "and",
        "a",
        "an",
        "she",
        "attends",
        "member",
    }:
        del words[0]
    return match.start(1) + words[0].start() if words else None


def _name_end(text: str, start: int, end: int) -> int:
    """Return where an organisation's name ends; 0 where it is none or nobody's."""
    value = _AND_A_NUMBER.sub("", _SENTENCE_END.split(text[start:end])[0]).rstrip(".,'-& ")
    if (
        all(word.lower().strip(".,'&") in _GENERIC for word in value.split())
        or key(value) in regions()
        or _NOBODYS.search(value)
        or (len(value) <= 2 and value != "GE")
    ):
        return 0
    end = start + len(value)
    return end + 1 if value.endswith((" Inc", " Ltd", " Co", " Corp")) and text[end : end + 1] == "." else end


@cache
def _insurers() -> re.Pattern[str]:
    names = sorted(entries("insurers"), key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, names))})(?: of (?:the )?[A-Z]\w{{2,15}}(?: [A-Z]\w{{2,15}})?)?(?![\w-])")


def _is_insured(text: str, start: int, end: int) -> bool:
    """Whether an insurer is one of a person: words of insurance stand near."""
    return (
        _INSURANCE.search(text[max(0, start - _AROUND) : end + _AROUND]) is not None
        or _INSURANCE_BEFORE.search(text[max(0, start - 12) : start]) is not None
    )
