"""Names of people by cues, labels, credentials and lists (164.514(b)(2)(i)(A)); ``names_entities`` reads spaCy, ``initials`` initials."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import TYPE_CHECKING, ClassVar

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.recognisers.base import Recogniser
from pipeline.stages.deidentify.recognisers.names_cues import find_cued
from pipeline.stages.deidentify.recognisers.names_labels import find_labelled
from pipeline.stages.deidentify.recognisers.names_listed import find_listed, find_lower
from pipeline.stages.deidentify.recognisers.names_words import split_words

if TYPE_CHECKING:
    from spacy.tokens import Doc


class Names(Recogniser):
    """See the file."""

    classes: ClassVar = (IdentifierClass.NAME,)

    def find(self, text: str, doc: Doc | None) -> Iterable[Found]:
        """Return names without titles, credentials and possessives."""
        words = split_words(text)
        spans = chain(find_cued(text, words), find_labelled(text, words), find_listed(text, words), find_lower(text, words))
        return [self.found(start, end, IdentifierClass.NAME, score) for start, end, score in sorted(set(spans))]
