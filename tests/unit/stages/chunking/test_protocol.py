"""Protocols and their like: characters between a minimum and a maximum, headings and paragraphs first."""

from __future__ import annotations

from itertools import pairwise

import pytest

from pipeline.domain.chunks import Chunk
from pipeline.domain.vocabulary import PUBLIC_KINDS, DocumentKind
from tests.unit.stages.chunking.conftest import document_chunker, site_document

SIZES = (300, 100, 450, 60)


def chunks(
    text: str, *, kind: DocumentKind = DocumentKind.PROTOCOL, window: int = 256, sizes: tuple[int, int, int, int] = SIZES
) -> tuple[Chunk, ...]:
    done = document_chunker(window=window, characters=sizes).chunk(site_document(text, kind=kind, title="Study of gout"))
    assert done.loss.unexplained == 0
    assert all(one.token_count <= window for one in done.chunks)
    return done.chunks


def paragraph(name: str, sentences: int) -> str:
    return " ".join(f"Sentence {number} of {name} is about the visit of a patient." for number in range(sentences))


def test_sizes_keep_to_their_bounds():
    done = chunks("\n\n".join(paragraph(f"p{number}", 4) for number in range(12)))
    assert all(SIZES[1] <= len(one.text) <= SIZES[2] for one in done)


def test_paragraphs_are_the_best_places_to_cut():
    done = chunks("\n\n".join(paragraph(f"p{number}", 5) for number in range(6)), sizes=(300, 100, 450, 0))
    assert [one.text.count("\n\n") for one in done] == [0] * 6


def test_whole_sentences_are_repeated():
    done = chunks(paragraph("one", 40))
    for before, after in pairwise(done):
        repeated = after.text[: before.span.end - after.span.start]
        assert repeated
        assert before.text.endswith(repeated)
        assert repeated.startswith("Sentence")
        assert len(repeated) <= 2 * SIZES[3]


def test_a_sentence_much_longer_than_the_overlap_is_not_repeated():
    long = "This one sentence goes on about the visit of a patient " * 4
    done = chunks("\n\n".join(f"{long.strip()} {number}." for number in range(6)))
    assert all(before.span.end <= after.span.start for before, after in pairwise(done))


def test_the_window_binds_before_the_characters():
    done = chunks(paragraph("one", 60), window=64, sizes=(1200, 400, 1800, 150))
    assert max(len(one.text) for one in done) < 400


def test_an_over_long_unit_is_cut_below_the_maximum():
    done = chunks("x" * 3000 + " " + "word " * 400)
    assert max(len(one.text) for one in done) <= SIZES[2]


def test_a_short_chapter_is_not_joined_over_its_heading():
    done = chunks(f"# Purpose\nShort.\n## Policy\nAlso short.\n# Dosing\n{paragraph('dosing', 3)}")
    assert [one.headings[-1] for one in done] == ["Purpose", "Policy", "Dosing"]


def test_short_siblings_below_the_chapters_share_a_chunk_with_their_headings():
    text = "# Dosing\n## Adult\n### A\nGive one.\n### B\nGive two.\n### C\nGive three."
    (only,) = chunks(text)
    assert only.text == text
    assert only.headings == ("Dosing", "Adult")


def test_the_path_is_embedded_where_the_headings_do_not_stand():
    done = chunks(f"# Dosing\n## Adult\n{paragraph('adults', 30)}")
    assert done[0].headings == ("Dosing", "Adult")
    assert done[-1].embed_text == f"Study of gout: Dosing: Adult: {done[-1].text}"


@pytest.mark.parametrize("kind", PUBLIC_KINDS)
def test_every_public_kind_is_cut_by_characters(kind: DocumentKind):
    assert max(len(one.text) for one in chunks(paragraph("one", 60), kind=kind)) <= SIZES[2]
