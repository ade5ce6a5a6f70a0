"""``sections.toml`` in, one rule a section out, and the version of the whole."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final

from pipeline.domain.vocabulary import DocumentKind, Section

#: Groups that ``kinds`` of a rule names.
CLINICAL: Final = "clinical"
PROTOCOL: Final = "protocol"
EMS: Final = "ems"
PAPER: Final = "paper"
GUIDELINE: Final = "guideline"
ANY: Final = "any"
GROUPS: Final = (CLINICAL, PROTOCOL, EMS, PAPER, GUIDELINE, ANY)

_FILE: Final = "sections.toml"
_LABELS: Final = "not_headings"
_RULES_VERSION: Final = "sections-1"


@dataclass(frozen=True, slots=True)
class SectionRule:
    """How the headings of one section read, and where it stands among the others. The fields are explained in the file."""

    section: Section
    title: str
    loinc: str | None
    parents: tuple[Section, ...]
    inside: tuple[Section, ...]
    kinds: frozenset[str]
    headings: tuple[str, ...]
    words: tuple[str, ...]
    only: Mapping[DocumentKind, tuple[str, ...]]
    inner: frozenset[str]
    holds: bool


@dataclass(frozen=True, slots=True)
class SectionRules:
    """All rules, the labels that are never headings, and the version: of the code, and the first digits of the file's hash."""

    by_section: Mapping[Section, SectionRule]
    labels: frozenset[str]
    version: str


@cache
def section_rules() -> SectionRules:
    """Return the packaged rules.

    Raises:
        ValueError: The file names a section, a kind or a field that does not exist.
    """
    raw = resources.files(__package__).joinpath(_FILE).read_bytes()
    tables: dict[str, dict[str, Any]] = tomllib.loads(raw.decode("utf-8"))
    labels = frozenset(tables.pop(_LABELS)["labels"])
    rules = {Section(name): _rule(Section(name), table) for name, table in tables.items()}
    return SectionRules(rules, labels, f"{_RULES_VERSION}-{hashlib.sha256(raw).hexdigest()[:8]}")


def _rule(section: Section, table: dict[str, Any]) -> SectionRule:
    fields = {"title", "loinc", "parents", "inside", "kinds", "headings", "words", "only", "inner", "holds"}
    if unknown := set(table) - fields | set(table["kinds"]) - set(GROUPS):
        raise ValueError(f"{_FILE}: {section}: {sorted(unknown)}")
    return SectionRule(
        section=section,
        title=table["title"],
        loinc=table.get("loinc"),
        parents=_sections(table["parents"]),
        inside=_sections(table.get("inside", ())),
        kinds=frozenset(table["kinds"]),
        headings=tuple(table["headings"]),
        words=tuple(table.get("words", ())),
        only={DocumentKind(kind): tuple(headings) for kind, headings in table.get("only", {}).items()},
        inner=frozenset(table.get("inner", ())),
        holds=table.get("holds", False),
    )


def _sections(names: Sequence[str]) -> tuple[Section, ...]:
    return tuple(Section(name) for name in names)
