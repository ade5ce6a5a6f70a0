"""BM25 alone, dense alone and their reciprocal ranks on one text a study, cut at the model's window: what a simple program has."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import sparse  # type: ignore[import-untyped]

from pipeline.domain.ports import DenseEmbedder, SparseEncoder, TokenCounter

_RRF_K = 60
DEPTH = 1000  # studies of a run


def cut(text: str, tokens: TokenCounter) -> str:
    """Return the longest beginning of a text, in whole words, that the model reads."""
    words = text.split(" ")
    low, high = 1, len(words)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if tokens.count(" ".join(words[:middle])) <= tokens.window else (low, middle - 1)
    return " ".join(words[:low])


def embedded(texts: Sequence[str], embedder: DenseEmbedder, cache: Path) -> NDArray[np.float32]:
    """Return vectors of texts; they are kept in ``cache`` for the next run with the same texts and model."""
    key = hashlib.sha256("\x00".join([embedder.fingerprint, *texts]).encode()).hexdigest()[:16]
    file = cache / f"{key}.npy"
    if not file.exists():
        cache.mkdir(parents=True, exist_ok=True)
        np.save(file, embedder.embed_documents(texts))
    vectors: NDArray[np.float32] = np.load(file)
    return vectors


class WholeTexts:
    """Scores of whole texts."""

    def __init__(self, texts: Sequence[str], vectors: NDArray[np.float32], encoder: SparseEncoder) -> None:
        self._vectors, self._encoder = vectors, encoder
        encoded = encoder.encode_documents(texts)
        numbers = sorted({index for one in encoded for index in one.indices})
        self._column = {number: column for column, number in enumerate(numbers)}
        pointers = np.cumsum([0, *(len(one.indices) for one in encoded)])
        columns = [self._column[index] for one in encoded for index in one.indices]
        weights = [value for one in encoded for value in one.values]
        matrix = sparse.csr_matrix((weights, columns, pointers), shape=(len(texts), len(numbers))).tocsc()
        frequency = np.diff(matrix.indptr)
        self._weighted = matrix @ sparse.diags(np.log((len(texts) - frequency + 0.5) / (frequency + 0.5) + 1))

    def dense(self, query: NDArray[np.float32]) -> NDArray[np.int64]:
        """Return numbers of texts by cosine, best first."""
        return np.argsort(-(self._vectors @ query), kind="stable")[:DEPTH]

    def bm25(self, query: str) -> NDArray[np.int64]:
        """Return numbers of texts by BM25, best first, only those with a term of the query."""
        columns = [self._column[index] for index in self._encoder.encode_query(query).indices if index in self._column]
        scores = np.asarray(self._weighted[:, columns].sum(axis=1)).ravel()
        best = np.argsort(-scores, kind="stable")[:DEPTH]
        return best[scores[best] > 0]

    @staticmethod
    def fused(*rankings: NDArray[np.int64]) -> list[int]:
        """Return numbers of texts by the sum of their reciprocal ranks."""
        scores: dict[int, float] = {}
        for ranking in rankings:
            for rank, number in enumerate(ranking.tolist(), start=1):
                scores[number] = scores.get(number, 0.0) + 1 / (_RRF_K + rank)
        return sorted(scores, key=lambda number: (-scores[number], number))[:DEPTH]
