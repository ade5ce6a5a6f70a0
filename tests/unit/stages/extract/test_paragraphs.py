import pytest

from pipeline.stages.extract.content import Box, Line, Word
from pipeline.stages.extract.paragraphs import join_lines

NOWHERE = Box(0, 0, 0, 0)


def lines(*texts: str) -> list[Line]:
    return [Line(tuple(Word(word, NOWHERE) for word in text.split()), NOWHERE) for text in texts]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("after treat-", "ment ended", "after treatment ended"),
        ("after treat\ufffe", "ment ended", "after treatment ended"),
        ("after treat\u00ad", "ment ended", "after treatment ended"),
        ("a dose-limit\u2010", "ing event", "a dose-limiting event"),
        ("THE TREAT-", "MENT ARM", "THE TREATMENT ARM"),
        ("of carbo-", "platin weekly", "of carboplatin weekly"),
        ("(discon-", "tinuations), then", "(discontinuations), then"),
        ("the xylo-", "quantib arm", "the xyloquantib arm"),
    ],
)
def test_joins_a_word_that_was_broken(first: str, second: str, expected: str) -> None:
    joined = join_lines(lines(first, second))
    assert joined.text == expected
    assert joined.dropped == 1


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("a Gd\ufffe", "enhancing lesion", "a Gd-enhancing lesion"),
        ("at non-", "US sites", "at non-US sites"),
        ("the End-of-", "Study visit", "the End-of-Study visit"),
        ("the end-of-", "study visit", "the end-of-study visit"),
        ("in the dose-", "escalation part", "in the dose-escalation part"),
        ("give 10-", "20 mg", "give 10-20 mg"),
        ("give 10\u2013", "20 mg", "give 10\u201320 mg"),
        ("pre- and", "post-dose", "pre- and post-dose"),
        ("both pre-", "and post-dose", "both pre- and post-dose"),
        ("an HLA-", "matched donor", "an HLA-matched donor"),
        ("blood pressure -", "sitting", "blood pressure - sitting"),
        ("in mg/", "kg daily", "in mg/kg daily"),
        ("see https://example.org/", "for more", "see https://example.org/ for more"),
        ("one line", "another line", "one line another line"),
        ("with p-", "values below", "with p-values below"),
        ("an aid-in-", "dying law", "an aid-in-dying law"),
        ("anti-TNF-", "alpha drugs", "anti-TNF-alpha drugs"),
        ("受试者每日", "服药一次", "受试者每日服药一次"),
        ("受试者 10", "例 done", "受试者 10 例 done"),
        ("grade 3-", "(see below)", "grade 3- (see below)"),
    ],
)
def test_keeps_what_was_written(first: str, second: str, expected: str) -> None:
    joined = join_lines(lines(first, second))
    assert joined.text == expected
    assert joined.dropped == 0


def test_every_word_has_its_place_in_the_text() -> None:
    joined = join_lines(lines("Stop the treat-", "ment when the non-", "US label says so."))
    pieces = [joined.text[start:end] for start, end in joined.word_spans]
    assert pieces == ["Stop", "the", "treat", "ment", "when", "the", "non-", "US", "label", "says", "so."]


def test_nothing_but_dropped_hyphens_is_lost() -> None:
    source = lines("Alpha treat-", "", "ment 5-", "10 mg/", "kg pre-", "and post-")
    joined = join_lines(source)
    signs = sum(len(word.text) for line in source for word in line.words)
    assert len(joined.text.replace(" ", "")) + joined.dropped == signs


def test_no_lines_are_no_text() -> None:
    assert join_lines([]).text == ""
    assert join_lines(lines("")).word_spans == ()
