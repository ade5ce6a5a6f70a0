"""Hospitals, clinics, nursing homes, practices, pharmacies and laboratories by name. In: text. Out: their names, without "the".

A word such as "Hospital" (``lexicons/facility_kinds.txt``) with a name before it is a facility; kinds of care
(``lexicons/generic_sites.txt``: "Primary Care Clinic") are none. Sites known by a name alone are in ``lexicons/facilities.txt``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, ClassVar, Final

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.lexicons import entries
from pipeline.stages.deidentify.recognisers.base import Recogniser
from pipeline.stages.deidentify.recognisers.gazetteer import town_at
from pipeline.stages.deidentify.recognisers.locality import after_town
from pipeline.stages.deidentify.recognisers.town_words import TERM

if TYPE_CHECKING:
    from spacy.tokens import Doc

_ACRONYMS: Final = frozenset({"VAMC", "RMC"})  # in capitals also where the rest is not
_BACK_CHARACTERS: Final = 80
_MOST_WORDS: Final = 6
_MOST_WORDS_IN_CAPITALS: Final = 3
_TOKEN: Final = re.compile(r"\S+")
_JOINERS: Final = frozenset({"of", "the", "and", "&", "for", "de", "la", "on", "upon"})
_CAMEL_WORD: Final = re.compile(r"[A-Z][a-z]+[A-Z]")
_ABBREVIATED: Final = frozenset({"St.", "Mt.", "Ft.", "Ste.", "N.", "S.", "E.", "W.", "Dr."})
_PUNCTUATION: Final = re.compile(r"[,;:)]")
_SHORT: Final = 4
# After a word of place or going; also at the end of "seen by Dr. X at".
_CUE: Final = re.compile(
    r"\b(?:at|from|to|visit(?:s|ed|ing)?|through|via|near|with|by|in|attend(?:s|ed|ing)?|contact(?:ed)?|toured|called|use[sd]?)\s(?:the |our |a )?$",
    re.IGNORECASE,
)
_SURE_CUE: Final = re.compile(r"\b(?:at|from|to|visit(?:s|ed|ing)?|through|via|near|attend(?:s|ed|ing)?)\s(?:the |our )?$", re.IGNORECASE)
# "Hospital" that begins a heading or names no place.
_NO_SITE: Final = re.compile(
    r"[ \t]*(?:(?:course|days?|stay|discharge|admissions?|number|no|records?|visits?|staff|information|problems?|follow|summary|bed|anxiety|notes?|services?|"
    r"elder|hours|association)\b|of (?:admission|discharge|choice|interest|record|excellence)|for (?:disease|health|medicare|drug))|-(?:acquired|based|associated)",
    re.IGNORECASE,
)
# Authorities and learned bodies.
_NOBODYS: Final = re.compile(
    r"National (?:Cancer|Eye|Heart|Institutes?|Center for|Library|Health)|Institutes? of Health|Department of|World Health|Global Health\b(?! Cl)|"
    r"Centers? for Disease|Ministry of|(?:American|European|International|British|Canadian) (?:\w+ ){0,3}(?:Society|College|Association|Academy|Board)|Public Health (?:Service|England|Agency)"
)
_TAIL: Final = re.compile(
    r" (?:&|and) (?:Med(?:ical)? (?:Ctr|Center|Centre)|Clinics?|Health System|Rehab(?:ilitation)?(?: Center)?)\b"
    r"| (?:of|for|at) (?:the )?[A-Z][\w'.-]{1,24}(?:(?<![a-z]{3}\.) (?:of |and |& )?[A-Z][\w'-]{1,24}){0,3}|(?: (?:PVT|Pvt|Inc|LLC|Ltd|PLLC|PC)\b\.?){1,2}"
)
_SAINT: Final = re.compile(
    r"\b(?:St\.?|Saint|Mt\.?|Mount|Our Lady of) [A-Z][\w-]{2,20}(?:'s|s')?(?: (?:Health|Medical|Regional|Med)\b)?(?! ?(?:wort|dance|fire))"
)
_CAMEL: Final = re.compile(
    r"\b(?:[A-Z][a-z]{1,12}(?:Med|Care|Health|Labs?|Clinic|Well)|(?:Medi|Prime|Health|Care|City|Vita|Bright)[A-Z][a-z]{2,12})\b(?: [A-Z][a-z]{2,20}){0,2}"
)
_SMALL: Final = re.compile(
    r"(?<![\w.-])([A-Z][\w'-]{1,20}(?: [A-Z][\w'-]{1,20}){0,3}) (?:clinic|hospital|hosp|medical center|med center|med ctr|nursing home|pharmacy|office|branch|campus|ER|VA)\b(?! (?:course|day|stay|visit))"
)
_OFFICES: Final = ("office", "branch", "campus", "ER")
_LABELLED: Final = re.compile(
    r"(?<![A-Za-z'] )\b(?:facility|hospital|clinic|pharmacy|practice|nursing home|laboratory|referring (?:org(?:anization)?|facility)|transfer(?:ring)? facility|institution|organi[sz]ation)"
    r"(?: name)?[ ]?:[ \t]{0,20}((?-i:[A-Z])[\w'.&-]{1,24}(?:[ ](?:(?:of|the|and|&|for) )?(?-i:[A-Z])[\w'.&-]{1,24}){0,6})",
    re.IGNORECASE,
)
# In lower case only names that are hardly anything else.
_LOWER: Final = re.compile(
    r"\b(?:at|from|to|in|visited|via) (?:the )?((?:(?:st\.?|saint|mt\.?|mount) [a-z]{3,15}(?:'s)?|[a-z]{2,15} (?:county|valley|memorial|regional)|mercy|riverside|lakeside|"
    r"lakeview|hillside|sunnyside|northside|southside|eastside|westside|providence|sacred heart|good samaritan|methodist|baptist|presbyterian|cvs|walgreens|kaiser)"
    r" (?:general |medical )?(?:hospital|hosp|clinic|medical center|med center|medical ctr|nursing home|pharmacy|hospice|rehab))\b"
)
_VETERANS: Final = re.compile(
    r"\b(?:at|from|to|through|via|with|by|in|and|visited|used?|uses) (?:the |our )((?:[A-Z][a-z]{2,15} ){0,2}VA)\b(?! (?:was|is|OD|OS|OU|of|20|shunt|ECMO|with))"
    r"|\b((?:[A-Z][a-z]{2,15} ){0,2}VA (?:(?i:hospital|medical center|clinic|health ?care(?: system)?|system|domiciliary|nursing home|facility)|MC)\b)"
)


class Facilities(Recogniser):
    """See the file."""

    classes: ClassVar = (IdentifierClass.FACILITY,)

    def find(self, text: str, doc: Doc | None) -> Iterable[Found]:
        """Return names of care sites."""
        for start, end, score in self._sites(text):
            yield self.found(start, end, IdentifierClass.FACILITY, score)

    def _sites(self, text: str) -> Iterator[tuple[int, int, float]]:
        for kind in _kinds().finditer(text):
            if (start := _name_start(text, kind)) is not None:
                yield start, _name_end(text, kind.end()), 0.95
        for known in _known().finditer(text):
            if known.group(1) or (_SURE_CUE.search(_before(text, known.start())) and not TERM.match(text, known.end())):
                yield known.start(), _name_end(text, known.end()), 0.9
        for pattern in (_SAINT, _CAMEL):
            for match in pattern.finditer(text):
                cue = _SURE_CUE.search(_before(text, match.start()))
                if cue and (pattern is _SAINT or not cue.group().endswith("the ")) and town_at(text, match.start()) is None:
                    yield *match.span(), 0.87
        for match in _SMALL.finditer(text):
            yield from _small(text, match)
        for match in _LOWER.finditer(text):
            yield *match.span(1), 0.86
        for match in _VETERANS.finditer(text):
            yield *match.span(1 if match.group(1) else 2), 0.9
        for match in _LABELLED.finditer(text):
            yield from _labelled(text, match)


def _before(text: str, start: int) -> str:
    return text[max(0, start - 30) : start]


@cache
def _kinds() -> re.Pattern[str]:
    """Return the words that end a site's name, with a capital or in capitals; longest first."""
    words = sorted((line.removesuffix(" ?") for line in entries("facility_kinds")), key=len, reverse=True)
    either = [re.escape(form) for word in words for form in dict.fromkeys((word, word.upper()))]
    return re.compile(rf"(?<=[\w.'&] )(?:{'|'.join(either)})(?![\w-])")


@cache
def _doubtful_kinds() -> frozenset[str]:
    return frozenset(line.removesuffix(" ?").lower() for line in entries("facility_kinds") if line.endswith(" ?"))


@cache
def _known() -> re.Pattern[str]:
    """Return sites known by name; group 1 holds those that need no word of place before them."""
    lines = sorted(entries("facilities"), key=len, reverse=True)
    sure = "|".join(re.escape(line) for line in lines if not line.endswith(" +"))
    unsure = "|".join(re.escape(line.removesuffix(" +")) for line in lines if line.endswith(" +"))
    kind = r"(?: (?i:hospitals?|clinic|medical center|med(?:ical)? ct?r|med center|health(?: system)?|cancer center|university(?: hospital)?|med|er))?"
    return re.compile(rf"(?<![\w-])(?:({sure})|{unsure}){kind}(?![\w-])")


@cache
def _generic() -> frozenset[str]:
    return frozenset(entries("generic_sites"))


def _is_generic(word: str) -> bool:
    if _CAMEL_WORD.match(word):
        return False
    plain = word.lower().strip(".,&'()/")
    return not plain or plain in _generic() or word in _JOINERS or plain.isdigit() or all(part in _generic() for part in plain.split("-"))


def _name_start(text: str, kind: re.Match[str]) -> int | None:
    """Return where the name before a kind of site begins; ``None`` where it names no particular site."""
    if _NO_SITE.match(text, kind.end()):
        return None
    capitals = kind.group().isupper() and kind.group() not in _ACRONYMS
    offset = max(0, kind.start() - _BACK_CHARACTERS)
    line = text[offset : kind.start()]
    if "\n" in line:
        offset += line.rfind("\n") + 1
        line = text[offset : kind.start()]
    tokens = _name_tokens(line, capitals=capitals)
    while tokens and (_is_generic(tokens[0].group()) or tokens[0].group() in _JOINERS):
        del tokens[0]
    if not tokens:
        return None
    start = offset + tokens[0].start()
    if _NOBODYS.search(text, start, kind.end()):
        return None
    cue = _CUE.search(_before(text, start))
    if (capitals and not cue) or (kind.group().lower() in _doubtful_kinds() and not _SURE_CUE.search(_before(text, start))):
        return None
    if len(tokens) == 1 and tokens[0].group().isupper() and len(tokens[0].group()) <= _SHORT and not cue:
        return None
    return start


def _name_tokens(line: str, *, capitals: bool) -> list[re.Match[str]]:
    """Return the words of a name at the end of ``line``, in order."""
    taken: list[re.Match[str]] = []
    for token in reversed(list(_TOKEN.finditer(line))):
        word = token.group()
        if token.end() + 1 < (limit := taken[0].start() if taken else len(line)) or "\t" in line[token.end() : limit]:
            break  # two blanks or a tab part columns
        joiner = word in _JOINERS
        if not joiner and not word[0].isupper():
            break
        if (word[-1] in ".?!" and word not in _ABBREVIATED) or _PUNCTUATION.search(word):
            break
        if capitals and (not word.isupper() or _is_generic(word)):
            break
        taken.insert(0, token)
        if len(taken) == (_MOST_WORDS_IN_CAPITALS if capitals else _MOST_WORDS):
            break
    return taken


def _name_end(text: str, end: int) -> int:
    """Return where a site's name ends after its kind: ``of Philadelphia``, ``Boston``, ``, Baltimore``."""
    if tail := _TAIL.match(text, end):
        return tail.end() - (tail.group()[-1] in ".'-")
    for pause in (" ", ", "):
        if text.startswith(pause, end) and (town := town_at(text, end + len(pause))) and not (pause == " " and town[1].doubtful):
            return after_town(text, town[0])
    return end


def _small(text: str, match: re.Match[str]) -> Iterator[tuple[int, int, float]]:
    """``Dallas clinic``, ``at Mercy hospital``: a town, or any name after a word of place."""
    start, end = match.span(1)
    words = match.group(1).split()
    while words and _is_generic(words[0]) and town_at(text, start) is None:
        start += len(words.pop(0)) + 1
    if not words or all(_is_generic(word) for word in words):
        return
    town = town_at(text, start)
    if town and town[0] == end:
        yield start, match.end(), 0.87
    elif match.group().endswith(_OFFICES) or (len(words) == 1 and words[0].isupper() and len(words[0]) <= _SHORT):
        return
    elif _SURE_CUE.search(_before(text, start)):
        yield start, match.end(), 0.86


def _labelled(text: str, match: re.Match[str]) -> Iterator[tuple[int, int, float]]:
    """The value after ``Hospital:``, up to the next label in the same line."""
    start, end = match.span(1)
    kinds = list(_kinds().finditer(text, start, end))
    if text[end : end + 1] == ":":
        end = kinds[-1].end() if kinds else start
    if end > start and not all(_is_generic(word) for word in text[start:end].split()):
        yield start, len(text[start:end].rstrip(".")) + start, 0.9
