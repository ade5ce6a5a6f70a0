"""What holds for any document at all, whatever its text, sections and marks."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline.domain.documents import TEXT_PART, DeidentifiedDocument
from pipeline.domain.marks import Mark, MarkKind
from pipeline.domain.sections import SectionSpan
from pipeline.domain.vocabulary import DocumentKind, Section
from pipeline.stages.chunking.protected import doses
from pipeline.testing.tokens import ApproximateTokens
from tests.unit.stages.chunking.conftest import document_chunker, site_document

BITS = st.sampled_from(
    [
        "HPI:",
        "- ",
        "* ",
        "1. ",
        "\n",
        "\n\n",
        "  ",
        "\t",
        "K 4.1",
        "He has no fever. ",
        "denies any of the following:\n",
        "[NAME]",
        "&lt;",
        "&nbsp;",
        "**",
        "____",
        "|",
        "| a | b |\n",
        "|---|---|\n",
        "5 mg/kg IV q6h ",
        "≥",
        "\x0c",
        "\x00",
        "Dr. X ",
        "•",
        "# ",
        " ...... 4\n",
        "....",
        "\u200b",
        "\xa0",
        "\uf06d",
        "Table 3. Doses\n\n",
        "word " * 30,
        "x" * 230,
        "a, b, c, ",
        "İ",
        "。",
        "Label: value; ",
    ]
)
TEXTS = st.lists(st.one_of(BITS, st.text(max_size=6)), max_size=50).map("".join)
KINDS = st.sampled_from(list(DocumentKind))
MARKED = [
    MarkKind.TABLE,
    MarkKind.TABLE_ROW,
    MarkKind.TABLE_CELL,
    MarkKind.LIST_ITEM,
    MarkKind.HEADING,
    MarkKind.FIGURE,
    MarkKind.WORD,
    MarkKind.SUSPECT,
    MarkKind.PAGE,
]


class Cuts:
    """Sections at given places."""

    version = "cuts"

    def __init__(self, spans: tuple[SectionSpan, ...]) -> None:
        self._spans = spans

    def sections(self, document: DeidentifiedDocument) -> tuple[SectionSpan, ...]:
        return self._spans


@st.composite
def sectioned(draw: st.DrawFn) -> tuple[str, tuple[SectionSpan, ...], list[Mark]]:
    text = draw(TEXTS)
    places = st.integers(0, len(text))
    edges = sorted({0, len(text), *draw(st.lists(places, max_size=5))})
    spans = []
    for start, end in pairwise(edges):
        level = draw(st.integers(0, 4))
        path = tuple(draw(st.lists(st.text(max_size=20), min_size=level, max_size=level)))
        heading_end = draw(st.integers(start, end)) if level else start
        spans.append(
            SectionSpan(
                TEXT_PART, start, end, draw(st.sampled_from([Section.PLAN, Section.NOTE_TEXT, Section.DOSING])), heading_end, level, path
            )
        )
    marks = []
    for kind in draw(st.lists(st.sampled_from(MARKED), max_size=8)):
        start, end = sorted((draw(places), draw(places)))
        marks.append(Mark(start, end, kind, number=draw(st.integers(1, 3)), level=draw(st.integers(0, 1)), confidence=0.5))
    return text, tuple(spans), sorted(marks)


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(sectioned(), KINDS, st.sampled_from([24, 64, 256]), st.text(max_size=60))
def test_the_account_closes_and_the_same_document_gives_the_same_chunks(drawn, kind, window, title):
    text, spans, marks = drawn
    document = site_document(text, kind=kind, title=title, marks=marks, furniture="Page 1\n\x00 of 2")
    chunker = document_chunker(window=window, target=window * 2 // 3, characters=(120, 40, 180, 30), sectioner=Cuts(spans))
    done = chunker.chunk(document)
    loss = done.loss
    assert loss.unexplained == 0
    assert loss.characters == loss.chunked + loss.dropped + loss.redacted == sum(len(part.text) for part in document.parts)
    assert sum(loss.by_reason.values()) == loss.dropped
    tokens = ApproximateTokens(window)
    for chunk in done.chunks:
        assert 0 <= chunk.span.start < chunk.span.end <= len(text)
        assert tokens.count(chunk.embed_text) == chunk.token_count <= window
        assert chunk.text.strip()
        assert chunk.embed_text.endswith(chunk.text)
        assert 0 <= chunk.confidence <= 1
        assert all(chunk.span.start <= one.start < one.end <= chunk.span.end for one in chunk.suspects)
        assert chunk.page is None or chunk.page_to is not None
    assert len({(chunk.section, chunk.ordinal) for chunk in done.chunks}) == len(done.chunks)
    assert chunker.chunk(document) == done


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["He rests. ", "Give 5 mg/kg IV q6h. ", "\n- take 0.25 mg PO b.i.d. with food. Then rest.\n", "\n\n", "It is dry, "]
        ),
        max_size=40,
    )
)
def test_no_dose_and_no_list_item_is_cut(bits: list[str]):
    text = "".join(bits)
    done = document_chunker(window=64, target=40).chunk(site_document(text, title=""))
    edges = {edge for chunk in done.chunks for edge in (chunk.span.start, chunk.span.end)}
    assert not [span for span in doses(text, 0, len(text)) if any(span[0] < edge < span[1] for edge in edges)]
    items = [line for chunk in done.chunks for line in chunk.text.splitlines() if line.startswith("-")]
    assert set(items) <= {"- take 0.25 mg PO b.i.d. with food. Then rest."}
    assert len(items) == text.count("\n- ")


HOSTILE = {
    "one line": "word, " * 10_000,
    "one word": "x" * 12_500,
    "dots": "." * 12_500,
    "dots and blanks": ". " * 25_000,
    "bars": "|" * 12_500,
    "negations": "no " * 15_000,
    "doses": "5 mg " * 10_000,
    "bullets": "* a\n" * 12_500,
    "lead-ins": "any of the following:\n- a\n" * 2_000,
    "blank lines": "\n" * 50_000 + "x",
    "digits": "1" * 12_500,
    "ellipses": "... " * 12_500,
    "headings": "# Plan\nRest.\n" * 5_000,
}


@pytest.mark.parametrize("kind", [DocumentKind.NOTE, DocumentKind.PROTOCOL])
@pytest.mark.parametrize("name", list(HOSTILE))
def test_hostile_length_needs_no_recursion_and_loses_nothing(name: str, kind: DocumentKind):
    done = document_chunker().chunk(site_document(HOSTILE[name], kind=kind))
    assert done.loss.unexplained == 0
    assert all(chunk.token_count <= 256 for chunk in done.chunks)
