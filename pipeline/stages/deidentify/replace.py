"""Puts something else in the place of identifiers, and keeps where each stood. In: text and places. Out: text without them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pipeline.domain.errors import ConfigurationError
from pipeline.domain.phi import Found, IdentifierClass, Replacement, Scrubbed
from pipeline.stages.deidentify.date_shift import days_for, shift
from pipeline.stages.deidentify.known import KnownIdentifiers
from pipeline.stages.deidentify.placeholders import OVER_89
from pipeline.stages.deidentify.policy import Policy, ReplaceBy
from pipeline.stages.deidentify.surrogates import Surrogates

_ONES: Final = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty"
)
_NUMBER: Final = re.compile(
    rf"\d{{2,3}}|(?:(?:(?:an?|one)[\s-])?hundred(?:[\s-](?:and[\s-])?(?:{_ONES}))?|ninety(?:[\s-](?:{_ONES}))?)", re.IGNORECASE
)


class Replacer:
    """Says what stands in the place of each identifier of one document.

    Args:
        policy: What stands in the place of each class.
        secret: The site's secret; keyed replacement needs it.
        subject: The patient's pseudonym: the same value of one patient is replaced alike in all documents.
        known: The patient's known identifiers: no surrogate is one of them, and all forms of one have one surrogate.
        texts: All texts of the document: no surrogate stands in them already.

    Raises:
        ConfigurationError: The policy asks for keyed replacement and there is no secret, or no subject; or for what there is not.
    """

    def __init__(
        self, policy: Policy, *, secret: bytes | None, subject: str | None, known: KnownIdentifiers, texts: Sequence[str] = ()
    ) -> None:
        self._policy = policy
        self._surrogates: Surrogates | None = None
        self._days: int | None = None
        if policy.names is ReplaceBy.SHIFT or policy.dates is ReplaceBy.SURROGATE:
            raise ConfigurationError(
                "names cannot be shifted, nor dates invented", remedy="Names: placeholder or surrogate; dates: placeholder or shift."
            )
        if policy.names is ReplaceBy.SURROGATE:
            self._surrogates = Surrogates(*_keys(secret, subject), known=known.values, texts=texts)
        if policy.dates is ReplaceBy.SHIFT:
            self._days = days_for(*_keys(secret, subject))

    def value(self, text: str, found: Found) -> str:
        """Return what replaces the characters of ``found`` in ``text``."""
        stretch = text[found.start : found.end]
        if found.category is IdentifierClass.AGE:
            return OVER_89 if _NUMBER.fullmatch(stretch) else self._policy.placeholders[found.category]
        value: str | None = None
        if found.category is IdentifierClass.DATE:
            if self._days is not None:
                value = shift(stretch, self._days)
        elif self._surrogates is not None:
            value = self._surrogates.value(stretch, found.category)
        return self._policy.placeholders[found.category] if value is None else value


def _keys(secret: bytes | None, subject: str | None) -> tuple[bytes, str]:
    if not secret:
        raise ConfigurationError(
            "surrogates and date shifts are keyed with the site secret, and there is none",
            remedy="Run `clindex init`, or set CLINDEX_SITE_SECRET_FILE.",
        )
    if not subject:
        raise ConfigurationError(
            "surrogates and date shifts belong to one patient, and the document names none",
            remedy="Name the patient (--subject, or `subject` in a row), or replace by placeholders.",
        )
    return secret, subject


def replace(text: str, found: Sequence[Found], replacer: Replacer) -> Scrubbed:
    """Replace places (in order and apart) of ``text``."""
    pieces: list[str] = []
    replacements: list[Replacement] = []
    length = done = 0
    for each in found:
        value = replacer.value(text, each)
        pieces += (text[done : each.start], value)
        length += each.start - done
        replacements.append(Replacement(each.start, each.end, length, length + len(value), each.category, each.score, each.by))
        length += len(value)
        done = each.end
    pieces.append(text[done:])
    return Scrubbed("".join(pieces), tuple(replacements))
