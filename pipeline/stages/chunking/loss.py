"""Proves where every character of a document went, from the raw text and the finished chunks alone.

Nothing is taken on trust: a claim counts only where the chunk's text really holds the characters, and a declared drop only where
the characters look like what they are said to be. What is neither is *unexplained*.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from pipeline.domain.chunks import Chunk, Drop, Loss, Span
from pipeline.domain.documents import FURNITURE_PART, DeidentifiedPart
from pipeline.domain.vocabulary import DropReason

_UNEXPLAINED, _CHUNKED, _DROPPED, _REDACTED = range(4)
_RUN_NOT_DROPPED: Final = re.compile(rb"[^\x02]+")


@dataclass(frozen=True, slots=True)
class Claim:
    """Says that the raw characters of ``span`` stand in a chunk's text: as its own text, or as context of a parent."""

    part: str
    span: Span
    chunk: int  # index of the chunk
    text: str = field(repr=False)  # the stretch of the chunk's text that holds them


# What a drop may look like. Long or wordy stretches cannot hide behind a reason.
_SHAPES: Final[dict[DropReason, re.Pattern[str]]] = {
    DropReason.BLANK: re.compile(r"[\s\x00-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028\u2029\u2060\ufeff]*"),
    DropReason.BULLET: re.compile(
        r"[\s\\(\[（]*(?:[^\w\s]{1,3}|[①-⑳]|o|\d{1,3}(?:[.．]\d{1,3}){0,4}|[A-Za-z]|[ivxIVX]{1,6})[\s\\.)\]:）、．]*"
    ),
    DropReason.MARKUP: re.compile(r"[^\w\s<>≤≥=±]{1,12}\w{0,20}|\]\((?:https?|mailto):[^()\s]{1,500}\)|__"),
    DropReason.HEADER: re.compile(
        r"(?=.{0,200}(?:inclu|exclu|einschlu|ausschlu|crit[eéè]r|[标標][准準]|基準|기준))(?:(?!(?<=[a-z)][a-z)])[.;]\s+\w+\s+\w)[\s\S]){1,200}",
        re.IGNORECASE | re.DOTALL,
    ),
    DropReason.GROUPING_LABEL: re.compile(r"[\s\S]{1,120}"),
    DropReason.PLACEHOLDER: re.compile(r"[\W_]+|[\s\S]{1,40}"),
    DropReason.DOT_LEADER: re.compile(r"[.…][.… \t]*"),
}
_ENTITY: Final = re.compile(r"&(?:\#\w{1,8}|[A-Za-z]{2,31});")
_UNSEEN: Final = re.compile(
    r"(?:[\s\x00-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028\u2029\u2060\ufeff]"
    r"|\\?&(?:nbsp|NonBreakingSpace|ensp|emsp|thinsp|NewLine|Tab|\#x0*(?:a0|a|d|9|20)|\#0*(?:160|10|13|9|32));)+",
    re.IGNORECASE,
)
# Word's Symbol font sends these; a reader sees the sign (Adobe Symbol encoding, moved to U+F000).
_SYMBOL_FONT: Final = {0xF0A3: "≤", 0xF0B3: "≥", 0xF0B1: "±", 0xF06D: "µ", 0xF0B0: "°", 0xF0B4: "×", 0xF03C: "<", 0xF03E: ">"}
_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")


def account(parts: Sequence[DeidentifiedPart], chunks: Sequence[Chunk], drops: Iterable[Drop], claims: Iterable[Claim]) -> Loss:
    """Class every character of every part; the sums close by construction, ``unexplained`` is what nothing accounts for."""
    drops_of: dict[str, list[Drop]] = {}
    claims_of: dict[str, list[Claim]] = {}
    for drop in drops:
        drops_of.setdefault(drop.part, []).append(drop)
    for claim in claims:
        claims_of.setdefault(claim.part, []).append(claim)
    totals: Counter[int] = Counter()
    by_reason: Counter[DropReason] = Counter()
    texts = {_squeezed(_own_text(chunk)) for chunk in chunks}
    for part in parts:
        state = bytearray(len(part.text))
        reasons = _mark_drops(part, state, drops_of.get(part.name, []), texts)
        for claim in claims_of.get(part.name, []):
            if claim.text in chunks[claim.chunk].text:
                _mark_claim(part.text, state, claim)
        _mark_blanks(part.text, state, reasons)
        for redaction in part.redactions:
            state[redaction.start : redaction.end] = bytes([_REDACTED]) * (redaction.end - redaction.start)
        totals.update(state)
        for start, end, reason in reasons:
            by_reason[reason] += state.count(_DROPPED, start, end)
    return Loss(
        characters=sum(totals.values()),
        chunked=totals[_CHUNKED],
        dropped=totals[_DROPPED],
        redacted=totals[_REDACTED],
        unexplained=totals[_UNEXPLAINED],
        by_reason={reason: by_reason[reason] for reason in DropReason if by_reason[reason]},
    )


def _own_text(chunk: Chunk) -> str:
    prefix = "".join(f"{parent}: " for parent in chunk.context)
    return chunk.text.removeprefix(prefix)


def _squeezed(text: str) -> str:
    """Return what two texts have in common that say the same: case, blanks and the sign at the end do not matter."""
    return "".join(_UNSEEN.sub("", text).casefold().rstrip(".;,"))


def _mark_drops(part: DeidentifiedPart, state: bytearray, drops: list[Drop], texts: set[str]) -> list[tuple[int, int, DropReason]]:
    """Mark drops that look like what they claim to be; return their ranges, no character twice."""
    raw = part.text
    reasons: list[tuple[int, int, DropReason]] = []
    for drop in sorted(drops, key=lambda drop: (drop.reason is DropReason.REPEAT, drop.span)):  # repeats last: marks inside them are known
        start, end = drop.span.start, drop.span.end
        if drop.reason is DropReason.REPEAT:
            sound = _squeezed(_fold("".join(raw[index] for index in range(start, end) if state[index] != _DROPPED))) in texts
        elif drop.reason is DropReason.FURNITURE:  # whatever it looks like: the reader put it apart, and de-identification saw it
            sound = part.name == FURNITURE_PART
        else:
            sound = _SHAPES[drop.reason].fullmatch(_fold(raw[start:end])) is not None
        if not sound:
            continue
        for run_start, run_end in _free_runs(state, start, end):
            state[run_start:run_end] = bytes([_DROPPED]) * (run_end - run_start)
            reasons.append((run_start, run_end, drop.reason))
    return reasons


def _free_runs(state: bytearray, start: int, end: int) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    while start < end:
        first = state.find(_UNEXPLAINED, start, end)
        if first < 0:
            break
        last = state.find(_DROPPED, first, end)
        last = end if last < 0 else last
        runs.append((first, last))
        start = last
    return runs


def _mark_claim(raw: str, state: bytearray, claim: Claim) -> None:
    """Mark the characters of the claim's span that its text holds in the same order, drops and blanks apart."""
    start, end = claim.span.start, claim.span.end
    runs = _not_dropped(state, start, end)
    source = "".join(raw[run_start:run_end] for run_start, run_end in runs)
    own_text = _squeezed_exact(claim.text)
    if own_text in (_squeezed_exact(_fold(source)), _squeezed_exact(source)):
        for run_start, run_end in runs:
            state[run_start:run_end] = bytes([_CHUNKED]) * (run_end - run_start)
        return
    own = iter(own_text)
    expected = next(own, None)
    for index in (index for run in runs for index in range(*run)):
        char = _fold(raw[index])
        if char == expected:
            state[index] = _CHUNKED
            expected = next(own, None)


def _mark_blanks(raw: str, state: bytearray, reasons: list[tuple[int, int, DropReason]]) -> None:
    """Class blanks: inside a chunk the first of a run stands for the blank in its text, all others are dropped."""
    for match in _UNSEEN.finditer(raw):
        start, end = match.span()
        if state[start] == _CHUNKED:
            start += 1
        for run_start, run_end in _not_dropped(state, start, end):
            state[run_start:run_end] = bytes([_DROPPED]) * (run_end - run_start)
            reasons.append((run_start, run_end, DropReason.BLANK))


def _not_dropped(state: bytearray, start: int, end: int) -> list[tuple[int, int]]:
    return [match.span() for match in _RUN_NOT_DROPPED.finditer(state, start, end)]


def _squeezed_exact(text: str) -> str:
    return _UNSEEN.sub("", text)


def _entity(match: re.Match[str]) -> str:
    replacement = html.unescape(match.group())
    return replacement if len(replacement) == 1 else match.group()


def _fold(text: str) -> str:
    folded = _ENTITY.sub(_entity, text) if "&" in text else text
    return _SURROGATE.sub("\ufffd", folded).translate(_SYMBOL_FONT)
