"""Forms of addresses other than "number, name, street word" (USPS Publication 28; usual forms of other countries). Data, no code."""

from __future__ import annotations

import re
from typing import Final

UPPER: Final = "A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĖĘĚĞĢĪĮİĶŁĻĽŃŅŇŌŐŒŔŘŚŞŠŢŤŪŮŰŲŹŻŽȘȚΑ-ΩА-Я"  # capitals of European alphabets
_CROSSED: Final = rf"(?:[{UPPER}][\w']{{0,24}}|\d{{1,3}}(?:st|nd|rd|th))"
_ROUTE: Final = re.compile(
    r"(?<![\w.,/-])\d{1,6} (?:(?:US|State|County|Old) )?(?:Highway|Hwy|Route|Rte|Road|FM|CR|SR)\.? \d{1,4}[A-Z]?\b", re.IGNORECASE
)
# 45 Okporo Uzo after "lives at"; 31 Konge Vej, Apt 5: where a person lives or a flat follows, a street needs no street word.
_RUN: Final = rf"\d{{1,6}}[A-Za-z]?(?:[-/]\d{{1,5}})?,?(?: (?:[{UPPER}][\w'-]{{0,24}}\.?|\d{{1,5}}|de|da|do|del|della|di|la|le|du|des|van|der|den|von|ul\.|u\.|rue|via)){{1,7}}?"
_LIVED_AT: Final = re.compile(
    rf"\b(?i:liv(?:es?|ed|ing)|resid(?:es?|ed|ing)|stay(?:s|ed|ing)?|address(?: is|:)?) (?i:at )?({_RUN})(?=[ ]*(?:[.,;)\n]|$)| (?:with|and|since|for|in|near|alone|who|where|until)\b)"
)
_FLAT_AFTER: Final = re.compile(rf"(?<![\w.,/:%$+-])({_RUN})(?=[.,]?[ \t]*\n?[ \t]*(?i:apt|apartment|suite|ste|unit)\.? ?#?\d)")
_BOX: Final = re.compile(
    r"\b(?:(?:P\.? ?O\.? ?|post office )box (?:no\.? )?[\w-]{1,8}"
    r"|(?:R\.?R\.?|HC|RFD) ?#? ?\d{1,4},? box \w{1,7}"
    r"|(?:rural route|star route) ?#? ?\d{1,4}(?:,? box \w{1,7})?"
    r"|(?:PSC|CMR|unit) \d{1,5},? box \d{1,6}"
    r"|(?:USS|USNS|USCGC) [A-Z][\w-]{1,20}(?= *[\n,]? *[FAD]PO ))"
    r"(?:[ ,\n]{1,3}[FAD]PO,? A[AEP] \d{5}(?:-\d{4})?)?",
    re.IGNORECASE,
)
# Rue de la Paix 12, Calle Serrano 42, Via Roma 5, ulica Mila 53; 12 rue de la Paix.
_TYPE_FIRST: Final = (
    r"(?:rue|avenue|boulevard|chemin|allée|place|quai|calle|c/|avenida|paseo|carrer|via|viale|piazza|corso|rua|travessa|ulica|ul\.|bulevar|"
    r"strada|șoseaua|улица|ул\.|булевар|trg|plaza)"
)
_FOREIGN_WORDS: Final = rf"(?:(?:d[eiou]|del|de la|des|du|la|le|los|las|cel|da|dos|van|der) ?){{0,2}}[{UPPER}А-Я][\w'-]{{2,24}}(?: [{UPPER}А-Яa-zà-ÿ][\w'-]{{1,24}}){{0,4}}?"
_FOREIGN: Final = re.compile(
    rf"\b(?i:{_TYPE_FIRST}) {_FOREIGN_WORDS},? (?:дом )?\d{{1,5}}[A-Za-z]?(?![\d/%.]*\d)(?! ?(?:mg|ml|%|years|days|weeks))"
)
_FOREIGN_NUMBER_FIRST: Final = re.compile(
    rf"(?<![\w.,/-])\d{{1,5}},? (?i:rue|chemin|allée|quai|calle|via|viale|rua|avenida|boulevard|avenue) {_FOREIGN_WORDS}(?=[,.;\n]|$| \d{{4,5}} )"
)
_ONE_WORD: Final = re.compile(
    rf"\b[{UPPER}][\w'-]{{2,24}}(?:str(?:\.|aße|asse|aat)|gasse|weg|platz|allee|damm|ufer|laan|gracht|plein|gata|gatan|vej|vegen|veien|katu|gade|utca)"
    r" \d{1,4}[a-zA-Z]?(?![\d/%.]*\d)"
)
_CROSSING: Final = re.compile(
    rf"\b(?:corner|intersection|junction) of ((?:the )?{_CROSSED}(?: {_CROSSED}){{0,3}} (?:and|&) {_CROSSED}(?: {_CROSSED}){{0,3}})"
)
_LABELLED: Final = re.compile(
    r"\b(?:(?:home|mailing|street|current|permanent|residential|work|billing|patient'?s?) )?(?:address|addr)\s?(?:\(\w{1,10}\))?(?:\s?:| is| as|,)[ \t]{0,20}"
    r"(?=[^\n]{0,60}\d)((?:No\.? ?|#|Flat |Unit |Apt )?\d[\w/-]{0,8},?[ ][^\n;|]{3,80}?)(?=[ ]{2}|[;|\n]|$|\.(?:\s|$)|,? (?:and|phone|tel|email|fax|dob|mrn|postcode|zip)\b)",
    re.IGNORECASE,
)
_CORNER: Final = re.compile(
    r"\b(?:at|on|near) ((?!(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*\b)[A-Z][a-z]{2,15} (?:and|&) \d{1,3}(?:st|nd|rd|th)"
    r"|\d{1,3}(?:st|nd|rd|th) (?:and|&) (?!(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\b)[A-Z][a-z]{2,15})\b"
)
# A unit alone in its line or after a comma; "Operating Suite 3" is none.
_UNIT_ALONE: Final = re.compile(
    r"(?:^|(?<=[\n,>.\d] )|(?<=[\n,>])|(?<=\d\n))[ \t]{0,8}((?i:apt|apartment|suite|ste)\b\.? ?#?\d{1,5}[A-Za-z]?)\b"
)
_LIVES_ON: Final = re.compile(
    r"\b(?:liv(?:es?|ed|ing)|resid(?:es?|ed|ing)|stay(?:s|ed|ing)) (?:on|off|near|at) ((?!the |an? |this |that |same |our |his |her )(?:[a-z]{3,15} ){1,2}"
    r"(?:street|st|avenue|ave|road|rd|lane|ln|drive|boulevard|blvd|terrace|court|circle))\b"
)
# Pattern, the group that holds the address, and how sure it is.
FORMS: Final = (
    (_ROUTE, 0, 0.9),
    (_BOX, 0, 0.9),
    (_FOREIGN, 0, 0.9),
    (_FOREIGN_NUMBER_FIRST, 0, 0.9),
    (_ONE_WORD, 0, 0.9),
    (_LABELLED, 1, 0.9),
    (_CROSSING, 1, 0.88),
    (_CORNER, 1, 0.86),
    (_UNIT_ALONE, 1, 0.86),
    (_LIVES_ON, 1, 0.88),
)
# The same for forms without any word of a street: the caller checks that they hold a name.
NAMELESS_FORMS: Final = ((_LIVED_AT, 1, 0.88), (_FLAT_AFTER, 1, 0.88))
