"""Adds up an audit in memory that does not grow with the index: classes times policies, and the first places."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from pipeline.domain.phi import IdentifierClass
from pipeline.jobs.audit.summary import LeakGroup, LeakPlace, PolicyAudit, Reader

MAX_PLACES: Final = 200  # enough to see a pattern; every document can be asked for by `clindex audit phi --document`

_Key = tuple[str, str, Reader, str]  # policy, class, reader, where

#: Where else than in a chunk's text something can leak.
BESIDE: Final = ("title", "payload", "heading", "table", "facet")

# What the detector finds by the language model alone: a passage without its document looks different to it, so these prove nothing.
BY_LANGUAGE: Final = frozenset(
    {IdentifierClass.NAME, IdentifierClass.ADDRESS, IdentifierClass.FACILITY, IdentifierClass.ORGANISATION, IdentifierClass.DATE}
)


@dataclass(slots=True)
class Groups:
    """Counts and characters by policy, class, reader and kind of text."""

    counts: Counter[_Key] = field(default_factory=Counter)
    characters: Counter[_Key] = field(default_factory=Counter)

    def add(self, key: _Key, count: int, characters: int) -> None:
        """Add findings."""
        self.counts[key] += count
        self.characters[key] += characters

    def listed(self) -> list[LeakGroup]:
        """Return the groups, the largest first."""
        return [
            LeakGroup(policy=key[0], category=key[1], by=key[2], where=key[3], count=count, characters=self.characters[key])
            for key, count in sorted(self.counts.items(), key=lambda item: (-item[1], item[0]))
        ]


@dataclass(slots=True)
class PolicyTally:
    """Sums of one policy."""

    documents: int = 0
    characters: int = 0
    placeholders: int = 0
    placeholder_characters: int = 0
    beside_clinical_words: int = 0
    sources_read: int = 0
    clinical_terms: int = 0
    lost: Counter[str] = field(default_factory=Counter)

    def summary(self, policy: str) -> PolicyAudit:
        """Return the sums."""
        return PolicyAudit(
            policy=policy,
            documents=self.documents,
            characters=self.characters,
            placeholders=self.placeholders,
            placeholder_share=round(self.placeholder_characters / self.characters, 6) if self.characters else 0.0,
            beside_clinical_words=self.beside_clinical_words,
            sources_read=self.sources_read,
            clinical_terms=self.clinical_terms,
            lost_terms=sum(self.lost.values()),
            lost_by_class=dict(self.lost.most_common()),
        )


@dataclass(slots=True)
class Tally:
    """Everything an audit counts."""

    documents: int = 0
    chunks: int = 0
    points: int = 0
    leaked: set[UUID | None] = field(default_factory=set)
    leaks: Groups = field(default_factory=Groups)
    suspected: Groups = field(default_factory=Groups)
    released: Groups = field(default_factory=Groups)
    places: list[LeakPlace] = field(default_factory=list)
    policies: dict[str, PolicyTally] = field(default_factory=dict)

    def policy(self, name: str) -> PolicyTally:
        """Return one policy's sums."""
        return self.policies.setdefault(name, PolicyTally())

    def leak(self, place: LeakPlace, document: UUID | None, *, released: bool) -> None:
        """Count one finding where it belongs."""
        kind = place.where if place.where in BESIDE else "chunk"
        key: _Key = (place.policy, place.category, place.by, kind)
        if place.by == "detector" and IdentifierClass(place.category) in BY_LANGUAGE:
            self.suspected.add(key, place.count, place.characters)
        elif released:
            self.released.add(key, place.count, place.characters)
        else:
            self.leaks.add(key, place.count, place.characters)
            self.leaked.add(document)
            if len(self.places) < MAX_PLACES:
                self.places.append(place)
