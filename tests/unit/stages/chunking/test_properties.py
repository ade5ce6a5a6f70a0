"""What holds for any text at all."""

from __future__ import annotations

import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline.stages.chunking import Chunker
from pipeline.testing.tokens import ApproximateTokens
from tests.unit.stages.chunking.conftest import document

BITS = st.sampled_from(
    [
        "Inclusion Criteria:",
        "Exclusion Criteria",
        "* ",
        "- ",
        "1. ",
        "2) ",
        "a. ",
        "(i) ",
        "\n",
        "\n\n",
        "  ",
        "    ",
        ":",
        "none",
        "N/A",
        "\\>",
        "\\*",
        "&lt;",
        "\\&gt;",
        "&nbsp;",
        "�",
        "\x00",
        "**",
        "COHORT A:",
        "Part 2 only: ",
        "the following:",
        "age > 18",
        "[x](http://a.example)",
        "•",
        "–",
        "_",
        "。",
        "\u200b",
        "\xa0",
        "\t",
        "\r\n",
        "`",
        "# ",
        "o ",
        "①",
        "\uf0b3",
        "&#61619;",
        "\\",
        "General:",
        "OR",
        " 1. x 2. y 3. z",
        "DISEASE CHARACTERISTICS:",
        "İ",
        "ß",
        "é",
        "Criterios de inclusión:",
        "Patients are excluded if any of the following:",
    ]
)
TEXTS = st.one_of(st.lists(st.one_of(BITS, st.text(max_size=8)), max_size=50).map("".join), st.text(st.characters()))
PARTS = st.sampled_from(["eligibility_criteria", "brief_summary", "title_conditions", "interventions[0]", "study_population"])
CHUNKERS = st.sampled_from(
    [
        Chunker(ApproximateTokens(24), parent_context_characters=20, prose_target_tokens=32),
        Chunker(ApproximateTokens(), parent_context_characters=160, prose_target_tokens=180),
    ]
)


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(PARTS, TEXTS, CHUNKERS)
def test_sums_close_nothing_is_unexplained_and_the_same_text_gives_the_same_chunks(name, text, chunker):
    trial = document((name, text))
    result = chunker.chunk(trial)
    loss = result.loss
    assert loss.characters == len(text) == loss.chunked + loss.dropped + loss.redacted + loss.unexplained
    assert loss.unexplained == 0
    assert sum(loss.by_reason.values()) == loss.dropped
    for chunk in result.chunks:
        assert chunk.token_count <= int(chunker.version.rpartition("=")[2])
        assert 0 <= chunk.span.start < chunk.span.end <= len(text)
        assert chunk.text.strip()
    assert len({(chunk.section, chunk.ordinal, chunk.piece) for chunk in result.chunks}) == len(result.chunks)
    assert chunker.chunk(trial) == result


@pytest.mark.parametrize(
    "text",
    [
        "*" * 60_000,
        "word, " * 10_000,
        "* gout\n" * 20_000,
        "1. a 2. b " * 6_000,
        "inclusion " * 6_000,
        "Part 1, " * 7_000,
        "[(" * 30_000,
        "e.g. " * 12_000,
        "&" * 60_000,
        "".join(f"{' ' * (2 * depth)}* level {depth}:\n" for depth in range(500)),
        "".join(f"{' ' * depth}{mark} x:\n" for depth in range(100) for mark in ("*", "1.", "a.", "i.")),
    ],
    ids=["stars", "one line", "bullets", "run on", "header words", "scope words", "brackets", "abbreviations", "entities", "deep", "mixed"],
)
def test_hostile_length_takes_seconds_and_no_recursion(text):
    chunker = Chunker(ApproximateTokens(), parent_context_characters=160, prose_target_tokens=180)
    started = time.process_time()
    result = chunker.chunk(document(("eligibility_criteria", text)))
    assert time.process_time() - started < 15  # 0.1 to 3 s measured; a quadratic rule takes minutes
    assert result.loss.unexplained == 0
