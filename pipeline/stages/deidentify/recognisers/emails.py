"""E-mail addresses (RFC 5321), also with ``(at)`` for the sign."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, Final

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.recognisers.base import Recogniser

if TYPE_CHECKING:
    from spacy.tokens import Doc

# Lengths are bounded (RFC 5321: 64 before the @, 255 after it), so that a text of 60,000 word characters stays linear.
_EMAIL: Final = re.compile(
    r"(?<![\w.%+-])[\w.%+-]{1,64}\s?(?:@|\(at\)|\[at\])\s?(?:[A-Za-z0-9-]{1,63}\.){1,6}[A-Za-z]{2,24}\b", re.ASCII | re.IGNORECASE
)


class Emails(Recogniser):
    """See the file."""

    classes: ClassVar = (IdentifierClass.EMAIL,)

    def find(self, text: str, doc: Doc | None) -> Iterable[Found]:
        """Return addresses."""
        return [self.found(*match.span(), IdentifierClass.EMAIL, 0.99) for match in _EMAIL.finditer(text)]
