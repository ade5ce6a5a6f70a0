"""BM25 term weights of clinical text, the same for both engines; the engine multiplies by IDF.

A document's weight of a term is tf·(k+1) / (tf + k·(1 - b + b·length/average)), a query's is 1 (Robertson and Zaragoza, 2009). Stem and
number of a term come from Qdrant Edge's own ``Bm25`` (Snowball English, murmur3), one term at a time, with its tokenizer, stop words and
case folding switched off: its defaults drop ``no``, ``not`` and ``≥``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import qdrant_edge as edge

from pipeline.domain.identifiers import fingerprint
from pipeline.domain.points import SparseVector
from pipeline.index.terms import STOP_WORDS, terms

VERSION: Final = "1"  # of ``terms``: raise it with any change there

# A constant, not the corpus' own mean: with that, adding one document would change every stored vector. Measured on 23,296 chunks of 734
# registry records: mean 25.6 terms, median 18 (criteria 15, prose 57, outcomes 33).
AVERAGE_LENGTH: Final = 25.0
SATURATION: Final = 1.2  # k: the literature's usual value, Qdrant's and Lucene's default
LENGTH_NORMALISATION: Final = 0.75  # b: likewise

# The fingerprint holds these terms' numbers: another stemmer or hash in a later version of the library shows itself.
_PROBES: Final = ("no", "without", "≥18", "patients", "metastases", "allergies", "pdl1", "hemoglobin", "treated", "10^9", "naïve", "ug")


class Bm25Encoder:
    """``SparseEncoder`` with BM25 weights.

    Args:
        average_length: Terms of an average text; shorter ones weigh more.
    """

    def __init__(self, *, average_length: float = AVERAGE_LENGTH) -> None:
        if average_length <= 0:
            raise ValueError("the average length is positive")
        self._average = average_length

    @property
    def fingerprint(self) -> str:
        """Names version, parameters, stop words and the numbers of some terms."""
        return "bm25-" + fingerprint(
            {
                "version": VERSION,
                "k": SATURATION,
                "b": LENGTH_NORMALISATION,
                "average_length": self._average,
                "stop_words": sorted(STOP_WORDS),
                "probes": [term_number(term) for term in _PROBES],
            }
        )

    def encode_documents(self, texts: Sequence[str]) -> list[SparseVector]:
        """Return one vector a text; a text without terms has an empty one."""
        return [self._document(text) for text in texts]

    def encode_query(self, text: str) -> SparseVector:
        """Return a vector with weight 1 for each distinct term."""
        numbers = sorted({term_number(term) for term in terms(text)})
        return SparseVector(tuple(numbers), (1.0,) * len(numbers))

    def _document(self, text: str) -> SparseVector:
        counts = Counter(map(term_number, terms(text)))
        norm = SATURATION * (1 - LENGTH_NORMALISATION + LENGTH_NORMALISATION * counts.total() / self._average)
        numbers = sorted(counts)
        return SparseVector(tuple(numbers), tuple(counts[each] * (SATURATION + 1) / (counts[each] + norm) for each in numbers))


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    return edge.Bm25(
        edge.Bm25Config(
            tokenizer=edge.TokenizerType.Whitespace,
            lowercase=False,
            ascii_folding=False,
            stopwords=edge.StopwordsSet(languages=None, custom=set()),
            stemmer=edge.SnowballParams(edge.SnowballLanguage.English),
        )
    )


@lru_cache(maxsize=200_000)  # more than the distinct terms of 100,000 criteria; about 20 MB when full
def term_number(term: str) -> int:
    """Return the number of a term's stem, 0 to 2^32 - 1, the same on every machine."""
    (number,) = _stemmer().embed_query(term).indices
    return int(number)
