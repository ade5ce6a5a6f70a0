"""Builds adapters from settings, lazily: a job pays only for what it uses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cached_property

from pipeline.domain.errors import CollectionMissingError, ForeignModelError
from pipeline.domain.identifiers import fingerprint
from pipeline.domain.points import PAYLOAD_VERSION, CollectionSpec
from pipeline.domain.ports import DenseEmbedder, EmbeddingCache, Landing, SparseEncoder, TokenCounter, VectorIndex
from pipeline.domain.recipe import Recipe
from pipeline.domain.vocabulary import DocumentKind
from pipeline.settings import Settings
from pipeline.stages.assemble import READER_VERSION
from pipeline.stages.chunking import Chunker, DocumentChunker
from pipeline.stages.deidentify import Policy, PolicyChoices, ReplaceBy, Scrubber, SiteFormats, policy_for
from pipeline.stages.embed import embedder_fingerprint, open_embedder, open_token_counter
from pipeline.stages.extract import READER_VERSION as FILES_READER_VERSION
from pipeline.stages.sections import SectionFinder
from pipeline.storage.cache import SqlEmbeddingCache
from pipeline.storage.engine import Database
from pipeline.storage.landing import FsspecLanding
from pipeline.storage.landing_keys import landing_keys
from pipeline.storage.migrations import require_current
from pipeline.storage.private import keep_private
from pipeline.storage.secrets import ensure_site_secret


def utc_now() -> datetime:
    """The clock that jobs use unless a test hands in another."""
    return datetime.now(UTC)


@dataclass
class Services:
    """Everything a job needs, opened when first asked for.

    A test may set any of the cached properties beforehand (``services.embedder = HashEmbedder()``).
    """

    settings: Settings
    db: Database

    @cached_property
    def landing(self) -> Landing:
        """Fetched payloads."""
        return FsspecLanding(self.settings.landing, keys=landing_keys(self.settings))

    @cached_property
    def cache(self) -> EmbeddingCache:
        """Vectors that were computed before."""
        return SqlEmbeddingCache(self._cache_database)

    @cached_property
    def _cache_database(self) -> Database:
        return Database.open(self.settings.cache)

    def close(self) -> None:
        """Close what was opened."""
        if "index" in self.__dict__:
            self.index.close()
        self.db.dispose()
        if "_cache_database" in self.__dict__:
            self._cache_database.dispose()

    @cached_property
    def embedder(self) -> DenseEmbedder:
        """The dense model; loading it costs from half a second to many."""
        return open_embedder(self.settings)

    @cached_property
    def tokens(self) -> TokenCounter:
        """The dense model's tokenizer alone."""
        return open_token_counter(self.settings)

    @cached_property
    def sparse(self) -> SparseEncoder:
        """BM25 term weights."""
        from pipeline.index.bm25 import Bm25Encoder

        return Bm25Encoder()

    @cached_property
    def index(self) -> VectorIndex:
        """The vector index that the settings name."""
        settings = self.settings
        if settings.qdrant_url:
            from pipeline.index.server import open_server

            return open_server(
                settings.qdrant_url,
                api_key=settings.qdrant_api_key.get_secret_value() if settings.qdrant_api_key else None,
                timeout_seconds=settings.qdrant_timeout_seconds,
                name=settings.collection,
                batch_bytes=settings.upsert_batch_bytes,
            )
        from pipeline.index.edge import EdgeIndex

        return EdgeIndex(
            settings.index_folder,
            name=settings.collection,
            lock_timeout_seconds=settings.lock_timeout_seconds,
            batch_bytes=settings.upsert_batch_bytes,
            linger=True,  # jobs and servers come back soon: opening costs more than most sessions
        )

    @cached_property
    def chunker(self) -> Chunker:
        """The chunker with this home's parameters."""
        return Chunker(
            self.tokens,
            parent_context_characters=self.settings.parent_context_characters,
            prose_target_tokens=self.settings.prose_target_tokens,
        )

    @cached_property
    def document_chunker(self) -> DocumentChunker:
        """The chunker of everything that is no trial."""
        return document_chunker(self.settings, self.tokens)

    def chunker_of(self, kind: str) -> Chunker | DocumentChunker:
        """Return the chunker of a kind of document."""
        return self.chunker if kind == DocumentKind.TRIAL else self.document_chunker

    @cached_property
    def secret(self) -> bytes:
        """The site's secret, which was checked against the home's fingerprint."""
        return ensure_site_secret(self.settings, self.db)

    @cached_property
    def model_fingerprint(self) -> str:
        """The dense model's fingerprint, without loading it."""
        return embedder_fingerprint(self.settings)

    @cached_property
    def spec(self) -> CollectionSpec:
        """What the collection must have been made for."""
        return CollectionSpec(
            name=self.settings.collection,
            model=self.model_fingerprint,
            dimensions=self.dimensions,
            sparse=self.sparse.fingerprint,
        )

    @property
    def dimensions(self) -> int:
        """Length of a dense vector."""
        return self.embedder.dimensions

    def require_collection(self) -> None:
        """Refuse to go on without the collection that this home's settings need.

        Raises:
            CollectionMissingError: There is none.
            ForeignModelError: It was made for another model, dimension, sparse encoder or payload version.
        """
        with self.index.session() as index:
            info = index.describe(count=False)
        if info is None:
            raise CollectionMissingError(
                f"collection {self.settings.collection} does not exist", remedy="Run `clindex init`; then `clindex index`."
            )
        if info.spec != self.spec:
            raise foreign_collection(info.spec, self.spec)

    @cached_property
    def scrubber(self) -> Scrubber:
        """De-identification, keyed with the site's secret."""
        return Scrubber(secret=self.secret, site=site_formats(self.settings))

    def policy(self, kind: str, source: str) -> Policy:
        """Return what de-identification does with documents of this kind and source."""
        return policy_for(kind, source, policy_choices(self.settings))

    @cached_property
    def _recipes(self) -> dict[tuple[str, str], Recipe]:
        return {}

    def recipe(self, kind: DocumentKind, source: str) -> Recipe:
        """Return what documents of this kind and source are made with now."""
        if (kind, source) not in self._recipes:
            self._recipes[kind, source] = Recipe(
                reader=READER_VERSION if kind is DocumentKind.TRIAL else reader_id(self.settings),
                deidentification=self.policy(kind, source).id,
                chunker=self.chunker_of(kind).version,
                embedder=self.model_fingerprint,
                sparse=self.sparse.fingerprint,
                payload=PAYLOAD_VERSION,
            )
        return self._recipes[kind, source]


def reader_id(settings: Settings) -> str:
    """Return version and options of the readers of files, as far as they change what is read: part of every file's recipe."""
    vision = fingerprint([settings.vision_url, settings.vision_model])[:8] if settings.vision_url else "none"
    return f"{FILES_READER_VERSION};dpi={settings.ocr_dpi};vision={vision}"


def document_chunker(settings: Settings, tokens: TokenCounter) -> DocumentChunker:
    """Return the chunker of documents with the settings' parameters."""
    return DocumentChunker(
        tokens,
        SectionFinder(),
        prose_target_tokens=settings.prose_target_tokens,
        overlap_sentences=settings.clinical_overlap_sentences,
        target_characters=settings.protocol_target_characters,
        min_characters=settings.protocol_min_characters,
        max_characters=settings.protocol_max_characters,
        overlap_characters=settings.protocol_overlap_characters,
    )


def policy_choices(settings: Settings) -> PolicyChoices:
    """Return what the site chose among the policies' options."""
    return PolicyChoices(
        clinical_names=ReplaceBy(settings.clinical_names),
        clinical_dates=ReplaceBy(settings.clinical_dates),
        keep_investigators=settings.keep_investigators,
        formats=fingerprint(asdict(formats)) if (formats := site_formats(settings)) != SiteFormats() else "",
    )


def site_formats(settings: Settings) -> SiteFormats:
    """Return the site's own number formats."""
    return SiteFormats(mrn=settings.mrn_formats, account=settings.account_formats, other=settings.other_id_formats)


def foreign_collection(found: CollectionSpec | None, wanted: CollectionSpec) -> ForeignModelError:
    """Return the error that says in what a collection differs from what the settings need."""
    ours = asdict(wanted)
    differing = [name for name, value in asdict(found).items() if ours[name] != value] if found else []
    return ForeignModelError(
        f"collection {wanted.name} was made with another {', '.join(differing)}"
        if found
        else f"collection {wanted.name} does not say what it was made with: its metadata are missing or not ours",
        remedy="Point the settings at what it was made with, or run `clindex init --rebuild-index` and `clindex index`.",
    )


@contextmanager
def open_services(settings: Settings) -> Iterator[Services]:
    """Open the home that the settings name.

    Raises:
        HomeNotInitialisedError: There is no database yet, or its schema is behind or ahead of the code.
        SecretMismatchError: The site secret is not the one the home was made with.
    """
    db = Database.open(settings.database)
    services = Services(settings, db)
    try:
        require_current(db)
        ensure_site_secret(settings, db)
        for folder, name in ((settings.home, "home"), (settings.index_folder, "index"), (settings.reports_folder, "reports")):
            keep_private(folder, name=name)
        yield services
    finally:
        services.close()
