"""The kind of a document by rules with weights (``kinds.toml``): evidence in, a kind and a score out; below the bound: unknown."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

from pipeline.domain.vocabulary import FILE_KINDS, PUBLIC_KINDS, DocumentKind
from pipeline.stages.identify.evidence import Evidence

#: A public kind is scrubbed less, so it needs more. Measured with ``bench/identify.py``: the highest public score of 6,427 clinical texts
#: (notes, reports, synthetic identifiers) is 0.6, and none has a line that names it a public document; the lowest of 205 public documents
#: that have one is 0.88, but for two state forms without any word of EMS (0.76), which stay unknown and are scrubbed.
PUBLIC_BOUND: Final = 0.8
PUBLIC_MARGIN: Final = 0.2  # to every clinical kind: protocols that list examinations score up to 0.64 as a note
#: A clinical kind decides the chunker and a filter, not the policy: two signs are enough.
CLINICAL_BOUND: Final = 0.5
CLINICAL_MARGIN: Final = 0.05
#: Characters in which signs of a patient are looked for: a chart may lie behind a protocol's title page. One pass, beyond any protocol seen (373,000).
PATIENT_CHARACTERS: Final = 2_000_000


_PLACES: Final = ("head", "furniture", "front", "headings", "opening")


@dataclass(frozen=True, slots=True)
class Rule:
    """One piece of evidence. It counts once, however often it is there.

    ``weight``: the share of the remaining doubt that it takes away, 0..1. ``where``: see ``kinds.toml``.
    ``anchor``: a line by which a document names itself; without one no public kind is given.
    """

    kind: DocumentKind
    weight: float
    where: str
    anchor: bool
    pattern: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of all kinds, and the signs of a patient that forbid a public one."""

    rules: tuple[Rule, ...]
    patient: tuple[re.Pattern[str], ...]


@cache
def load_rules() -> Rules:
    """Return the packaged rules.

    Raises:
        ValueError: A rule names a kind, place or weight that there is not.
    """
    raw = tomllib.loads(resources.files(__package__).joinpath("kinds.toml").read_text("utf-8"))
    rules = []
    for kind, rows in raw["kinds"].items():
        for row in rows:
            rule = Rule(
                DocumentKind(kind), float(row["weight"]), row["where"], row.get("anchor", False), re.compile(row["pattern"], re.MULTILINE)
            )
            if rule.kind not in FILE_KINDS or rule.where not in _PLACES or not 0 < rule.weight < 1:
                raise ValueError(f"kinds.toml: a rule of {kind} is wrong")
            rules.append(rule)
    return Rules(tuple(rules), tuple(re.compile(one, re.MULTILINE) for one in raw["patient"]["patterns"]))


@dataclass(frozen=True, slots=True)
class Score:
    """``value``: 0..1, one minus the product of what each rule that holds leaves of the doubt."""

    value: float = 0.0
    anchored: bool = False


def scores(evidence: Evidence) -> dict[DocumentKind, Score]:
    """Return each kind's score; a kind that no rule speaks for is left out."""
    head, furniture, opening = (stretch.text for stretch in evidence.stretches())
    front = f"{furniture}\n{head}"
    texts = (head, furniture, front, "\n".join(evidence.headings), f"{front}\n{opening}")
    places = dict(zip(_PLACES, texts, strict=True))
    found: dict[DocumentKind, Score] = {}
    for rule in load_rules().rules:
        if rule.pattern.search(places[rule.where]):
            old = found.get(rule.kind, Score())
            found[rule.kind] = Score(round(1 - (1 - old.value) * (1 - rule.weight), 4), old.anchored or rule.anchor)
    return found


def names_a_patient(text: str) -> bool:
    """Whether the text has a sign of one patient: a number, name or birth date under its label, or a narrative of age and sex."""
    return any(pattern.search(text) for pattern in load_rules().patient)


def classify(evidence: Evidence, text: str) -> tuple[DocumentKind, float]:
    """Return the kind with the best score, and that score. ``text``: the whole body and furniture, for signs of a patient.

    A public kind needs a high score, a margin to every clinical kind, a line by which the document names itself, and no sign of a patient.
    """
    found = scores(evidence)
    ranked = sorted(found, key=lambda kind: -found[kind].value)
    if not ranked:
        return DocumentKind.UNKNOWN, 0.0
    kind = ranked[0]
    best, second = found[kind].value, found[ranked[1]].value if len(ranked) > 1 else 0.0
    if kind in PUBLIC_KINDS:
        clinical = max((found[one].value for one in ranked if one not in PUBLIC_KINDS), default=0.0)
        sure = best >= PUBLIC_BOUND and best > second and best - clinical >= PUBLIC_MARGIN and found[kind].anchored
        sure = sure and not names_a_patient(text[:PATIENT_CHARACTERS])
    else:
        sure = best >= CLINICAL_BOUND and best - second >= CLINICAL_MARGIN
    return (kind if sure else DocumentKind.UNKNOWN), best
