"""An embedder without a model: deterministic, instant, and near enough to meaning for tests of search."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pipeline.domain.errors import ModelError
from pipeline.domain.identifiers import fingerprint
from pipeline.testing.tokens import ApproximateTokens

_WORD: Final = re.compile(r"\w+")
_STEM: Final = 6  # leading characters of a word that count: "transplant" and "transplantation" meet
# Share of the whole text's hash: texts of equal words in another order stay near (cosine > 0.999) and yet differ.
_OWN: Final = 0.02


class HashEmbedder:
    """A ``DenseEmbedder``: a hashed bag of words, so that texts that share words are alike and others are near 0.

    Args:
        dimensions: Length of a vector; fewer make unrelated words collide.
        window: Most tokens of a text, counted by ``ApproximateTokens``.
        version: Part of the fingerprint and of every vector: another version stands for another model.
    """

    def __init__(self, dimensions: int = 384, *, window: int = 256, version: str = "1") -> None:
        self._dimensions = dimensions
        self._tokens = ApproximateTokens(window)
        self._version = version
        self.embedded = 0  # texts embedded so far: a test asks this to prove that nothing was embedded again

    @property
    def fingerprint(self) -> str:
        """Changes with dimensions, window and version."""
        return fingerprint(["hash", self._version, self._dimensions, self._tokens.window])

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._dimensions

    @property
    def window(self) -> int:
        """Most tokens of a text."""
        return self._tokens.window

    def embed_documents(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> NDArray[np.float32]:
        """Return an array of shape (len(texts), dimensions), rows of unit length, in the order given.

        Raises:
            ModelError: A text exceeds the window.
        """
        if any(self._tokens.count(text) > self.window for text in texts):
            raise ModelError(f"A text exceeds the window of {self.window} tokens")
        rows = np.empty((len(texts), self._dimensions), dtype=np.float32)
        for place, text in enumerate(texts):
            rows[place] = self._vector(text)
        self.embedded += len(texts)
        if progress and texts:
            progress(len(texts))
        return rows

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return a vector of shape (dimensions,)."""
        return self._vector(text)

    def _vector(self, text: str) -> NDArray[np.float32]:
        words = Counter(word.casefold()[:_STEM] for word in _WORD.findall(text))
        vector = np.zeros(self._dimensions)
        for word, times in words.items():
            place, sign = self._place(word)
            vector[place] += sign * times**0.5
        vector /= np.linalg.norm(vector) or 1.0
        place, sign = self._place(f"\0{text}")
        vector[place] += sign * _OWN
        unit: NDArray[np.float32] = (vector / np.linalg.norm(vector)).astype(np.float32)  # never zero: _OWN cancels no word
        return unit

    def _place(self, key: str) -> tuple[int, float]:
        digest = hashlib.blake2b(f"{self._version}|{key}".encode("utf-8", "surrogatepass"), digest_size=9).digest()
        return int.from_bytes(digest[:8]) % self._dimensions, 1.0 if digest[8] & 1 else -1.0
