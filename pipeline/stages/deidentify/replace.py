"""Puts something else in the place of identifiers, and keeps where each stood."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.domain.phi import Found, Replacement, Scrubbed
from pipeline.stages.deidentify.known import KnownIdentifiers
from pipeline.stages.deidentify.policy import Policy


class Replacer:
    """Says what stands in the place of each identifier of one document.

    Raises:
        ConfigurationError: The policy asks for keyed replacement and there is no secret.
    """

    def __init__(self, policy: Policy, *, secret: bytes | None, subject: str | None, known: KnownIdentifiers) -> None:
        self._policy = policy

    def value(self, text: str, found: Found) -> str:
        """Return what replaces the characters of ``found`` in ``text``."""
        return self._policy.placeholders[found.category]


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
