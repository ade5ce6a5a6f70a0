"""Reads the retention rules: a TOML file in, checked rules out."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pipeline.domain.errors import ConfigurationError
from pipeline.domain.retention import RetentionRule, RetentionRules
from pipeline.domain.vocabulary import DocumentKind
from pipeline.settings import Settings

_MODEL = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True, str_strip_whitespace=True)


class _Rule(BaseModel):
    model_config = _MODEL

    kinds: tuple[DocumentKind, ...] = Field(min_length=1)
    access: tuple[str, ...] | None = Field(None, min_length=1)
    keep_years: Annotated[int, Field(strict=True, ge=1)] | Literal["no limit"]  # 0 would delete everything on the next day
    reason: str = Field(min_length=1)


class _File(BaseModel):
    model_config = _MODEL

    version: Literal[1]
    rule: tuple[_Rule, ...]


def retention_rules(settings: Settings) -> RetentionRules:
    """Return the site's rules, or the packaged ones.

    Raises:
        ConfigurationError: The file cannot be read, is no such file, or names a kind or an access label that there is not.
    """
    try:
        if settings.retention_rules is None:
            text = resources.files(__package__).joinpath("retention.toml").read_text("utf-8")
        else:
            text = settings.retention_rules.read_text("utf-8")
        read = _File.model_validate(tomllib.loads(text))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        raise _wrong("cannot be read as TOML") from None
    except ValidationError as error:
        places = {".".join(str(part) for part in one["loc"][:3]) for one in error.errors(include_input=False, include_url=False)}
        raise _wrong(f"are wrong at {', '.join(sorted(places))}") from None
    rules = [
        RetentionRule(
            kinds=tuple(kind.value for kind in one.kinds),
            access=one.access or (),
            keep_years=None if one.keep_years == "no limit" else one.keep_years,
            reason=one.reason,
        )
        for one in read.rule
    ]
    known = set(settings.access_labels)
    if settings.retention_rules is not None and any(not known.issuperset(rule.access) for rule in rules):
        raise _wrong("name an access label that CLINDEX_ACCESS_LABELS does not have")
    return RetentionRules(tuple(rules))


def _wrong(what: str) -> ConfigurationError:
    return ConfigurationError(f"the retention rules {what}", remedy="Check CLINDEX_RETENTION_RULES; docs/deletion.md shows the form.")
