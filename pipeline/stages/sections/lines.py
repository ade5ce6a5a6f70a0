"""Headings at the start of a line: on a line of their own, or with text after them. For texts and stretches without typography."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from pipeline.domain.vocabulary import Section
from pipeline.stages.sections.book import HeadingBook
from pipeline.stages.sections.candidates import Candidate, Form
from pipeline.stages.sections.wording import LONGEST_HEADING, NO_NUMBER, Number, is_capitals, is_title, number_of, plain, printed

_START = re.compile(r"[ \t]{0,40}(?P<hashes>#{1,6}[ \t]{1,4})?(?P<emphasis>\*{1,3}|_{2,3})?")
_BULLET = re.compile(r"[ \t]{0,40}(?:[•·▪◦‣●○■□o–—-]|\*(?!\*))[ \t]")
_SPACED = re.compile(r"(?:[A-Z&/][ \t]{1,3}){3,40}[A-Z](?=\s{0,3}:|\s{0,3}$|\s{2})")
_CONTENTS_ENTRY = re.compile(r"(?:\.[ \t]?){3,}[ \t]*\d{0,4}[ \t]*$|[ \t…]{3,}\d{1,4}[ \t]*$")
_SENTENCE_END = re.compile(r"[.!?:;\])][\"'”*_]{0,3}[ \t]*$")
_COMMA_INSIDE = re.compile(r",\S")  # a lost line break: what stands before it is another heading
_WORD = re.compile(r"\S+")
_NOTHING_KNOWN: Final = frozenset(("NKDA", "NKA", "NONE", "NONE.", "NKDA.", "N/A", "NEGATIVE", "NEGATIVE."))
#: "FINDINGS OF THE PANEL", "HISTORY AND PHYSICAL": the words before are no heading of their own.
_GOES_ON: Final = frozenset(
    word
    for small in [
        "of",
        "and",
        "for",
        "with",
        "in",
        "to",
        "at",
        "on",
        "from",
        "or",
        "by",
        "per",
        "as",
        "is",
        "was",
        "were",
        "are",
        "has",
        "have",
        "will",
        "may",
        "section",
    ]
    for word in (small, small.upper())
) | {"THE"}
_MOST_WORDS: Final = 10
#: Lines of running text are longer, but for the last of a paragraph.
_SHORT_LINE: Final = 60
_MOST_WORDS_UNKNOWN: Final = 8
_LEAST_LETTERS_UNKNOWN: Final = 5
_LEAST_LETTERS_BEFORE_SMALL: Final = 7  # "INDICATION chest pain", but "MRI lumbar spine"
_LEAST_LETTERS_WITHOUT_COLON: Final = 3  # CC, PE stand also in running text; HPI hardly


@dataclass(frozen=True, slots=True)
class _Line:
    """A line without its indentation, hashes, emphasis and number. Offsets are the text's."""

    start: int
    body_start: int
    body: str = field(repr=False)  # cut
    end: int
    number: Number
    hashes: int
    emphasis: bool
    after_blank: bool
    after_sentence: bool
    after_short: bool


def line_headings(text: str, book: HeadingBook, *, shouting: bool) -> Iterator[Candidate]:
    """Yield what may be a heading at the start of each line, in order. ``shouting``: the text is in capitals, so that they say nothing."""
    start, after_blank, after_sentence, after_short = 0, True, True, True
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        cut = text[start : min(end, start + 3 * LONGEST_HEADING)]
        if cut.strip():
            found = (
                None
                if _BULLET.match(cut)
                else _heading(_line(text, start, end, (after_blank, after_sentence, after_short), book), book, shouting)
            )
            if found is not None and not _CONTENTS_ENTRY.search(cut):
                yield found
            after_blank = False
            after_sentence = bool(_SENTENCE_END.search(text[max(start, end - 20) : end])) or found is not None
        else:
            after_blank = after_sentence = True
        after_short = end - start < _SHORT_LINE
        start = end + 1


def _line(text: str, start: int, end: int, after: tuple[bool, bool, bool], book: HeadingBook) -> _Line:
    opening = _START.match(text, start, end)
    body_start = opening.end() if opening else start
    body = text[body_start : min(end, body_start + LONGEST_HEADING + 1)]
    number = number_of(body)
    if number.length and book.whole(body.partition(":")[0]):
        number = NO_NUMBER  # "24 HOUR EVENTS"
    return _Line(
        start,
        body_start + number.length,
        body[number.length :],
        end,
        number,
        len((opening["hashes"] or "").strip()) if opening else 0,
        bool(opening and opening["emphasis"]),
        *after,
    )


def _heading(line: _Line, book: HeadingBook, shouting: bool) -> Candidate | None:
    if line.hashes:
        return _markdown(line, book)
    return (
        _letter_spaced(line, book)
        or _with_colon(line, book, shouting)
        or _without_colon(line, book, shouting)
        or _own_line(line, book, shouting)
    )


def _made(
    line: _Line,
    length: int,
    form: Form,
    section: Section | None,
    *,
    colon: bool = False,
    level: int = 0,
    is_label: bool = False,
    is_weak: bool = False,
) -> Candidate:
    """A candidate of the first ``length`` characters of the line's body, what parts it from the text included."""
    heading = line.body[:length].strip(" \t:*_–-")
    return Candidate(
        start=line.start,
        heading_end=line.body_start + length,
        form=form,
        section=section,
        text=heading,
        shown=printed(heading if not line.number.length else f"{_number_text(line)} {heading}"),
        capitals=is_capitals(heading),
        colon=colon,
        number=line.number,
        level=level,
        after_blank=line.after_blank,
        is_label=is_label,
        is_weak=is_weak,
    )


def _number_text(line: _Line) -> str:
    return ".".join(map(str, line.number.parts))


def _markdown(line: _Line, book: HeadingBook) -> Candidate | None:
    head, colon, tail = line.body.partition(":")
    if colon and tail.strip("*_ \t") and (section := book.whole(head)):
        return _made(line, len(line.body) - len(tail.lstrip("*_ \t")), Form.MARKDOWN, section, colon=True, level=line.hashes)
    if len(line.body) > LONGEST_HEADING:
        return None
    return _made(line, line.end - line.body_start, Form.MARKDOWN, book.contained(line.body), level=line.hashes)


def _letter_spaced(line: _Line, book: HeadingBook) -> Candidate | None:
    match = _SPACED.match(line.body)
    section = book.squeezed(match[0]) if match else None
    if match is None or section is None:
        return None
    rest = line.body[match.end() :]
    length = len(line.body) - len(rest.lstrip(": \t"))
    return _made(line, length, Form.SAME_LINE if rest.strip(": \t") else Form.OWN_LINE, section, colon=":" in rest[:4])


def _with_colon(line: _Line, book: HeadingBook, shouting: bool) -> Candidate | None:
    head, colon, tail = line.body.partition(":")
    if not colon or not head.strip() or len(head.split()) > _MOST_WORDS or tail.startswith("//") or _COMMA_INSIDE.search(head):
        return None
    own = not tail.strip("*_ \t") and line.end - line.body_start <= LONGEST_HEADING
    capitals = is_capitals(head)
    section = book.whole(head) or (book.damaged(head) if capitals or line.after_blank else None)
    is_label = section is None and book.is_inner(head)
    is_weak = section is None and not is_label and capitals and not shouting and book.is_clinical
    if is_weak and not book.is_label(head):
        section = book.contained(head)
    if (
        section is None
        and not is_label
        and not (capitals and not shouting and _may_be_unknown(head, tail, own=own) and not book.is_label(head))
    ):
        return None
    if section is not None and head.lstrip("*_ ")[:1].islower() and not line.after_sentence:
        return None  # a line of running text that happens to begin with the word
    length = line.end - line.body_start if own else len(line.body) - len(tail.lstrip("*_ \t"))
    return _made(
        line,
        length,
        Form.OWN_LINE if own else Form.SAME_LINE,
        section,
        colon=True,
        is_label=is_label,
        is_weak=is_weak and section is not None,
    )


def _may_be_unknown(head: str, tail: str, *, own: bool) -> bool:
    letters = sum(letter.isalpha() for letter in head)
    words = plain(head).split()
    if letters < _LEAST_LETTERS_UNKNOWN or not 1 <= len(words) <= _MOST_WORDS_UNKNOWN or head.rstrip()[-1:] in ".!?":
        return False
    return own or (len(words) > 1 and not tail.strip()[:1].isdigit())


def _own_line(line: _Line, book: HeadingBook, shouting: bool) -> Candidate | None:
    body = line.body.strip(" \t*_–-")
    words = body.split()
    if (
        line.end - line.body_start > LONGEST_HEADING
        or not words
        or len(words) > _MOST_WORDS
        or body[-1] in ".;,?!"
        or not body[0].isupper()
    ):
        return None
    section, capitals = book.whole(body), is_capitals(body)
    if section is None and capitals:
        section = book.damaged(body)
    if section is None and line.number.depth > 1 and (capitals or is_title(body)):
        section = book.contained(body)
    if len(plain(body)) < _LEAST_LETTERS_WITHOUT_COLON and not line.emphasis:
        return None
    known = section is not None and (capitals or line.after_sentence or line.after_short or line.number.depth > 0 or line.emphasis)
    unknown = section is None and not book.is_label(body) and _unknown_own_line(line, body, capitals and not shouting, book)
    return _made(line, line.end - line.body_start, Form.OWN_LINE, section) if known or unknown else None


def _unknown_own_line(line: _Line, body: str, capitals: bool, book: HeadingBook) -> bool:
    if not _may_be_unknown(body, "", own=True) or any(sign in body for sign in "[]=<>%;"):
        return False
    if line.number.depth > 1:
        return not book.is_clinical and (capitals or is_title(body))
    return capitals and (line.after_blank or line.number.depth > 0) and not any(letter.isdigit() for letter in body)


def _without_colon(line: _Line, book: HeadingBook, shouting: bool) -> Candidate | None:
    """``IMPRESSION Small left effusion.``: capitals that are a known heading, then text that is not in capitals."""
    if shouting or line.number.length:
        return None
    words: list[re.Match[str]] = []
    for word in _WORD.finditer(line.body[:LONGEST_HEADING]):
        if not (is_capitals(word[0]) or word[0] in "&/-"):
            break
        words.append(word)
    found = book.longest_start([word[0] for word in words[:_MOST_WORDS]]) if words else None
    if found is None:
        return None
    count, section = found
    end = words[count - 1].end()
    if len(plain(line.body[:end])) < _LEAST_LETTERS_WITHOUT_COLON or line.body[end - 1] in ".,;":
        return None
    after = line.body[end:].strip(" \t*_–-").split()
    if not after or after[0] in _GOES_ON or (after[0][0].islower() and not (line.after_sentence and end >= _LEAST_LETTERS_BEFORE_SMALL)):
        return None
    if is_capitals(line.body[end:]) and after[0] not in _NOTHING_KNOWN:
        return None  # another heading, longer than the one we know
    rest = line.body[end:]
    return _made(line, len(line.body) - len(rest.lstrip(" \t*_–-")), Form.SAME_LINE, section)
