"""Finds and replaces the identifiers of one document. In: its texts, a policy, what is known of its patient. Out: scrubbed texts.

The order: fold, recognise in windows, repeat found names through the whole document, protect clinical words, look up known identifiers,
resolve overlaps, replace (decision 0011 says why).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Final

from pipeline.domain.phi import Found, IdentifierClass, Scrubbed
from pipeline.stages.deidentify.coded import Coded, without_coded
from pipeline.stages.deidentify.engine import Engine
from pipeline.stages.deidentify.known import KnownIdentifiers, find_known
from pipeline.stages.deidentify.misread import repaired
from pipeline.stages.deidentify.names_again import find_names_again
from pipeline.stages.deidentify.placeholders import without_placeholders
from pipeline.stages.deidentify.plain import Plain, plain
from pipeline.stages.deidentify.policy import Policy
from pipeline.stages.deidentify.protect import protect
from pipeline.stages.deidentify.recognisers import SiteFormats, all_recognisers
from pipeline.stages.deidentify.replace import Replacer, replace
from pipeline.stages.deidentify.resolve import resolve
from pipeline.stages.deidentify.windows import windows

_NOBODY: Final = KnownIdentifiers()
#: Characters of a text that is remembered with what was found in it: titles and lines of resources recur by the thousand, and reading one
#: takes some 17 ms.
_SHORT: Final = 300
_REMEMBERED: Final = 10_000  # texts: at most some 10 MB


class Scrubber:
    """De-identifies documents. One instance may be used for many. What it found in short texts it remembers: never what it was told of a patient.

    Args:
        secret: The site's secret, which surrogates and date shifts are keyed with; ``None``: policies that need it are refused.
        site: The site's own number formats.
    """

    def __init__(self, *, secret: bytes | None = None, site: SiteFormats | None = None) -> None:
        self._secret = secret
        self._engine = Engine(all_recognisers(site))
        self._remembered = lru_cache(maxsize=_REMEMBERED)(self._recognise_anew)

    def scrub(self, text: str, policy: Policy, *, subject: str | None = None, known: KnownIdentifiers = _NOBODY) -> Scrubbed:
        """Return one text scrubbed; see ``scrub_all``."""
        return self.scrub_all([text], policy, subject=subject, known=known)[0]

    def scrub_all(
        self,
        texts: Sequence[str],
        policy: Policy,
        *,
        subject: str | None = None,
        known: KnownIdentifiers = _NOBODY,
        by_machine: Collection[int] = (),
        coded: Coded | None = None,
    ) -> list[Scrubbed]:
        """Return the texts of one document scrubbed, in order: a name that is found in one is found in all.

        Args:
            texts: Identified texts: pages, fields, a title.
            policy: What to replace, and how.
            subject: The patient's pseudonym: surrogates and date shifts are the same in all of a patient's documents.
            known: The patient's known identifiers.
            by_machine: Numbers, from 0, of texts that OCR has read: identifiers are looked for as it may have misread them, too.
            coded: What a rendered resource says by codes and numbers; ``None``: the texts are none.

        Raises:
            ConfigurationError: The policy asks for keyed replacement and there is no secret.
        """
        folded = [plain(text) for text in texts]
        places = self.find_all(folded, policy, known=known, by_machine=by_machine, coded=coded)
        replacer = Replacer(policy, secret=self._secret, subject=subject, known=known, texts=texts)
        return [replace(text, found, replacer) for text, found in zip(texts, places, strict=True)]

    def find_all(
        self,
        folded: Sequence[Plain],
        policy: Policy,
        *,
        known: KnownIdentifiers = _NOBODY,
        by_machine: Collection[int] = (),
        coded: Coded | None = None,
    ) -> list[list[Found]]:
        """Return the places to replace in each text, in order and apart, with offsets of the source; arguments as in ``scrub_all``."""
        recognised = [self._recognise(each.text, policy) for each in folded]
        for number in by_machine:
            recognised[number] += self._recognise_misread(folded[number].text, policy)
        if coded is not None:
            recognised = [without_coded(each.text, found, coded) for each, found in zip(folded, recognised, strict=True)]
        if policy.reads_language:
            again = find_names_again([each.text for each in folded], recognised)
            recognised = [protect(each.text, [*found, *more]) for each, found, more in zip(folded, recognised, again, strict=True)]
        sure = [without_placeholders(each.text, find_known(each.text, known), policy.placeholders.values()) for each in folded]
        return [
            resolve(_at_source(each, one) for one in [*found, *more] if one.category in policy.classes)
            for each, found, more in zip(folded, recognised, sure, strict=True)
        ]

    def _recognise(self, text: str, policy: Policy) -> list[Found]:
        masks = frozenset(policy.placeholders.values())
        find = self._remembered if len(text) <= _SHORT else self._recognise_anew
        return list(find(text, policy.classes, masks))

    def _recognise_anew(self, text: str, classes: frozenset[IdentifierClass], masks: frozenset[str]) -> tuple[Found, ...]:
        if not text:
            return ()
        found = [_moved(each, start) for start, end in windows(text) for each in self._engine.find(text[start:end], classes)]
        return tuple(without_placeholders(text, found, masks))

    def _recognise_misread(self, text: str, policy: Policy) -> list[Found]:
        """Read again, repaired, the windows that OCR may have misread."""
        clean = repaired(text)
        found = [
            _moved(each, start)
            for start, end in windows(clean)
            if clean[start:end] != text[start:end]
            for each in self._engine.find(clean[start:end], policy.classes)
        ]
        return without_placeholders(text, found, policy.placeholders.values())


def _moved(found: Found, by: int) -> Found:
    return Found(found.start + by, found.end + by, found.category, found.score, found.by) if by else found


def _at_source(folded: Plain, found: Found) -> Found:
    start, end = folded.source(found.start, found.end)
    return Found(start, end, found.category, found.score, found.by)
