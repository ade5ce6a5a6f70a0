"""Towns, counties and neighbourhoods (GeoNames, see ``gazetteer``). States and countries alone stay: Safe Harbor allows them.

A name counts by what stands around it: a state or country after it, a word of place before it, or, for the language model's guesses, both.
Names that are words too (Reading, Mobile, Normal) need the word of place; so do persons' names. A town that names a score or a disease
(Boston Naming Test, Glasgow Coma Scale) is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, ClassVar, Final

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.recognisers.base import Recogniser
from pipeline.stages.deidentify.recognisers.gazetteer import Town, key, regions, town_at, word_set
from pipeline.stages.deidentify.recognisers.locality import after_town, state_at

if TYPE_CHECKING:
    from spacy.tokens import Doc

_UPPER: Final = "A-ZÀ-ÞŁŚŠŽČĐΑ-Ω"
_NAME_WORD: Final = rf"[{_UPPER}](?:[^\W\d_]|['.-]){{1,24}}"
_NAME: Final = rf"{_NAME_WORD}(?: (?:(?:de|del|la|upon|sur|of the) )?{_NAME_WORD}){{0,2}}"
_CAPITAL: Final = re.compile(rf"(?<![\w@/.-])[{_UPPER}]")
_TOWN_AND_STATE: Final = re.compile(rf"(?<![\w@/-])({_NAME}),[ \n](?=[A-Z])")
_TOWN_STATE_ZIP: Final = re.compile(rf"(?<![\w@/-])({_NAME}),?[ ]([A-Z]{{2}})\.?[ ,]{{1,2}}(\d{{5}}(?:-\d{{4}})?)(?!\d)")
_COUNTY: Final = re.compile(
    rf"(?<![\w-])((?:{_NAME_WORD} ){{1,2}})(?:County|Parish|Township|Borough)\b|(?<![\w-])((?:County|City|Town|Village) of {_NAME_WORD}(?: {_NAME_WORD})?)"
)
# "lives in X": X is a place whatever it is called.
_HOME: Final = (
    r"(?:liv(?:es?|ed|ing)(?: alone| currently)?(?: with [\w' ]{1,30})?|resid(?:es?|ed|ing)|resident of|relocat(?:ed|es|ing)|mov(?:ed|es|ing)(?: here| back| out)?"
    r"|born(?: and raised)?|raised|gr[eo]ws? up|originally|native of|hometown(?: is| of)?|home town|home city|came here|immigrated|emigrated|hails"
    r"|en route|drove|flew|travel(?:s|ed|led|ing|ling)?(?: back| up| down)?|trip|vacation(?:s|ed|ing)?|commut(?:es|ed|ing))"
)
_AFTER_HOME: Final = re.compile(
    rf"\b{_HOME}(?: |:|, )(?:in|near|at|from|to|of|outside(?: of)?|around)?(?: |: )?(?:the (?:city|town|village|suburbs?) of )?((?:the )?{_NAME})",
    re.IGNORECASE,
)
_LABEL: Final = re.compile(
    rf"\b(?:city|town|hometown|birth ?place|place of birth|residence|county)[ ]?:[ \t]{{0,12}}({_NAME})", re.IGNORECASE
)
_CUE: Final = re.compile(
    r"(?:^|[^\w])(in|from|near|outside|around|to|of|at|via|visit(?:s|ed|ing)?|leav(?:es|ing)|left|our|the)(?: (?:the|downtown|nearby|greater))?[ \n]$",
    re.IGNORECASE,
)
_PLACE_CUES: Final = frozenset({"in", "from", "near", "outside", "around"})
# A town that a score, a disease or a firm is called after.
_TERM: Final = re.compile(
    r"(?:'s)?[ -](?:[\w-]{1,16} ){0,2}?(?:criteria|criterion|classification|class|score|scores|scale|test|grade|graded|type|system|index|questionnaire|"
    r"assessment|inventory|definition|guidelines?|consensus|rules?|protocol|study|trial|declaration|statement|virus|fever|encephalitis|flu|influenza|"
    r"brace|collar|chromosome|heart|disease|syndrome|lymphoma|staging|stage|model|method|procedure|approach|technique|scientific|bioscience|"
    r"catheter|needle|bandage|forceps|retractor|knee|ankle|agitation|variant|strain|clamps?|scissors|retractors?|stand|bag|tray|pump|valve|graft|clips?|drain|stent|sutures?|prosthesis|tourniquet|\w{3,14}itis|sleep|coma|naming|cognitive|postnatal|card|regimen)\b",
    re.IGNORECASE,
)
# Declaration of Helsinki, plaster of Paris.
_NAMED_AFTER: Final = re.compile(
    r"\b(?:declaration|plaster|criteria|classification|treaty|convention|college|university) of $", re.IGNORECASE
)
# What follows a name that is a word too where it is a place: "in Reading with his wife", not "in Normal saline".
_GOES_ON: Final = re.compile(
    r"\s*(?:$|[.,;:)?!\n]|\d)|'?\s+(?:and|or|with|on|for|since|last|until|who|where|by|at|to|as|yesterday|today|this|during|after|before|when|because|from|but|"
    r"in|is|was|has|next|area|now|but|alone|every|via|he|she|they|which|area|over)\b",
    re.IGNORECASE,
)
_PLACE_ENDS: Final = re.compile(r"\w{3,}(?:ville|burgh?|borough|bury|chester|mouth|haven|shire|stad|furt|port|town|view|berg|fort|side)$")
_ONE_WORD_TOWN: Final = re.compile(rf"(?:[A-Z][a-z]+-)?{_PLACE_ENDS.pattern.removesuffix('$')}")
_TWO_WORD_TOWN: Final = re.compile(r"(?:New|North|South|East|West|Port|Lake|Fort) [A-Z]\w{2,}")
_PLACE_STARTS: Final = re.compile(r"(?:New|North|South|East|West|Port|Lake|Fort|Mount|San|Santa|Saint|St\.|Los|Las|El|Upper|Lower) [A-Z]")
_PLACE_WORDS: Final = re.compile(
    r" (?:Falls|Springs|City|Heights|Beach|Hills|Park|Grove|Valley|Lake|Harbor|Village|Island|Creek|Ridge|Junction|Bay|Rapids|Mills|Point)$"
)
# Capitalised words that no town begins with: what else stands before ", MA" or after "lives in".
_NO_TOWN: Final = word_set(
    "the this that our their his her a an dr mr mrs ms in at on and or with for no she he they patient pt assisted skilled nursing "
    "home monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september "
    "october november december i we it independently alone each any per full same icu er ed emergency room group rehab hospice "
    "hospital clinic mom dad mother father left right north south east west northern southern eastern western"
)
_SHORT_IN_CAPITALS: Final = 4


class Cities(Recogniser):
    """See the file."""

    classes: ClassVar = (IdentifierClass.ADDRESS,)
    needs_language: ClassVar = True

    def find(self, text: str, doc: Doc | None) -> Iterable[Found]:
        """Return towns and counties, each with the state, ZIP code and country after it."""
        for start, end, score in self._places(text, doc):
            yield self.found(start, end, IdentifierClass.ADDRESS, score)

    def _places(self, text: str, doc: Doc | None) -> Iterator[tuple[int, int, float]]:
        for match in _TOWN_STATE_ZIP.finditer(text):
            if start := _own_start(match.group(1), match.start(1)):
                yield start - 1, after_town(text, match.end(1)), 0.93
        for match in _TOWN_AND_STATE.finditer(text):
            yield from _with_state(text, match)
        for pattern in (_AFTER_HOME, _LABEL):
            for match in pattern.finditer(text):
                yield from _home(text, *match.span(1))
        for match in _COUNTY.finditer(text):
            group = 1 if match.group(1) else 2
            if start := _own_start(match.group(group), match.start(group)):
                yield start - 1, match.end(), 0.87
        yield from _by_name(text)
        if doc is not None:
            yield from _by_language(text, doc)


def _own_start(name: str, start: int) -> int:
    """Return where a town's name begins after words that are none of it, plus one; 0 where nothing is left of it."""
    words = list(re.finditer(r"[^ ]+", name.rstrip()))
    while words and words[0].group().lower().rstrip(".,") in _NO_TOWN - {"north", "south", "east", "west"}:
        del words[0]
    return start + words[0].start() + 1 if words else 0


def _with_state(text: str, match: re.Match[str]) -> Iterator[tuple[int, int, float]]:
    """``Springfield, IL``, ``Hamilton, Canada``: a known town, a name that looks like one, or any name after a word of place."""
    if state_at(text, match.end()) is None:
        return
    if not (first := _own_start(match.group(1), match.start(1))):
        return
    start = first - 1
    name = text[start : match.end(1)]
    if key(name) in regions() and key(name) not in {"new york", "washington", "georgia"}:
        return
    known = town_at(text, start)
    whole = known is not None and known[0] >= match.end(1) - 1
    if not whole and " " in name:  # the town may be the end of a longer run: Mayo Clinic Rochester, MN
        last = start + name.rfind(" ") + 1
        if (known := town_at(text, last)) and known[0] >= match.end(1) - 1 and not _looks_like_town(name):
            start, whole = last, True
    if whole or _looks_like_town(name) or _CUE.search(text[max(0, start - 24) : start]):
        yield start, after_town(text, match.end(1)), 0.92 if whole else 0.88


def _looks_like_town(name: str) -> bool:
    return bool(_PLACE_STARTS.match(name) or _PLACE_WORDS.search(name) or _PLACE_ENDS.search(name))


def _home(text: str, start: int, end: int) -> Iterator[tuple[int, int, float]]:
    """What a person lives in, moved to or comes from: a known town in any case, or any capitalised name."""
    known = town_at(text, start)
    if known is None and text[start : start + 4].lower() == "the ":
        start += 4
        known = town_at(text, start)
    if known and not _TERM.match(text, known[0]):
        if text[start].isupper() or not known[1].doubtful:
            yield start, after_town(text, known[0]), 0.9
        return
    # The pattern ignores case: what is capitalised is left of it.
    name = re.compile(_NAME).match(text, start)
    if name is None:
        return
    value = name.group().split(". ")[0].rstrip(".'-")
    if (
        value.split()[0].lower().rstrip(".,") in _NO_TOWN
        or key(value) in regions()
        or (value.isupper() and len(value) <= _SHORT_IN_CAPITALS)
    ):
        return
    if state_at(text, start) is None and not _TERM.match(text, start + len(value)):
        yield start, after_town(text, start + len(value)), 0.86


def _by_name(text: str) -> Iterator[tuple[int, int, float]]:
    """Towns of the list after a word of place, and names that end as towns do after ``in`` or ``from``."""
    done = 0
    for capital in _CAPITAL.finditer(text):
        start = capital.start()
        if start < done:
            continue
        cue = _CUE.search(text[max(0, start - 24) : start])
        word = cue.group(1).lower() if cue else ""
        if known := town_at(text, start):
            done, town = known
            if word and _is_town(text, start, done, town, word):
                yield start, after_town(text, done), 0.88
        elif word in {*_PLACE_CUES, "at", "to"} and (end := _looks_like_town_at(text, start, word)):
            yield start, after_town(text, end), 0.85


def _looks_like_town_at(text: str, start: int, cue: str) -> int:
    """Return where a name ends that is formed as towns' names are (Northville, Port Ada); 0 where it is not, or goes on."""
    name = re.compile(_NAME).match(text, start)
    value = name.group().rstrip(".'-") if name else ""
    end = start + len(value)
    formed = _ONE_WORD_TOWN.fullmatch(value) or (cue != "to" and _TWO_WORD_TOWN.fullmatch(value) and key(value) not in regions())
    if not formed or _TERM.match(text, end) or text[end : end + 2].strip()[:1] not in {"", ".", ",", ";", ")", "?"}:
        return 0
    return end


def _is_town(text: str, start: int, end: int, town: Town, cue: str) -> bool:
    name = text[start:end]
    if cue == "of" and _NAMED_AFTER.search(text[max(0, start - 30) : start]):
        return False
    if _TERM.match(text, end) or (name.isupper() and len(name) <= _SHORT_IN_CAPITALS) or text[end : end + 1] in {"-", "/", "@"}:
        return False
    if not name.isupper() and re.match(r" [A-Z][a-z]", text[end : end + 3]):
        return False  # a part of a longer name: in Boston Scientific
    if text[start - 4 : start].lower() == "the ":  # in the Toronto valve; but: from the Denver metro area
        return re.match(r" (?:area|metro|suburbs?|region)\b", text[end : end + 10]) is not None
    if town.doubtful:
        return (
            cue in _PLACE_CUES
            and _GOES_ON.match(text, end) is not None
            and text[end : end + 2] != "'s"
            and (not name.isupper() or len(name) > _SHORT_IN_CAPITALS)
        )
    return True


def _by_language(text: str, doc: Doc) -> Iterator[tuple[int, int, float]]:
    """The language model's places: sure where the list has them, else a guess where a word of place stands before."""
    for entity in doc.ents:
        if entity.label_ not in {"GPE", "LOC"}:
            continue
        start, end = entity.start_char, entity.end_char
        if text[start : start + 4].lower() == "the ":
            start += 4
        name = text[start:end]
        if (
            key(name) in regions()
            or not name[:1].isupper()
            or (name.isupper() and len(name) <= _SHORT_IN_CAPITALS)
            or _TERM.match(text, end)
        ):
            continue
        known = town_at(text, start)
        cue = _CUE.search(text[max(0, start - 24) : start])
        if known and known[0] >= end and not known[1].doubtful:
            yield start, after_town(text, end), 0.85
        elif cue and cue.group(1).lower() in _PLACE_CUES:
            yield start, end, 0.6
