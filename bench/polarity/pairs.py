"""Pairs of studies from records of the registry's form: each has one criterion turned around, or moved to the other side, and is else the same."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bench.polarity.rules import Flip, flips_of

SIDE: Final = "side"  # the same words, asked for by one study and excluded by the other
_HEADERS: Final = re.compile(
    r"\A\s*Inclusion Criteria:?\s*\n(?P<inclusion>.*?)\n\s*Exclusion Criteria:?\s*\n(?P<exclusion>.*)\Z", re.S | re.I
)
_BULLET: Final = re.compile(r"^\s*(?:[*•▪–-]|\d+[.)])\s+(?P<text>\S.*)$", re.M)
_FIRST_ID: Final = 97_000_000  # of the flipped studies: a range that the registry has not reached
_WORDS: Final = (3, 14)  # of a criterion that is moved: shorter ones say nothing, longer ones are paragraphs


@dataclass(frozen=True, slots=True)
class Pair:
    """A study and its opposite; ``query`` asks for the study."""

    rule: str
    query: str
    right: str  # NCT ids
    flipped: str
    record: dict[str, Any]  # of the flipped one


def pairs_of(studies: Sequence[dict[str, Any]], *, most: int) -> list[Pair]:
    """Return at most ``most`` pairs a rule, spread over the studies: one a study and rule."""
    counts: dict[str, int] = {}
    made: list[Pair] = []
    for study in studies:
        used: set[str] = set()
        for flip, text in _flipped_texts(study):
            if flip.rule in used or counts.get(flip.rule, 0) >= most:
                continue
            used.add(flip.rule)
            counts[flip.rule] = counts.get(flip.rule, 0) + 1
            made.append(_pair(study, flip, text, _FIRST_ID + len(made)))
    return made


def _pair(study: dict[str, Any], flip: Flip, text: str, number: int) -> Pair:
    record = copy.deepcopy(study)
    section = record["protocolSection"]
    right = section["identificationModule"]["nctId"]
    section["identificationModule"] = {**section["identificationModule"], "nctId": f"NCT{number}"}
    section["identificationModule"].pop("nctIdAliases", None)
    section["eligibilityModule"]["eligibilityCriteria"] = text
    return Pair(flip.rule, flip.query, right, f"NCT{number}", record)


def _flipped_texts(study: dict[str, Any]) -> Iterator[tuple[Flip, str]]:
    """Yield each way to turn one criterion around, with the whole eligibility text that results."""
    section = study["protocolSection"]
    text = section.get("eligibilityModule", {}).get("eligibilityCriteria") or ""
    condition = (section.get("conditionsModule", {}).get("conditions") or [""])[0]
    for line in _BULLET.finditer(text):
        for flip in flips_of(line["text"], condition):
            yield flip, text[: line.start("text")] + flip.flipped + text[line.end("text") :]
    if (sides := _HEADERS.match(text)) and (first := _BULLET.search(sides["inclusion"])):
        moved = first["text"]
        if _WORDS[0] <= len(moved.split()) <= _WORDS[1]:
            kept = sides["inclusion"][: first.start()] + sides["inclusion"][first.end() :]
            flipped = (
                f"Inclusion Criteria:\n{kept.strip() or '* Consent'}\n\nExclusion Criteria:\n\n* {moved}\n{sides['exclusion'].strip()}"
            )
            yield Flip(SIDE, moved, moved, f"patient: {moved}"), flipped
