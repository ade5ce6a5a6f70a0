"""A de-identified note or report comes in; runs of whole sentences and the account of every character go out.

One section until sections are told apart. The text is taken as it is: undoing escapes or entities after de-identification could make an
identifier readable that nobody has seen.
"""

from __future__ import annotations

from typing import Final

from pipeline.domain.chunks import ChunkedDocument
from pipeline.domain.documents import DeidentifiedDocument
from pipeline.domain.ports import TokenCounter
from pipeline.domain.vocabulary import ParseOutcome, Section
from pipeline.stages.chunking.draft import Drafts
from pipeline.stages.chunking.finish import finish
from pipeline.stages.chunking.markup import unfolded
from pipeline.stages.chunking.prose import read_prose_part

# 1: first version: prose packing, no sections.
NOTE_CHUNKER_VERSION: Final = "note-1"


class NoteChunker:
    """Cuts notes and reports into citable chunks: pure and deterministic, the same document gives the same chunks.

    Args:
        tokens: Counts as the embedding model counts; no chunk's ``embed_text`` exceeds its window.
        prose_target_tokens: Sentences are packed to at most this many tokens.
    """

    def __init__(self, tokens: TokenCounter, *, prose_target_tokens: int) -> None:
        self._tokens = tokens
        self._target = prose_target_tokens

    @property
    def version(self) -> str:
        """Version and parameters, for the recipe."""
        return f"{NOTE_CHUNKER_VERSION};prose={self._target};window={self._tokens.window}"

    def chunk(self, document: DeidentifiedDocument) -> ChunkedDocument:
        """Return the chunks of ``document`` in order, and where every character went."""
        read = Drafts()
        ordinal = 1
        for part in document.parts:
            drafts = read_prose_part(
                part.name,
                unfolded(part.text),
                self._tokens,
                section=Section.NOTE_TEXT,
                first_ordinal=ordinal,
                target_tokens=self._target,
            )
            ordinal += len(drafts.drafts)
            read.drafts += drafts.drafts
            read.drops += drafts.drops
            read.carried += drafts.carried
        chunks, drops, loss = finish(document.parts, read, self._tokens)
        return ChunkedDocument(chunks, drops, loss, ParseOutcome.NOT_A_TRIAL)
