"""Rows of documents and chunks that are about to go live: ids, counts, lengths and values of vocabularies, never text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pipeline.jobs.prepare import Prepared
from pipeline.stages.deidentify.placeholders import placeholder_spans
from pipeline.wiring import Services


def document_row(prepared: Prepared) -> dict[str, Any]:
    """Return the row of one document; it has the columns that are known before it is written."""
    document, loss = prepared.document, prepared.chunked.loss
    return {
        "row": str(document.document_id),
        "kind": str(document.kind),
        "source": document.source,
        "content_hash": document.content_hash,
        "title_length": len(document.title),
        "outcome": str(prepared.chunked.outcome),
        "chunks": len(prepared.chunked.chunks),
        "unexplained": loss.unexplained,
        "redacted_share": loss.redacted / loss.characters if loss.characters else 0.0,
    }


def chunk_rows(services: Services, prepared: Prepared) -> Iterator[dict[str, Any]]:
    """Yield the rows of its chunks. A row's name is ``section/ordinal/piece``: it has no point yet."""
    document = prepared.document
    window = services.window_of(document.kind)
    placeholders = tuple(services.policy(document.kind, document.source).placeholders.values())
    for chunk in prepared.chunked.chunks:
        yield {
            "row": f"{chunk.section}/{chunk.ordinal}/{chunk.piece}",
            "section": str(chunk.section),
            "element": str(chunk.element),
            "ordinal": chunk.ordinal,
            "pieces_after": chunk.pieces - chunk.piece,
            "token_count": chunk.token_count,
            "window_left": window - chunk.token_count,
            "span_length": chunk.span.end - chunk.span.start,
            "polarity_agrees": polarity_agrees(str(chunk.section), chunk.is_exclusion),
            "confidence": chunk.confidence,
            **measured(chunk.text, chunk.embed_text, placeholders),
        }


def measured(text: str, embed_text: str, placeholders: tuple[str, ...]) -> dict[str, Any]:
    """Return what a chunk's row says of its texts: a length in characters, and a share."""
    return {
        "text_length": min(len(text.strip()), len(embed_text.strip())),
        "placeholder_share": placeholder_share(text, placeholders),
    }


def polarity_agrees(section: str, is_exclusion: bool | None) -> int:
    """Return 0 where a section of criteria and a chunk's polarity contradict each other, else 1. A protocol's criteria state none."""
    contradicting = {"INCLUSION_CRITERION": True, "EXCLUSION_CRITERION": False}.get(section)
    return int(contradicting is None or is_exclusion is not contradicting)


def placeholder_share(text: str, placeholders: tuple[str, ...]) -> float:
    """Return which share of a text's characters are placeholders of de-identification."""
    return sum(end - start for start, end in placeholder_spans(text, placeholders)) / len(text) if text and placeholders else 0.0
