"""Names by a label and a colon or a column before them, and by credentials or a role after them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final

from pipeline.stages.deidentify.recognisers.names_judge import Span, fits
from pipeline.stages.deidentify.recognisers.names_phrase import PARTICLES, end_of, extend, is_part, linked
from pipeline.stages.deidentify.recognisers.names_words import Word

# Labels that promise a name: whatever stands there is one.
_NAME_LABELS: Final = (
    r"(?:(?:patient|pt|full|first|last|middle|given|family|maiden|legal|preferred|birth|client|member|insured|subscriber|guarantor|policy ?holder|"
    r"physician|doctor|provider|nurse|surgeon|staff|employee|guardian|spouse|contact|mother|father|parent|husband|wife|partner|child|baby|infant|"
    r"next of kin|relative|caregiver|user|account|card ?holder|resident|student|subject)(?:'s|s)? )?(?:sur)?names?(?: of (?:patient|physician|provider))?"
)
# Labels of people: a person, a role, a state ("none") or a sentence stands there.
_PEOPLE_LABELS: Final = (
    r"(?:patient|pt|attending(?: (?:physician|md|provider|surgeon))?|pcp|primary(?: care)?(?: (?:physician|provider|pediatrician))?|"
    r"(?:referring|consulting|ordering|admitting|treating|supervising|responsible|requesting|discharging|reading|interpreting|dictating|rendering|"
    r"family|resident|er|ed) (?:physician|md|provider|doctor|clinician|surgeon|radiologist|party)|physician|provider|surgeon|assistants?|"
    r"co-?surgeon|first assistant|anesthesiologist|anesthetist|radiologist|pathologist|technologist|technician|(?:lab )?analyst|consultants?|"
    r"(?:electronically |digitally )?(?:signed|authenticated|dictated|transcribed|reviewed|verified|prepared|authored|entered|approved|read|"
    r"interpreted|performed|directed|ordered|collected|reported|completed|witnessed|recorded|cosigned|co-signed|typed|submitted|referred|seen|requested|"
    r"attested|released|validated|administered)(?: (?:and (?:signed|finalized|reviewed) )?by)?|"
    r"author|scribe|signature|signatory|cc|attn|attention|dear|from|to|re|nurse|rn|charge nurse|therapist|case manager|social worker|interpreter|"
    r"next of kin|nok|emergency contact(?: person)?|contact(?: person)?|guardian|guarantor|spouse|husband|wife|mother|father|son|daughter|sister|"
    r"brother|mom|dad|partner|caregiver|parent|poa|hcp|proxy|health ?care proxy|power of attorney|informant|historian|witness|client|resident|"
    r"fellow|intern|student|subject|member|subscriber|employee|insured|beneficiary|policy ?holder|investigator|principal investigator|pi|"
    r"doctor|dr|clinician|recipient|decedent|secretary|adjuster|tech|interp|ref|doula|chaplain|volunteer|midwife|pharmacist|dietitian|supervisor|director|manager|coordinator|user|owner|applicant|account holder|card ?holder|s/o|d/o|w/o)"
)
# Looked for backwards from what separates a label from its value: a separator is rare, a word is not.
_SEPARATOR: Final = re.compile(r"(?:#:|[:=|])[ \t*|]{0,40}(?P<line>\n[ \t]{0,40})?")
_LABEL: Final = re.compile(
    rf"(?<![\w'-])(?:(?P<name>{_NAME_LABELS})|{_PEOPLE_LABELS})(?: ?\([^()\n]{{1,30}}\))?[ \t*]{{0,30}}\Z", re.IGNORECASE
)
# What was done is no person who did it: "PROCEDURES PERFORMED: Tailor bunionectomy".
_DEED: Final = re.compile(
    r"\b(?:procedures?|operations?|surger(?:y|ies)|tests?|stud(?:y|ies)|exams?|examinations?|labs?|services?|specimens?|cultures?|date|time|work|imaging)[ \t]{1,3}"
    r"(?:performed|ordered|requested|collected|completed|reported|reviewed|seen|administered|recorded)[ \t*]{0,8}\Z",
    re.IGNORECASE,
)
_CLAUSE: Final = re.compile(r"[\n:;|=.]")
_LONGEST_LABEL: Final = 90
_COLUMN: Final = re.compile(rf"^[ \t]{{0,20}}(?:{_NAME_LABELS})(?:\t|[ ]{{2,}})[ \t]{{0,40}}", re.IGNORECASE | re.MULTILINE)
_CREDENTIAL: Final = re.compile(
    r"(?P<comma>,)?[ \t]{0,2}[(]?(?<![\w.])(?P<which>M\.?D\.?|D\.?O\.?|R\.?N\.?|N\.?P\.?|P\.?A\.?-?C?|Ph\.?D\.?|Pharm\.?D\.?|LPN|LVN|CRNA|CNM|DPT|DNP|"
    r"MPH|MSN|BSN|APRN|ARNP|FNP(?:-C|-BC)?|FACS|FACP|FAAP|DDS|DMD|DPM|PsyD|LCSW|MSW|OTR(?:/L)?|CWOCN|CWCN|RPSGT|RDMS|RVT|PT|OT|RRT|RD|MBBS|MBBCh|MBChB|FRCS|SLP|RPh|EMT(?:-P)?|"
    r"MS|MA|MBA)(?![\w])"
)
_SURE: Final = frozenset(
    [
        "md",
        "rn",
        "np",
        "pac",
        "phd",
        "pharmd",
        "lpn",
        "lvn",
        "crna",
        "cnm",
        "dpt",
        "dnp",
        "aprn",
        "arnp",
        "fnp",
        "facs",
        "facp",
        "faap",
        "dds",
        "dmd",
        "dpm",
        "psyd",
        "lcsw",
        "msw",
        "bsn",
        "cwocn",
        "cwcn",
        "rpsgt",
        "rdms",
        "msn",
        "mbbs",
        "rph",
    ]
)
_NOT_A_NAME: Final = frozenset(
    ["none", "unknown", "self", "same", "n/a", "na", "tbd", "pending", "not", "see", "yes", "no", "deceased", "retired"]
)
LABEL_SCORE: Final = 0.95
PEOPLE_SCORE: Final = 0.9


def find_labelled(text: str, words: Sequence[Word]) -> Iterator[Span]:
    """Yield names after labels and before credentials, with scores."""
    starts = [word.start for word in words]
    for separator in _SEPARATOR.finditer(text):
        label = _label_before(text, separator.start())
        index = bisect_left(starts, separator.end())
        if label and not (separator["line"] and index < len(words) and not words[index].only_name):
            yield from _value(text, words, index, separator.end(), sure=label["name"] is not None)
    for match in _COLUMN.finditer(text):
        yield from _value(text, words, bisect_left(starts, match.end()), match.end(), sure=True)
    for match in _CREDENTIAL.finditer(text):
        index = bisect_left(starts, match.start()) - 1
        if index >= 0 and words[index].end in (match.start(), match.start() - 1):
            yield from _before_credential(text, words, index, match)


def _label_before(text: str, end: int) -> re.Match[str] | None:
    """The label that ends at ``end``; it is looked for within its own clause, so that rows of separators cost nothing."""
    clause = _CLAUSE.split(text[max(0, end - _LONGEST_LABEL) : end])[-1]
    if _DEED.search(clause):
        return None
    return _LABEL.search(clause) if clause[-1:].isalpha() or clause[-1:] in (" ", "\t", "*", ")") else None


def _value(text: str, words: Sequence[Word], first: int, at: int, *, sure: bool) -> Iterator[Span]:
    """The name that begins at ``at``, with what follows a comma: LAST, FIRST M."""
    if first >= len(words) or words[first].start > at + 1:
        return
    word = words[first]
    if word.low in _NOT_A_NAME or word.never:
        return
    if word.shape == "l" and word.low not in PARTICLES:
        end = _lower_value(text, words, first) if sure or (word.given and not word.ordinary) else first
        if end > first:
            yield word.start, words[end - 1].end, PEOPLE_SCORE
        return
    if word.shape == "x" or (not sure and word.shape != "I" and not _fits_people(text, words, first)):
        return
    last = extend(text, words, first, spoken=True)
    if (
        last < len(words)
        and text[words[last - 1].end : words[last].start] in (", ", ",")
        and _is_first(words[last])
        and not _CREDENTIAL.match(text, words[last - 1].end)
    ):
        last = extend(text, words, last)
    yield word.start, end_of(text, words, last - 1), LABEL_SCORE if sure else PEOPLE_SCORE


def _fits_people(text: str, words: Sequence[Word], first: int) -> bool:
    word = words[first]
    if not fits(word, caps=True):
        return False
    if word.only_name or first + 1 >= len(words) or not linked(text, word, words[first + 1]):
        return True
    following = words[first + 1]
    # "To: Brown sputum", "Mother: Good health": a word that is a name too, then an ordinary word
    return following.shape == "I" or not (following.plain_word and word.ordinary)


def _is_first(word: Word) -> bool:
    return (word.shape == "I" and word.text != "I") or (word.upper and is_part(word) and word.is_name and not word.credential)


def _lower_value(text: str, words: Sequence[Word], first: int) -> int:
    end = first
    while end < len(words) and end - first < 4 and (end == first or linked(text, words[end - 1], words[end])):
        word = words[end]
        if word.plain_word or word.never or word.shape == "x":
            break
        end += 1
    return end


def _before_credential(text: str, words: Sequence[Word], index: int, match: re.Match[str]) -> Iterator[Span]:
    sure = re.sub(r"\W", "", match["which"]).lower() in _SURE
    first = index + 1
    while first > 0 and index - first < 4:
        word = words[first - 1]
        if first <= index and not linked(text, word, words[first]):
            break
        if not (is_part(word) or word.shape == "I" or (word.low in PARTICLES and first <= index)):
            break
        first -= 1
    while first <= index and (words[first].low in PARTICLES or (words[first].shape == "I" and first == index)):
        first += 1
    name = words[first : index + 1]
    if not name:
        return
    known = sum(word.only_name for word in name)
    if (sure and (match["comma"] or len(name) > 1 or known)) or (known and (match["comma"] or len(name) > 1)):
        yield name[0].start, end_of(text, words, index), LABEL_SCORE if known else PEOPLE_SCORE
