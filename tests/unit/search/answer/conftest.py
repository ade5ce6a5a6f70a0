"""Passages made by hand, and hits of two protocols that a question on epinephrine finds."""

from __future__ import annotations

from pipeline.domain.identifiers import text_hash
from pipeline.search.answer.evidence import Passage
from pipeline.search.answer.model import Cite


def passage(
    number: int,
    text: str,
    *,
    about: str = "Anaphylaxis",
    document: str = "",
    kind: str = "ems_protocol",
    is_open: bool = True,
    is_exclusion: bool = False,
) -> Passage:
    cite = Cite(token=f"c1.{number}", citation=f"protocol {number}", document_id=document or f"d{number}", text_hash=text_hash(text))
    return Passage(number, cite, text, about, kind, is_open, is_exclusion)
