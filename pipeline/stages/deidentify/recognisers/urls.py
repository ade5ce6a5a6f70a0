"""Web addresses (paragraph N) and labelled names in social networks.

Hosts of registries, publications and code systems stay: such an address names a study, a paper or a code, not a person.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, Final

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.recognisers.base import Recogniser

if TYPE_CHECKING:
    from spacy.tokens import Doc

_REST: Final = r"[^\s<>\"'{}|\\^`\[\]]{0,2000}"
_HOST: Final = r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\.){1,6}"
# Ends of names that stand for a site even without a path. Others are words after a missing blank ("stable.In") or units.
_SURE: Final = r"(?:com|org|net|edu|gov|mil|co\.[a-z]{2}|(?:ac|org|nhs|gov)\.[a-z]{2}|com\.[a-z]{2}|example|uk|eu|de|fr|nl|ie|nz|lk|ch|io)"
_LIKELY: Final = r"(?:[a-z]{2}|info|health|care|clinic|hospital|app|site|online|link|page|biz|cloud|doctor|dental|world|life)"
_URL: Final = re.compile(
    rf"(?<![A-Za-z0-9])(?:(?:https?|hxxps?|s?ftp)://{_REST}|www\.{_HOST}[A-Za-z]{{2,24}}\b(?:[:/?#]{_REST})?)"
    rf"|(?<![\w@.%+/-]){_HOST}(?:{_SURE}\b(?![\w-]|\.\w)(?:(?::\d{{2,5}})?[/?#]{_REST})?|{_LIKELY}(?::\d{{2,5}})?/(?=[a-z0-9_~?#%-]{{2}}){_REST})",
    re.IGNORECASE,
)
_HANDLE_BEFORE: Final = re.compile(
    r"(?<![\w.])@([A-Za-z0-9_.]{2,38}[A-Za-z0-9_])(?=[ ](?:on|at|via)[ ](?:twitter|instagram|insta|facebook|tiktok|snapchat|telegram|reddit|discord|youtube)\b)",
    re.IGNORECASE,
)
_TAIL: Final = ".,;:!?)*_'\""
_CONTENT: Final = re.compile(
    r"(?:https?://)?(?:www\.|dx\.)?(?:doi\.org|clinicaltrials\.gov|pubmed\.ncbi\.nlm\.nih\.gov|(?:www\.)?ncbi\.nlm\.nih\.gov|isrctn\.com|(?:[\w-]+\.)?hl7\.org|loinc\.org|snomed\.info|unitsofmeasure\.org|(?:www\.)?nlm\.nih\.gov)(?:/|$)",
    re.IGNORECASE,
)
_BRAND: Final = re.compile(r"[A-Z][a-z]+\.[A-Z][a-z]+")  # Cancer.Net: a name, or a sentence without its blank
_HANDLE: Final = re.compile(
    r"\b(?:twitter|x\.com|instagram|insta|ig|facebook|fb|messenger|tiktok|snapchat|linkedin|skype|telegram|whatsapp|signal|discord|reddit|youtube|mastodon|bluesky"
    r"|social[ ]media|screen[ ]?name|user[ ]?name|handle)"
    r"(?:[ ](?:handle|account|profile|name|user(?:name)?|id|page|as))?(?:[ ](?:is|at|as))?[ ]{0,2}(?::[ ]{0,3}@?|[ ]?@|[ ]\(@)"
    r"(?=[\d_.-]{0,20}[A-Za-z])([A-Za-z0-9_](?:[\w.-]{0,38}[A-Za-z0-9_]))",
    re.IGNORECASE,
)


class Urls(Recogniser):
    """See the file."""

    classes: ClassVar = (IdentifierClass.URL,)

    def find(self, text: str, doc: Doc | None) -> Iterable[Found]:
        """Return web addresses."""
        for match in _URL.finditer(text):
            value = match.group().rstrip(_TAIL)
            if "." in value and not _CONTENT.match(value) and not _BRAND.fullmatch(value):
                yield self.found(match.start(), match.start() + len(value), IdentifierClass.URL, 0.9)
        for pattern in (_HANDLE, _HANDLE_BEFORE):
            for match in pattern.finditer(text):
                yield self.found(*match.span(1), IdentifierClass.URL, 0.85)
