"""Which identifiers leave a document, and what stands in their place: data (``policy.toml``), by kind and source of a document."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

from pipeline.domain.phi import IdentifierClass


class ReplaceBy(StrEnum):
    """What stands in the place of an identifier."""

    PLACEHOLDER = "placeholder"  # [NAME]
    SURROGATE = "surrogate"  # an invented value of the same kind, the same one in all of a patient's documents
    SHIFT = "shift"  # dates moved by a number of days that is one patient's own: intervals stay


_CONTACTS = frozenset({IdentifierClass.EMAIL, IdentifierClass.PHONE, IdentifierClass.FAX})


@dataclass(frozen=True, slots=True)
class Policy:
    """What is done with one group of documents."""

    name: str
    version: str
    classes: frozenset[IdentifierClass]
    placeholders: Mapping[IdentifierClass, str] = field(repr=False)
    names: ReplaceBy = ReplaceBy.PLACEHOLDER  # of names, places, numbers: everything but dates
    dates: ReplaceBy = ReplaceBy.PLACEHOLDER
    keep_investigators: bool = False  # names of investigators and signatories stay
    year: int | None = (
        None  # that ages over 89 are reckoned from, where the policy removes dates: with a new year more years tell such an age
    )
    formats: str = ""  # fingerprint of the site's own number formats, where there are some

    @property
    def id(self) -> str:
        """Name, version and settings: part of the recipe of every document under this policy."""
        extra = [f"names={self.names}"] if self.names is not ReplaceBy.PLACEHOLDER else []
        extra += [f"dates={self.dates}"] if self.dates is not ReplaceBy.PLACEHOLDER else []
        extra += ["investigators"] if self.keep_investigators else []
        extra += [f"year={self.year}"] if self.year is not None else []
        extra += [f"formats={self.formats}"] if self.formats else []
        return ";".join([f"{self.name}-{self.version}", *extra])

    @property
    def reads_language(self) -> bool:
        """Whether finding its classes needs more than contact patterns."""
        return not self.classes <= _CONTACTS


@dataclass(frozen=True, slots=True)
class PolicyChoices:
    """What a site sets: how clinical text is replaced, and whether investigators of public documents stay named."""

    clinical_names: ReplaceBy = ReplaceBy.PLACEHOLDER
    clinical_dates: ReplaceBy = ReplaceBy.PLACEHOLDER
    keep_investigators: bool = False
    formats: str = ""  # fingerprint of the site's own number formats


def policy_for(kind: str, source: str, choices: PolicyChoices | None = None) -> Policy:
    """Return the policy of a document's kind and source; what no rule names is scrubbed as clinical text."""
    choices = choices or PolicyChoices()
    policies, rules, default = _read()
    name = next((name for kinds, sources, name in rules if kind in kinds and (sources is None or source in sources)), default)
    policy, investigators = policies[name]
    if IdentifierClass.DATE in policy.classes:
        policy = replace(policy, year=datetime.now(UTC).year)
    if investigators:
        kept = {IdentifierClass.NAME} if choices.keep_investigators else set()
        return replace(policy, classes=policy.classes - kept, keep_investigators=choices.keep_investigators)
    if name == default:
        return replace(policy, names=choices.clinical_names, dates=choices.clinical_dates, formats=choices.formats)
    return policy


_Rule = tuple[tuple[str, ...], tuple[str, ...] | None, str]


@cache
def _read() -> tuple[dict[str, tuple[Policy, bool]], list[_Rule], str]:
    return parse(resources.files(__package__).joinpath("policy.toml").read_text("utf-8"))


def parse(text: str) -> tuple[dict[str, tuple[Policy, bool]], list[_Rule], str]:
    """Return policies (with whether investigators are theirs to choose), rules in order and the default's name.

    Raises:
        ValueError: A class has no placeholder, or a rule names no policy.
    """
    raw = tomllib.loads(text)
    placeholders = MappingProxyType({IdentifierClass(name): value for name, value in raw["placeholders"].items()})
    if missing := [name for name in IdentifierClass if name not in placeholders]:
        raise ValueError(f"no placeholder for {', '.join(missing)}")
    policies = {name: (_policy(name, table, placeholders), bool(table.get("investigators"))) for name, table in raw["policies"].items()}
    rules: list[_Rule] = [
        (_strings(rule["kind"]), _strings(rule["source"]) if "source" in rule else None, rule["policy"]) for rule in raw["rules"]
    ]
    default = str(raw["default"]["policy"])
    if unknown := {name for *_, name in rules} | {default} - policies.keys():
        unknown -= policies.keys()
        if unknown:
            raise ValueError(f"rules name unknown policies: {', '.join(sorted(unknown))}")
    return policies, rules, default


def _policy(name: str, table: dict[str, Any], placeholders: Mapping[IdentifierClass, str]) -> Policy:
    named = table["classes"]
    classes = frozenset(IdentifierClass if named == "all" else map(IdentifierClass, named))
    return Policy(name, table["version"], classes, placeholders)


def _strings(value: str | list[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)
