"""Protocols that jobs are written against. Their docstrings are the specification; adapters live elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from pipeline.domain.points import (
    DENSE,
    CollectionInfo,
    CollectionSpec,
    Payload,
    Point,
    PointFilter,
    ScoredPoint,
    SparseVector,
    StoredPoint,
)

if TYPE_CHECKING:
    from uuid import UUID

    import numpy as np
    from numpy.typing import NDArray


class TokenCounter(Protocol):
    """Counts as the embedding model counts."""

    @property
    def window(self) -> int:
        """Most tokens the model reads, special tokens included."""
        ...

    def count(self, text: str) -> int:
        """Return the number of tokens of ``text``, special tokens included, not truncated."""
        ...

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text; several times faster than one by one."""
        ...


class DenseEmbedder(Protocol):
    """Turns text into unit vectors."""

    @property
    def fingerprint(self) -> str:
        """Names model, weights (sha256), pooling and window; two embedders of one fingerprint give one vector."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return an array of shape (len(texts), dimensions), rows of unit length, in the order given.

        Raises:
            ModelError: The model cannot be loaded, or a text exceeds its window.
        """
        ...

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return a vector of shape (dimensions,). A query longer than the window is cut."""
        ...


class PairScorer(Protocol):
    """Reads a query and a passage together: slower and surer than vectors that are made apart."""

    @property
    def fingerprint(self) -> str:
        """Names the model's files; two scorers of one fingerprint give one score."""
        ...

    def score(self, query: str, passages: Sequence[str]) -> list[float]:
        """Return a number a passage, in their order; higher is better, on a scale of the model's own."""
        ...


class SparseEncoder(Protocol):
    """Turns text into BM25 term weights; the engine multiplies by IDF (``Modifier.IDF``)."""

    @property
    def fingerprint(self) -> str:
        """Names tokenizer, stop words and parameters."""
        ...

    def encode_documents(self, texts: Sequence[str]) -> list[SparseVector]:
        """Return one vector a text, in the order given."""
        ...

    def encode_query(self, text: str) -> SparseVector:
        """Return a query's vector."""
        ...


@dataclass(frozen=True, slots=True)
class VectorQuery:
    """One vector to rank by.

    Attributes:
        vector: Dense, of shape (dimensions,) and unit length, or sparse.
        weight: Of this ranking where rankings are fused.
        variant: Number of the wording of a query that it was made of.
        using: Name of the dense vectors that a dense one is compared with.
    """

    vector: NDArray[np.float32] | SparseVector = field(repr=False)
    weight: float = 1.0
    variant: int = 0
    using: str = DENSE

    @property
    def is_dense(self) -> bool:
        """Whether it is compared with dense vectors."""
        return not isinstance(self.vector, SparseVector)


class VectorIndex(Protocol):
    """One collection of points with a dense and a sparse vector each.

    Every write waits until it is applied. Every method may raise ``StoreUnavailableError`` or ``StoreCorruptError``, every one
    but ``create`` and ``describe`` raises ``CollectionMissingError`` where there is no collection. Use it inside ``session``.
    """

    def session(self) -> AbstractContextManager[VectorIndex]:
        """Hold the index for one batch or one query (re-entrant within one thread).

        Raises:
            StoreBusyError: Another process held the embedded index for longer than the lock's time-out.
        """
        ...

    def close(self) -> None:
        """Let go of what is kept open between sessions. The index may be used again."""
        ...

    def create(self, spec: CollectionSpec) -> None:
        """Make the collection with its payload indexes and metadata. An existing one of the same spec is left as it is.

        Raises:
            ForeignModelError: A collection of this name exists and its spec differs.
        """
        ...

    def remove(self) -> None:
        """Remove the collection with all its points (no error where there is none)."""
        ...

    def describe(self, *, count: bool = True) -> CollectionInfo | None:
        """Return what the collection says of itself, or ``None`` where there is none. Not counting spares opening the store."""
        ...

    def upsert(self, points: Sequence[Point]) -> None:
        """Write points, all or an error; batches are bounded in bytes.

        Raises:
            ValueError: A vector is not finite, not of unit length (1e-3) or of the wrong dimension. Nothing was written.
        """
        ...

    def set_payload(self, updates: Sequence[tuple[UUID, Payload]]) -> None:
        """Replace the whole payload of existing points."""
        ...

    def delete_points(self, ids: Sequence[UUID | int]) -> None:
        """Remove points by id. Unknown ids are no error."""
        ...

    def delete_matching(self, where: PointFilter) -> None:
        """Remove every point that matches, then verify that none is left.

        Raises:
            ValueError: The filter is empty, or names no document.
            WriteVerificationError: Some are still there.
        """
        ...

    def settle(self) -> None:
        """Bring what many writes left into the form that opens and scans fastest; may take seconds a hundred thousand points, or do nothing."""
        ...

    def expunge(self) -> None:
        """Rewrite what still holds bytes of deleted points, as far as the engine allows: seconds a hundred thousand points, or nothing."""
        ...

    def count(self, where: PointFilter | None = None) -> int:
        """Return the exact number of points that match (all of them without a filter)."""
        ...

    def retrieve(self, ids: Sequence[UUID | int], *, vectors: bool = False) -> list[StoredPoint]:
        """Return those of the points that exist, in any order, with their vectors where asked (some five times slower)."""
        ...

    def scan(
        self, where: PointFilter | None = None, *, batch_size: int = 1000, vectors: bool = False, after: UUID | None = None
    ) -> Iterator[StoredPoint]:
        """Yield matching points in ascending id order (integers before UUIDs, UUIDs by their 128 bits), in constant memory.

        Args:
            where: Only these.
            batch_size: Points a request.
            vectors: With their vectors.
            after: Begin at this id (included) and not at the first.
        """
        ...

    def restore(self, points: Sequence[StoredPoint]) -> None:
        """Write points back as ``retrieve`` or ``scan`` gave them, with their vectors, unchecked: for undoing a repair.

        Raises:
            ValueError: A point comes without its vectors.
        """
        ...

    def lacking(self, *, dense: bool) -> int:
        """Return the exact number of points without any dense vector, or without a sparse one."""
        ...

    def rankings(self, queries: Sequence[VectorQuery], *, where: PointFilter, limit: int) -> list[list[tuple[UUID | int, float]]]:
        """Return one ranking a query, in their order: ids with the engine's score, best first, equal scores in order of id.

        The filter is applied inside each. All are asked of the engine at once; a sparse query without terms has an empty ranking.
        """
        ...

    def query(
        self,
        *,
        dense: NDArray[np.float32] | None,
        sparse: SparseVector | None,
        where: PointFilter,
        limit: int,
        candidates: int,
        rrf_k: int,
        using: str = DENSE,
    ) -> list[ScoredPoint]:
        """Return the best points, best first, filters applied inside each branch.

        With both vectors the two rankings of ``candidates`` points are fused by reciprocal rank, score = sum of
        1 / (``rrf_k`` + rank) with ranks from 1; with one vector, the score is the engine's own (cosine, BM25).
        ``using`` names the dense vectors that a dense one is compared with.
        """
        ...


class IndexCatalog(Protocol):
    """The collections of one store, and the name that other programs know the live one by.

    Clindex itself reads which collection is live from truth, in the transaction that hydrates a hit; the pointer (a Qdrant alias, or a file
    beside the embedded index) follows it.
    """

    def open(self, name: str) -> VectorIndex:
        """Return the collection of this name, made or not. The same object for the same name."""
        ...

    def names(self) -> list[str]:
        """Return the names of the collections that exist, in alphabetical order, those of others included."""
        ...

    def point(self, alias: str, name: str) -> None:
        """Let ``alias`` name a collection from now on, in one step."""
        ...

    def pointed(self, alias: str) -> str | None:
        """Return the collection that ``alias`` names, or ``None``."""
        ...

    def close(self) -> None:
        """Let go of everything that is kept open."""
        ...


@dataclass(frozen=True, slots=True)
class FetchedRecord:
    """One record as a source sent it.

    Attributes:
        source_key: The source's own id, or ``None`` where the bytes hold none.
        data: The record's bytes in canonical JSON, or as they came where they cannot be read.
        origin: Where it came from, for people: ``page 3``, ``studies.jsonl.gz line 17``. Holds no text of the record.
        failure: Why it cannot be taken, or ``None``.
        updated: The source's own last-update date (ISO), by which the newer of two records with one id is chosen.
        asked_as: The id that was asked for, where the source answered with the record of another one (an alias).
        attachments: Bytes that ``data`` names by their SHA-256; landed before it.
    """

    source_key: str | None
    data: bytes = field(repr=False)
    origin: str
    failure: str | None = None
    updated: str | None = None
    asked_as: str | None = None
    attachments: tuple[bytes, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """Some records that came together, and what is needed to go on after them."""

    records: tuple[FetchedRecord, ...]
    next_token: str | None = None  # None: this was the last page, or the source cannot resume
    total: int | None = None  # what the source promises in all, where it said so
    restarted: bool = False  # the listing began anew with this page: what earlier pages promised and held counts no more


@dataclass(frozen=True, slots=True)
class SourceVersion:
    """How fresh a source says its data are."""

    data_timestamp: str | None = None  # ISO 8601, as the source sent it
    api_version: str | None = None


class RecordSource(Protocol):
    """Fetches records page by page; parses no more than fetching needs."""

    @property
    def name(self) -> str:
        """A value of ``Source``."""
        ...

    @property
    def scope(self) -> str:
        """Names what is listed (``all``, ``query:…``, ``files``). Absence means deletion only within one scope."""
        ...

    @property
    def base_scope(self) -> str:
        """The scope without its date: an incremental listing moves the watermark of this one."""
        ...

    @property
    def can_prove_absence(self) -> bool:
        """Whether a complete listing names everything within its scope, so that what is missing has vanished."""
        ...

    @property
    def roots(self) -> tuple[str, ...] | None:
        """Fingerprints of the folders that are listed whole: only their documents can vanish. ``None``: the source has none.

        Where there are roots, a record that failed under its key was named all the same: it has not vanished, and others may have.
        """
        ...

    def version(self) -> SourceVersion:
        """Ask the source how fresh it is."""
        ...

    def pages(self, *, resume_from: str | None = None) -> Iterator[FetchedPage]:
        """Yield pages, from the start or from a token that an earlier crawl stopped at.

        Raises:
            SourceUnavailableError: Gave up after retries.
            SourceRefusedError: The request is wrong; trying again cannot help.
            SourceProtocolError: The answer is not the source's protocol, also after retries.
        """
        ...


class Landing(Protocol):
    """Keeps every fetched payload by its sha256."""

    def put(self, data: bytes) -> str:
        """Keep ``data`` (no-op where it is kept already) and return its sha256."""
        ...

    def get(self, sha256: str) -> bytes:
        """Return the bytes.

        Raises:
            KeyError: Nothing is kept under this hash.
            StoreCorruptError: What is kept does not have this hash.
            StoreUnavailableError: The store does not answer, or is not there at all.
        """
        ...

    def contains(self, sha256: str) -> bool:
        """Whether bytes of this hash are kept."""
        ...

    def delete(self, sha256: str) -> None:
        """Forget the bytes (no error where there are none)."""
        ...

    def objects(self) -> Iterator[tuple[str, int]]:
        """Yield the hash of everything that is kept, in order, with the bytes that it takes in the store."""
        ...

    def hashes(self) -> Iterator[str]:
        """Yield the hashes of everything that is kept, in order."""
        ...


class EmbeddingCache(Protocol):
    """Vectors by (text hash, embedder fingerprint), shared by all runs."""

    def get_many(self, text_hashes: Iterable[str], *, fingerprint: str) -> dict[str, NDArray[np.float32]]:
        """Return the vectors that are known."""
        ...

    def put_many(self, vectors: dict[str, NDArray[np.float32]], *, fingerprint: str) -> None:
        """Keep vectors; one that is there already stays."""
        ...

    def delete_many(self, text_hashes: Iterable[str]) -> int:
        """Forget the vectors of these texts by every model; returns how many there were."""
        ...

    def scour(self) -> None:
        """Let nothing that was forgotten be readable from the cache's files, as far as its store allows."""
        ...

    def text_hashes(self) -> Iterator[str]:
        """Yield the hash of every text that has a vector, in any order, perhaps more than once: for proving that one is gone."""
        ...
