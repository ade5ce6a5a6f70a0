"""Names of people by cues, labels, credentials and lists (164.514(b)(2)(i)(A)); ``names_entities`` reads spaCy, ``initials`` initials."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import TYPE_CHECKING, ClassVar

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.recognisers.base import Recogniser
from pipeline.stages.deidentify.recognisers.names_beside import find_alone, find_in_rows, find_related, find_spoken_to
from pipeline.stages.deidentify.recognisers.names_cues import find_cued
from pipeline.stages.deidentify.recognisers.names_header import find_headed
from pipeline.stages.deidentify.recognisers.names_labels import find_labelled
from pipeline.stages.deidentify.recognisers.names_listed import find_listed, find_lower
from pipeline.stages.deidentify.recognisers.names_phrase import with_particles
from pipeline.stages.deidentify.recognisers.names_titles import find_titled
from pipeline.stages.deidentify.recognisers.names_words import split_words

if TYPE_CHECKING:
    from spacy.tokens import Doc


class Names(Recogniser):
    """See the file."""

    classes: ClassVar = (IdentifierClass.NAME,)

    def find(self, text: str, doc: Doc | None) -> Iterable[Found]:
        """Return names without titles, credentials and possessives."""
        words = split_words(text)
        finders = (find_titled, find_cued, find_labelled, find_listed, find_lower, find_spoken_to, find_alone, find_headed, find_related)
        spans = set(chain.from_iterable(finder(text, words) for finder in finders))
        spans |= set(find_in_rows(text, words, spans))
        return [self.found(start, end, IdentifierClass.NAME, score) for start, end, score in sorted(with_particles(text, words, spans))]
