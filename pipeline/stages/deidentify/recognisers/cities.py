"""Towns, counties and neighbourhoods (GeoNames, see ``gazetteer``). States and countries alone stay: Safe Harbor allows them.

A name counts by what stands around it: a state or country after it, a word of place before it, or, for the language model's guesses, both.
Names that are words too (Reading, Mobile, Normal) need the word of place; so do persons' names. A town that names a score or a disease
(Boston Naming Test, Glasgow Coma Scale) is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, ClassVar

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.recognisers.base import Recogniser
from pipeline.stages.deidentify.recognisers.gazetteer import Town, key, regions, town_at
from pipeline.stages.deidentify.recognisers.locality import after_town, state_at
from pipeline.stages.deidentify.recognisers.town_words import (
    AFTER_HOME,
    CAPITAL,
    CLINICAL_STATES,
    COUNTY,
    CUE,
    GOES_ON,
    IN_LOWER_CASE,
    LABEL,
    LANDMARK,
    NAME,
    NAMED_AFTER,
    NEW_WORD,
    NO_TOWN,
    ONE_WORD_TOWN,
    PLACE_CUES,
    PLACE_ENDS,
    PLACE_STARTS,
    PLACE_WORDS,
    SHORT_IN_CAPITALS,
    TERM,
    TOWN_AND_STATE,
    TOWN_STATE_ZIP,
    TWO_WORD_TOWN,
)

if TYPE_CHECKING:
    from spacy.tokens import Doc


class Cities(Recogniser):
    """See the file."""

    classes: ClassVar = (IdentifierClass.ADDRESS,)
    needs_language: ClassVar = True

    def find(self, text: str, doc: Doc | None) -> Iterable[Found]:
        """Return towns and counties, each with the state, ZIP code and country after it."""
        for start, end, score in self._places(text, doc):
            yield self.found(start, end, IdentifierClass.ADDRESS, score)

    def _places(self, text: str, doc: Doc | None) -> Iterator[tuple[int, int, float]]:
        for match in TOWN_STATE_ZIP.finditer(text):
            if start := _own_start(match.group(1), match.start(1)):
                yield start - 1, after_town(text, match.end(1)), 0.97
        for match in TOWN_AND_STATE.finditer(text):
            yield from _with_state(text, match)
        for pattern in (AFTER_HOME, LABEL):
            for match in pattern.finditer(text):
                yield from _home(text, *match.span(1))
        for match in COUNTY.finditer(text):
            group = 1 if match.group(1) else 2
            if start := _own_start(match.group(group), match.start(group)):
                yield start - 1, match.end() - text[: match.end()].endswith("."), 0.87
        for match in LANDMARK.finditer(text):
            yield match.start(1), after_town(text, match.end(1)), 0.86
        for match in IN_LOWER_CASE.finditer(text):
            if (known := town_at(text, match.start(1))) and known[0] == match.end(1) and match.group(2).upper() in known[1].states:
                yield match.start(1), match.end(2), 0.88
        yield from _by_name(text)
        if doc is not None:
            yield from _by_language(text, doc)


def _own_start(name: str, start: int) -> int:
    """Return where a town's name begins after words that are none of it, plus one; 0 where nothing is left of it."""
    words = list(re.finditer(r"[^ ]+", name.rstrip()))
    while words and words[0].group().lower().rstrip(".,") in NO_TOWN - {"north", "south", "east", "west"}:
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
    state = text[match.end() : match.end() + 2]
    if state in CLINICAL_STATES and not text[match.end() + 2 : match.end() + 3].isalpha():
        whole = whole and known is not None and state in known[1].states
        cue = False  # seen by Osgood, MD
    else:
        cue = CUE.search(text[max(0, start - 24) : start]) is not None
    if whole or _looks_like_town(name) or cue:
        yield start, after_town(text, match.end(1)), 0.95 if whole else 0.88


def _looks_like_town(name: str) -> bool:
    return bool(PLACE_STARTS.match(name) or PLACE_WORDS.search(name) or PLACE_ENDS.search(name))


def _home(text: str, start: int, end: int) -> Iterator[tuple[int, int, float]]:
    """What a person lives in, moved to or comes from: a known town in any case, or any capitalised name."""
    known = town_at(text, start)
    if known is None and text[start : start + 4].lower() == "the ":
        start += 4
        known = town_at(text, start)
    if known and not TERM.match(text, known[0]):
        if text[start].isupper() or not known[1].doubtful:
            yield start, after_town(text, known[0]), 0.9
        return
    # The pattern ignores case: what is capitalised is left of it.
    name = re.compile(NAME).match(text, start)
    if name is None:
        return
    value = name.group().split(". ")[0].rstrip(".'-")
    if value.split()[0].lower().rstrip(".,") in NO_TOWN or key(value) in regions() or (value.isupper() and len(value) <= SHORT_IN_CAPITALS):
        return
    if state_at(text, start) is None and not TERM.match(text, start + len(value)):
        yield start, after_town(text, start + len(value)), 0.86


def _by_name(text: str) -> Iterator[tuple[int, int, float]]:
    """Towns of the list after a word of place, and names that end as towns do after ``in`` or ``from``."""
    done = 0
    for capital in CAPITAL.finditer(text):
        start = capital.start()
        if start < done:
            continue
        cue = CUE.search(text[max(0, start - 24) : start])
        word = cue.group(1).lower() if cue else ""
        if known := town_at(text, start):
            done, town = known
            if word and _is_town(text, start, done, town, word):
                yield start, after_town(text, done), 0.75 if word == "of" else 0.88  # a pack of Newport, the node of Cloquet
        elif word in {*PLACE_CUES, "at", "to"} and (end := _looks_like_town_at(text, start, word)):
            yield start, after_town(text, end), 0.85


def _looks_like_town_at(text: str, start: int, cue: str) -> int:
    """Return where a name ends that is formed as towns' names are (Northville, Port Ada); 0 where it is not, or goes on."""
    name = re.compile(NAME).match(text, start)
    value = name.group().rstrip(".'-") if name else ""
    end = start + len(value)
    formed = ONE_WORD_TOWN.fullmatch(value) or (cue != "to" and TWO_WORD_TOWN.fullmatch(value) and key(value) not in regions())
    if not formed or TERM.match(text, end) or text[end : end + 2].strip()[:1] not in {"", ".", ",", ";", ")", "?"}:
        return 0
    return end


def _is_town(text: str, start: int, end: int, town: Town, cue: str) -> bool:
    name = text[start:end]
    if cue == "of" and NAMED_AFTER.search(text[max(0, start - 30) : start]):
        return False
    if TERM.match(text, end) or (name.isupper() and len(name) <= SHORT_IN_CAPITALS) or text[end : end + 1] in {"-", "/", "@"}:
        return False
    if state_at(text, end + 1) and text[end + 1 : end + 3] in town.states:
        return True
    if not name.isupper() and re.match(r" [A-Z][a-z]", text[end : end + 3]) and not NEW_WORD.match(text, end):
        return False  # a part of a longer name: in Boston Scientific
    if text[start - 4 : start].lower() == "the ":  # in the Toronto valve; but: from the Denver metro area
        return re.match(r" (?:area|metro|suburbs?|region)\b", text[end : end + 10]) is not None
    if town.doubtful:
        return (
            cue in PLACE_CUES
            and GOES_ON.match(text, end) is not None
            and text[end : end + 2] != "'s"
            and (not name.isupper() or len(name) > SHORT_IN_CAPITALS)
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
        if key(name) in regions() or not name[:1].isupper() or (name.isupper() and len(name) <= SHORT_IN_CAPITALS) or TERM.match(text, end):
            continue
        known = town_at(text, start)
        cue = CUE.search(text[max(0, start - 24) : start])
        if known and known[0] >= end and not known[1].doubtful:
            yield start, after_town(text, end), 0.85
        elif cue and cue.group(1).lower() in PLACE_CUES:
            yield start, end, 0.6
