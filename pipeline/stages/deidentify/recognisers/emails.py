"""E-mail addresses (RFC 5321, 6531), also with ``(at)`` or ``[dot]`` for the signs, spoken ("jo dot doe at site dot org") or labelled."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, Final

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.recognisers.base import Recogniser

if TYPE_CHECKING:
    from spacy.tokens import Doc

# Lengths are bounded (RFC 5321: 64 before the @, 255 after it), so that a text of 60,000 word characters stays linear.
_DOT: Final = r"(?:\.|\s?(?:\(dot\)|\[dot\])\s?)"
_EMAIL: Final = re.compile(
    rf"(?<![\w.%+-])[\w.%+'-]{{1,64}}\s?(?:@|\(at\)|\[at\])\s?(?:[^\W_](?:[^\W_]|-){{0,62}}{_DOT}){{1,6}}[^\W\d_]{{2,24}}\b", re.IGNORECASE
)
_SPOKEN: Final = re.compile(
    r"(?<![\w.])[\w.+-]{1,40}(?:[ ](?:dot|underscore|dash)[ ]\w{1,30}){0,3}[ ]at[ ][\w-]{1,40}(?:[ ]dot[ ]\w{2,20}){0,2}"
    r"[ ]dot[ ](?:com|org|net|edu|gov|co|uk|info|health|mail)\b",
    re.IGNORECASE,
)
_LABELLED: Final = re.compile(
    r"\be-?mails?(?:[ ]address)?(?:[ ]is)?[ ]?[:=]?[ ]{0,3}([\w.%+-]{2,64}@[\w-]{2,63})(?![\w.@-])", re.IGNORECASE
)


class Emails(Recogniser):
    """See the file."""

    classes: ClassVar = (IdentifierClass.EMAIL,)

    def find(self, text: str, doc: Doc | None) -> Iterable[Found]:
        """Return addresses."""
        for match in _EMAIL.finditer(text):
            start, end = match.span()
            yield self.found(start + (match.group()[0] == "'"), end, IdentifierClass.EMAIL, 0.99)
        for pattern, group in ((_SPOKEN, 0), (_LABELLED, 1)):
            for match in pattern.finditer(text):
                yield self.found(*match.span(group), IdentifierClass.EMAIL, 0.9)
