"""Invented notes of many kinds, with every identifier marked: what is covered by class, and which clinical words are lost."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import pytest

from pipeline.stages.deidentify import Scrubber, policy_for
from pipeline.stages.deidentify.plain import plain

NOTES: Final = Path(__file__).with_name("notes") / "own_notes.jsonl"
# What names a place, an organisation or a time; every other class names a person or a person's thing.
INDIRECT: Final = frozenset({"ADDRESS", "ZIP", "FACILITY", "ORGANISATION", "DATE", "AGE"})
# Shares of letters and digits covered that the recognisers reach today; raise them when the recognisers get better, never lower them.
LEAST: Final = MappingProxyType({"NAME": 0.98, "DATE": 0.98, "FACILITY": 0.81, "ORGANISATION": 0.79, "ADDRESS": 0.78, "ZIP": 0.92})
LEAST_OF_NUMBERS: Final = 1.0  # of every other class
LEAST_DIRECT: Final = 0.99
MOST_LOST: Final = 7  # of 428 clinical words


@pytest.fixture(scope="module")
def notes() -> list[dict[str, Any]]:
    """The notes: id, text, spans (half-open, with their class) and clinical words to keep."""
    return [json.loads(line) for line in NOTES.read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def covered(notes: list[dict[str, Any]]) -> list[set[int]]:
    """The characters that are replaced, note by note."""
    scrubber, policy = Scrubber(), policy_for("note", "documents")
    places = (scrubber.find_all([plain(note["text"])], policy)[0] for note in notes)
    return [{at for each in found for at in range(each.start, each.end)} for found in places]


def test_identifiers_are_covered_by_class(notes: list[dict[str, Any]], covered: list[set[int]]) -> None:
    total: Counter[str] = Counter()
    hit: Counter[str] = Counter()
    for note, characters in zip(notes, covered, strict=True):
        for span in note["spans"]:
            inside = {at for at in range(span["start"], span["end"]) if note["text"][at].isalnum()}
            total[span["category"]] += len(inside)
            hit[span["category"]] += len(inside & characters)
    too_low = {kind: hit[kind] / total[kind] for kind in total if hit[kind] / total[kind] < LEAST.get(kind, LEAST_OF_NUMBERS)}
    assert too_low == {}
    direct = [kind for kind in total if kind not in INDIRECT]
    assert sum(hit[kind] for kind in direct) / sum(total[kind] for kind in direct) >= LEAST_DIRECT


def test_clinical_words_survive(notes: list[dict[str, Any]], covered: list[set[int]]) -> None:
    lost = [
        (note["id"], word)
        for note, characters in zip(notes, covered, strict=True)
        for word in note["keep"]
        if not _is_kept(note["text"], word, characters)
    ]
    assert len(lost) <= MOST_LOST, lost


def test_spans_are_apart_and_no_word_to_keep_is_one(notes: list[dict[str, Any]]) -> None:
    for note in notes:
        ends = [0]
        for span in sorted(note["spans"], key=lambda each: each["start"]):
            assert ends[-1] <= span["start"] < span["end"] <= len(note["text"])
            ends.append(span["end"])
        marked = {at for span in note["spans"] for at in range(span["start"], span["end"])}
        assert all(_is_kept(note["text"], word, marked) for word in note["keep"])


def _is_kept(text: str, word: str, removed: set[int]) -> bool:
    """Whether one place of ``word`` is wholly left: a term may be a part of a name elsewhere."""
    at = text.find(word)
    while at >= 0:
        if removed.isdisjoint(range(at, at + len(word))):
            return True
        at = text.find(word, at + 1)
    return False
