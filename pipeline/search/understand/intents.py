"""What a query is after, by the rules of ``intents.toml``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from pipeline.search.understand.lexicon import toml
from pipeline.search.understand.model import Intent
from pipeline.search.understand.words import keys


@dataclass(frozen=True, slots=True)
class Evidence:
    """What else of a query speaks for intents. ``text``: spelling corrected, abbreviations as written and written out."""

    text: str
    has_drug: bool = False
    has_dose: bool = False
    is_child: bool = False
    has_mention: bool = False


def intents(evidence: Evidence) -> tuple[Intent, ...]:
    """Return the intents that hold, strongest first; ``GENERAL`` alone where none does."""
    data = toml("intents")
    scores = [(intent, _score(data[intent.value], evidence)) for intent in Intent if intent is not Intent.GENERAL]
    holding = sorted((one for one in scores if one[1] >= data["least"]), key=lambda one: -one[1])
    return tuple(intent for intent, _ in holding) or (Intent.GENERAL,)


def _score(rule: dict[str, Any], evidence: Evidence) -> float:
    text = f" {' '.join(keys(evidence.text))} "
    said = set(text.split())
    score: float = sum(weight for word, weight in rule["words"].items() if _stands(word, said))
    score += sum(weight for phrase, weight in rule.get("phrases", {}).items() if _phrase(phrase).search(text))
    facts = {"drug": evidence.has_drug, "dose": evidence.has_dose, "child": evidence.is_child, "mention": evidence.has_mention}
    score += sum(rule.get(name, 0) for name, holds in facts.items() if holds)
    return score


def _stands(word: str, said: set[str]) -> bool:
    return any(one.startswith(word[:-1]) for one in said) if word.endswith("*") else word in said


@cache
def _phrase(phrase: str) -> re.Pattern[str]:
    ending = r"\w*" if phrase.endswith("*") else ""
    return re.compile(rf"(?<= ){re.escape(' '.join(keys(phrase.rstrip('*'))))}{ending}(?= )")
