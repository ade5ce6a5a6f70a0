"""Initials that stand for a person: of a patient, of staff who signed, of a typist. T.I.D., IV and CBC are no initials."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, Final

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.recognisers.base import Recogniser
from pipeline.stages.deidentify.recognisers.names_lexicon import credentials, words_of

if TYPE_CHECKING:
    from spacy.tokens import Doc

_DOTTED: Final = re.compile(r"(?<![\w.])[A-Z]\.(?:[ \-]?[A-Z]\.){1,3}(?!\w)")
# "pt initials AQM", "initials: A.Q.M.": the word itself promises them.
_ANNOUNCED: Final = re.compile(
    r"\binitials(?: (?:are|is|of (?:the )?(?:patient|pt|nurse|provider)))?[ :=#]{1,3}((?-i:[A-Z](?:\.?[ ]?[A-Z]){1,3}\.?))(?!\w)", re.I
)
# Who signed: letters after a verb of signing, after /s/, before a credential at the end of a line, and a typist's mark on its own line.
_SIGNED: Final = re.compile(
    r"(?:\b(?:dictated|signed|initialed|initialled|transcribed|typed|entered|verified|charted|documented|scribed|cosigned|co-signed|witnessed)"
    r"(?: electronically)?(?: by)?[ :]{1,3}|/s/ ?)(?-i:([A-Z]{2,4}))(?![\w/])",
    re.I,
)
_WITH_CREDENTIAL: Final = re.compile(r"(?:^|[-~—]) ?([A-Z]{2,3}),? (?:RN|LPN|MD|DO|NP|PA-C|PA)[ \t.]{0,3}$", re.M)
# After the date of typing, in lower case: "T: 07/05/2024 kv/jm"; and a resident's with the year of training: "KVB, PGY3".
_TYPED_ON: Final = re.compile(r"\b[DT]: ?\d{1,2}/\d{1,2}/\d{2,4},? (?:\d{1,2}:\d{2} )?([A-Za-z]{2,4}[/:][A-Za-z]{2,4})(?![\w/])")
_RESIDENT: Final = re.compile(r"(?:^|[-~—/]) ?([A-Z]{2,4}),? (?:PGY-?\d|MS-?[34])\b", re.M)
_TYPED_BY: Final = re.compile(r"\b(?:transcribed|typed|dictated)(?: by)?[ :]{1,3}([A-Za-z]{2,3}[/:][A-Za-z]{2,3})(?![\w/])", re.I)
_TYPIST: Final = re.compile(r"(?:^|[ \t,.])([A-Z]{2,4}[:/][a-z]{2,3})[ \t]{0,3}$", re.M)
_BEFORE: Final = re.compile(
    r"(?:\b(?:with|w/|by|per|patient|pt\.?|initials?|signed|cc:?|dr\.?|mr\.?|mrs\.?|ms\.?|attending|resident|nurse|rn|name:?|named|d/w|spoke to|"
    r"paged|called|texted|informed|notified|son|daughter|husband|wife|mother|father|brother|sister|and|client|subject)[ ,:(]{1,3})\Z",
    re.I,
)
_AFTER: Final = re.compile(r"[,]? (?:is an?|was|reports|denies|states|presents|will|has|had|said|called)\b")
_AGED: Final = re.compile(r",? \d{1,3} ?(?:[MF]\b|y/?o\b|y\.o|-year)")  # "A.K., 61F": also where the letters are an abbreviation
# Latin directions, routes, degrees, countries and times that are written with dots.
_WITH_DOTS: Final = frozenset(
    [
        "tid",
        "bid",
        "qid",
        "qd",
        "qod",
        "qhs",
        "qam",
        "qpm",
        "hs",
        "ac",
        "pc",
        "prn",
        "po",
        "iv",
        "im",
        "sc",
        "sq",
        "npo",
        "pr",
        "sl",
        "od",
        "os",
        "ou",
        "ad",
        "as",
        "au",
        "us",
        "usa",
        "uk",
        "eu",
        "md",
        "do",
        "rn",
        "np",
        "pa",
        "dds",
        "dmd",
        "am",
        "pm",
        "eg",
        "ie",
        "dc",
        "gi",
        "gu",
        "cns",
        "cvs",
        "heent",
        "ob",
        "gyn",
        "er",
        "ed",
        "icu",
        "or",
        "ekg",
        "ecg",
        "eeg",
        "emg",
        "mri",
        "ct",
        "pt",
        "ot",
        "st",
        "sob",
        "doe",
        "nkda",
        "fda",
        "who",
        "cdc",
        "nih",
        "va",
        "ama",
        "phd",
        "ba",
        "bs",
        "ma",
        "ms",
        "ad",
        "bc",
        "ph",
        "pe",
        "cc",
        "hpi",
        "ros",
        "pmh",
        "tb",
        "cn",
        "cv",
        "rbc",
        "wbc",
        "hiv",
        "va",
        "dnr",
        "dni",
        "mi",
        "chf",
        "copd",
        "ca",
        "p.o",
        "pob",
        "llc",
        "inc",
        "po",
    ]
)
_LONGEST_BEFORE: Final = 24


class Initials(Recogniser):
    """See the file."""

    classes: ClassVar = (IdentifierClass.NAME,)

    def find(self, text: str, doc: Doc | None) -> Iterable[Found]:
        """Return initials of people."""
        spans = [(*match.span(1), 0.92) for match in _ANNOUNCED.finditer(text)]
        spans += [(*match.span(1), 0.85) for match in _SIGNED.finditer(text) if not _is_abbreviation(match[1])]
        spans += [(*match.span(1), 0.82) for match in _WITH_CREDENTIAL.finditer(text) if not _is_abbreviation(match[1])]
        spans += [(*match.span(1), 0.82) for match in _TYPIST.finditer(text) if not _is_abbreviation(match[1].split("/")[0].split(":")[0])]
        spans += [(*match.span(1), 0.85) for pattern in (_TYPED_BY, _TYPED_ON) for match in pattern.finditer(text)]
        spans += [(*match.span(1), 0.82) for match in _RESIDENT.finditer(text) if not _is_abbreviation(match[1])]
        for match in _DOTTED.finditer(text):
            if (score := _dotted_score(text, match)) > 0:
                spans.append((*match.span(), score))
        return [self.found(start, end, IdentifierClass.NAME, score) for start, end, score in spans]


def _dotted_score(text: str, match: re.Match[str]) -> float:
    """How likely dotted capitals are a person: sure beside a cue, else not at all."""
    letters = re.sub(r"[^A-Z]", "", match.group())
    if letters.lower() in _WITH_DOTS:
        return 0.0
    if _AGED.match(text, match.end()):
        return 0.86
    before = text[max(0, match.start() - _LONGEST_BEFORE) : match.start()]
    if _BEFORE.search(before) or _AFTER.match(text, match.end()):
        return 0.86 if len(letters) > 2 or not _is_abbreviation(letters) else 0.0
    return 0.0


def _is_abbreviation(letters: str) -> bool:
    """Whether capitals are known as something else: a clinical abbreviation, a credential, a word."""
    low = letters.lower()
    return low in _WITH_DOTS or low in credentials() or low in words_of("ordinary_words") or low in _abbreviations()


def _abbreviations() -> frozenset[str]:
    return words_of("abbreviations", lower=True)
