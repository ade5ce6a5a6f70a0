"""Which lines are headers of inclusion or exclusion criteria. The words are data; what a sentence says about criteria is no header."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from pipeline.stages.chunking.foreign import read_foreign
from pipeline.stages.chunking.header_words import EDGE_WORDS, EVERYBODY, GENERIC, SENTENCE, SENTENCE_TAIL
from pipeline.stages.chunking.scope import is_population, names_part_of_study


@dataclass(frozen=True, slots=True)
class Header:
    """A header at the start of a line.

    Attributes:
        is_exclusion: ``None`` where it names both, or neither in English.
        length: Characters of the line that belong to it; what follows is text.
        scope: What it limits its criteria to, in its own words.
        language: ISO 639-1 code of a header that is not English.
        label: What criteria under a header without polarity are prefixed with.
    """

    is_exclusion: bool | None
    length: int
    scope: str | None = None
    language: str | None = None
    label: str | None = None


# Misspellings are from the registry. "Non-inclusion criteria" is what French sponsors call exclusion criteria.
_POLARITY: Final = r"(?:non[- ]?)?(?:in|ex)clu(?:sions?|sionary|ding|ded|tions?|sive)"
_CRITERIA: Final = r"criteri(?:a|as|on|um|ons|e)"
_CORE: Final = re.compile(
    rf"\b(?P<first>{_POLARITY})(?P<first_criteria>[\s_]*{_CRITERIA})?(?:\s*/\s*eligibility)?"
    rf"(?:\s*(?:/|\band\b|&|\bor\b|,)\s*(?P<second>{_POLARITY}))?(?P<criteria>[\s_]*{_CRITERIA}\b)?"
    rf"|\b{_CRITERIA}\s+(?:for|of)\s+(?:the\s+|study\s+|subject\s+|patient\s+)?(?P<inverted>{_POLARITY})"
    rf"(?:\s*(?:/|\band\b|&|\bor\b)\s*(?P<inverted_second>{_POLARITY}))?\b",
    re.IGNORECASE,
)
# A header may close with one of these before its colon: "Exclusion criteria for these volunteers will be:".
_CLOSING: Final = re.compile(
    r"[,\s]*\b(?:(?:will|must|shall)\s+be|are|is|were|was|includes?|included|including|comprises?|as|follows?|following|the)\b[\s,]*(?=$)",
    re.IGNORECASE,
)
_TAIL_START: Final = re.compile(
    r"\s*(?:\(|\[|[-–—,/:]|(?:for|of|in|at|by|to|before|during|prior|related|specific|only|part|cohort|arm|phase|group|step)\b)",
    re.IGNORECASE,
)
_THRESHOLD: Final = re.compile(r"\s[<>≤≥=]")
_FULL_STOP: Final = re.compile(r"\.\s+(?=[A-Z0-9≥≤<>])")  # "Inclusion criteria. Age 22 or over."
_STOP: Final = re.compile(r"[.;](?:\s|\Z)|,\Z")
_MAX_CLOSING: Final = 3  # ", which are as follows"
_BRACKETS: Final = re.compile(r"[(\[][^()\[\]]{0,150}[)\]]")
_NUMBERED: Final = re.compile(r"\s*(?:no\.?|number|#)?\s*(?=\d{1,3}\s*[.:)]\s*[^\d\s])", re.IGNORECASE)
_LEADING: Final = re.compile(r"[\s*_#\"“'>=~-]*")
_TRAILING: Final = re.compile(r"[\s*_\"”'=.–—-]*")
_COLON: Final = re.compile(r"[\s*_]*[:：][\s*_]*")
_MAX_PREFIX_WORDS: Final = 10
_MAX_LISTED_WORDS: Final = 4  # in a list, or in small letters, more words before "inclusion criteria" are a sentence or two lines in one
_TITLE_SHARE: Final = 0.6  # of the words of a long title begin with a capital or a digit
_MAX_BARE_WORDS: Final = 3  # before "Exclusions", "Inclusion" without "criteria"
_MAX_HEADER: Final = 180  # the longest header of 11,224 texts has 104 characters; the account refuses more than 200
_MAX_TAIL: Final = 120
_MAX_SCOPE_BODY: Final = 80


def read_header(text: str, *, bulleted: bool, fresh: bool) -> Header | None:
    """Return the header that a line starts with.

    Args:
        text: The line without bullet or number.
        bulleted: It had one: then only a plain header counts, for sentences in lists talk about criteria.
        fresh: It cannot be the rest of a wrapped sentence.
    """
    start = _LEADING.match(text).end()  # type: ignore[union-attr]  # matches the empty string
    foreign = read_foreign(text, start)
    if foreign:
        return Header(None, foreign.end, language=foreign.language, label=foreign.label)
    core = _CORE.search(text, start)
    if core is None or not (fresh or text[start].isupper()):
        return None
    has_criteria = bool(core["criteria"] or core["first_criteria"] or core["inverted"])
    prefix = text[start : core.start()].strip(" *_")
    if not _prefix_is_sound(prefix, core, bulleted=bulleted, has_criteria=has_criteria):
        return None
    end = _end_of_header(text, core.end(), bulleted=bulleted, has_criteria=has_criteria, prefix=prefix)
    if end is None:
        return None
    length, tail = end
    if length - start > _MAX_HEADER:
        return None
    first, second = core["first"] or core["inverted"], core["second"] or core["inverted_second"]
    polarity = _is_exclusion(first)
    if second and _is_exclusion(second) != polarity:
        titled = text[core.end() :].strip(" *_")[:1] in {":", "："} or all(word.lower() in GENERIC for word in prefix.split())
        return Header(None, length) if titled else None  # "Other protocol related inclusion/exclusion criteria" only mentions them
    return Header(polarity, length, scope=_scope(prefix, tail))


def _is_exclusion(word: str) -> bool:
    plain = word.lower()
    return plain.startswith("ex") or plain.startswith("non")


def _prefix_is_sound(prefix: str, core: re.Match[str], *, bulleted: bool, has_criteria: bool) -> bool:
    words = prefix.replace(":", " ").split()
    if any(word.lower().strip("(),.") in SENTENCE for word in words) or _STOP.search(prefix) or prefix.count(":") > 1:
        return False
    if not has_criteria:
        first = core["first"].lower()
        return (
            len(words) <= (0 if bulleted else _MAX_BARE_WORDS)
            and first.removeprefix("non-").endswith(("sion", "sions", "ded"))
            and ":" not in prefix
        )
    if bulleted:
        return len(words) <= _MAX_LISTED_WORDS
    titled = sum(not word[0].islower() for word in words) >= len(words) * _TITLE_SHARE
    return len(words) <= (_MAX_PREFIX_WORDS if titled else _MAX_LISTED_WORDS)


def _end_of_header(text: str, end: int, *, bulleted: bool, has_criteria: bool, prefix: str) -> tuple[int, str] | None:
    """Return where the header ends (its colon included) and its words after "criteria", or ``None``: it is no header."""
    rest = text[end:]
    if not rest.strip(" *_\"”'=.–—-"):
        if rest.strip(" *_").startswith(".") and not text.lstrip(" *_")[:1].isupper():
            return None
        bare_in_list = bulleted and bool(prefix)
        return None if bare_in_list or (not has_criteria and not text.strip()[0].isupper()) else (len(text), "")
    colon = _COLON.match(rest)
    if colon:
        return _with_scope_body(text, end + colon.end())
    if not has_criteria:
        return None
    stop = _FULL_STOP.match(rest)
    if stop and not bulleted and all(word.lower() in GENERIC for word in prefix.split()):
        return end + stop.end(), ""
    numbered = _NUMBERED.match(rest)
    if numbered and not prefix:
        return end + numbered.end(), ""
    return _with_tail(text, end, bulleted=bulleted, prefix=prefix)


def _with_tail(text: str, end: int, *, bulleted: bool, prefix: str) -> tuple[int, str] | None:
    rest = text[end:]
    found = _COLON.search(rest)
    closes = found is not None and found.end() == len(rest) and not bulleted  # "Exclusion criteria assessed at visit 1:"
    if not _TAIL_START.match(rest) and not closes:
        return None
    opened = re.match(r"\s*[(\[]", rest)
    if opened and not re.search(r"[)\]]", rest):  # a bracket that goes on in the next line: the header ends before it
        return (end, "") if not prefix and not bulleted else None
    tail = rest[: found.start()] if found else rest
    stop = None if found else _FULL_STOP.search(tail) or _THRESHOLD.search(tail)
    bare = _BRACKETS.sub(" ", tail[: stop.start()] if stop else tail)
    words = [word.lower().strip("(),.") for word in _without_closing(bare).split()]
    if len(bare) > _MAX_TAIL or any(word in SENTENCE_TAIL for word in words):
        return None
    if stop:  # "Inclusion Criteria for nurses. 18 years or older": the header ends with its sentence
        return None if bulleted else (end + stop.start(), tail[: stop.start()].strip())
    if found:
        return _with_scope_body(text, end + found.end(), tail.strip())
    if (
        bulleted
        or tail.lstrip()[0] in ",/"
        or "protocol" in words
        or tail.rstrip().endswith((".", ";", ","))
        or not text.lstrip(" *_")[0].isupper()
    ):
        return None
    return len(text), tail.strip()


def _without_closing(tail: str) -> str:
    for _ in range(_MAX_CLOSING):
        tail = _CLOSING.sub("", tail).strip(" :-–,")
    return tail


def _with_scope_body(text: str, end: int, tail: str = "") -> tuple[int, str]:
    """Take the words after the colon into the header only where they name a part of the study: "Inclusion Criteria: Cohort 2"."""
    body = text[end:].strip()
    plain = body.rstrip(":：-– ").strip("*_ ")
    names_people = is_population(plain) and plain != body
    if body and len(body) <= _MAX_SCOPE_BODY and "." not in plain and (names_people or names_part_of_study(plain)):
        return len(text), f"{tail} {plain}".strip()
    return end, tail


def _scope(prefix: str, tail: str) -> str | None:
    """Return what a header's words around "inclusion criteria" limit it to, without words that every header uses."""
    before = prefix.strip(" :-–,(")
    if all(word.lower().strip("(),:") in GENERIC for word in before.split()):
        before = ""
    before = re.sub(rf"^(?:(?:{EDGE_WORDS})\s+)+|(?:\s+(?:{EDGE_WORDS}))+$", "", before, flags=re.IGNORECASE)
    after = _without_closing(tail.strip(" :-–,"))
    bracketed = re.fullmatch(r"[(\[](.*)[)\]]", after)
    after = bracketed.group(1).strip() if bracketed else after
    after = re.sub(r"^(?:for|of|in|at|by|to)\s+", "", after, flags=re.IGNORECASE)
    words = [word.lower().strip("(),.:") for word in after.split()]
    if any(word in SENTENCE_TAIL for word in words) or all(word in EVERYBODY for word in words):
        after = ""
    return " ".join(filter(None, (before, after))) or None
