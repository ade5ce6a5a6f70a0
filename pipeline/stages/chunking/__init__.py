"""Cuts de-identified documents into citable chunks, and accounts for every character. In: ``DeidentifiedDocument``. Out: ``ChunkedDocument``."""

from pipeline.stages.chunking.document import DOCUMENT_CHUNKER_VERSION, DocumentChunker
from pipeline.stages.chunking.trial import CHUNKER_VERSION, Chunker

__all__ = ["CHUNKER_VERSION", "DOCUMENT_CHUNKER_VERSION", "Chunker", "DocumentChunker"]
