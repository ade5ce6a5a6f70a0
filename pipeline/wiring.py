"""Builds adapters from settings, lazily: a job pays only for what it uses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from pipeline.domain.errors import CollectionMissingError, ForeignModelError
from pipeline.domain.identifiers import fingerprint
from pipeline.domain.points import DENSE, PAYLOAD_VERSION, CollectionSpec, DenseModel
from pipeline.domain.ports import DenseEmbedder, EmbeddingCache, IndexCatalog, Landing, PairScorer, SparseEncoder, TokenCounter, VectorIndex
from pipeline.domain.recipe import Recipe
from pipeline.domain.vocabulary import CollectionRole, DocumentKind
from pipeline.settings import Settings
from pipeline.stages.assemble import READER_VERSION
from pipeline.stages.chunking import Chunker, DocumentChunker
from pipeline.stages.deidentify import Policy, PolicyChoices, ReplaceBy, Scrubber, SiteFormats, policy_for
from pipeline.stages.embed import embedder_fingerprint, open_cross_encoder, open_embedder, open_token_counter
from pipeline.stages.extract import READER_VERSION as FILES_READER_VERSION
from pipeline.stages.sections import SectionFinder
from pipeline.storage import collections
from pipeline.storage.cache import SqlEmbeddingCache
from pipeline.storage.collections import CollectionRecord
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
        """Close what was opened, each whatever became of the others."""
        with ExitStack() as opened:
            opened.callback(self.db.dispose)
            if "_cache_database" in self.__dict__:
                opened.callback(self._cache_database.dispose)
            if "catalog" in self.__dict__:
                opened.callback(self.catalog.close)

    @cached_property
    def embedder(self) -> DenseEmbedder:
        """The dense model; loading it costs from half a second to many."""
        return open_embedder(self.settings)

    @cached_property
    def cross_encoder(self) -> PairScorer | None:
        """What reads the first hits once more; ``None``: nothing does."""
        return open_cross_encoder(self.settings)

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
    def catalog(self) -> IndexCatalog:
        """The collections of the store that the settings name."""
        return open_catalog(self.settings)

    @cached_property
    def collection(self) -> str:
        """Name of the collection that this object reads and writes: the live one, unless it was made by ``at``.

        ``CLINDEX_COLLECTION`` names the home's first collection, and what other programs know the live one by.
        """
        record = self._live_record()
        return self.settings.collection if record is None else record.name

    def _live_record(self) -> CollectionRecord | None:
        """Return the live collection; ``None`` where there is none, or the settings name another family of collections."""
        with self.db.read() as tx:
            record = collections.live(tx)
        return record if record is not None and is_of_family(record.name, self.settings.collection) else None

    @cached_property
    def index(self) -> VectorIndex:
        """The collection as a vector index."""
        return self.catalog.open(self.collection)

    def at(self, record: CollectionRecord) -> Services:
        """Return this home as seen from one of its collections: with the collection's own model, whatever the settings name now."""
        if record.name == self.collection and record.model == self.model_fingerprint and record.spec.further == self.further:
            return self
        if record.name not in self._elsewhere:
            known = {name: value for name, value in record.settings.items() if name in Settings.model_fields}
            known.setdefault("kind_models", {})
            there = Services(self.settings.model_copy(update=known), self.db)
            there.collection = record.name
            for shared in ("landing", "cache", "secret", "scrubber", "catalog"):
                setattr(there, shared, getattr(self, shared))
            if record.model == self.model_fingerprint:  # its own is not asked: a deletion must reach it although its model is gone
                for shared in ("embedder", "tokens"):
                    if shared in self.__dict__:
                        setattr(there, shared, getattr(self, shared))
            self._elsewhere[record.name] = there
        return self._elsewhere[record.name]

    @cached_property
    def _elsewhere(self) -> dict[str, Services]:
        return {}

    def live(self) -> Services:
        """Return this home as seen from the collection that is live now: a promotion may have been since this object was made."""
        record = self._live_record()
        return self if record is None else self.at(record)

    def everywhere(self) -> list[Services]:
        """Return this home as seen from every collection that may hold points, the live one last.

        One that was recorded and is not in the store (its building or its retirement was killed) holds none.
        """
        with self.db.read() as tx:
            records = collections.existing(tx)
        if len(records) < 2:  # the usual home: nothing is beside the live one
            return [self.at(record) for record in records] or [self]
        there = set(self.catalog.names())
        return [self.at(record) for record in records if record.role is CollectionRole.LIVE or record.name in there]

    def deletes_from(self) -> list[Services]:
        """Return where a deletion of this object's reaches: from the live collection everywhere, the live one last; else this one alone."""
        there = self.everywhere()
        return there if there[-1].collection == self.collection else [self]

    def candidate(self) -> CollectionRecord | None:
        """Return the collection that is being built beside the live one, or ``None``."""
        with self.db.read() as tx:
            return collections.newest(tx, CollectionRole.CANDIDATE)

    @cached_property
    def chunker(self) -> Chunker:
        """The chunker with this home's parameters."""
        return self._chunker(self.tokens)

    def _chunker(self, tokens: TokenCounter) -> Chunker:
        return Chunker(
            tokens,
            parent_context_characters=self.settings.parent_context_characters,
            prose_target_tokens=self.settings.prose_target_tokens,
        )

    @cached_property
    def document_chunker(self) -> DocumentChunker:
        """The chunker of everything that is no trial."""
        return document_chunker(self.settings, self.tokens)

    def chunker_of(self, kind: str) -> Chunker | DocumentChunker:
        """Return the chunker of a kind of document, which cuts by the window of the kind's model."""
        if kind in self._own_tokens:
            return self._own_chunkers[kind]
        return self.chunker if kind == DocumentKind.TRIAL else self.document_chunker

    def window_of(self, kind: str) -> int:
        """Return the window of the model of a kind of document, in tokens."""
        return self._own_tokens.get(kind, self.tokens).window

    @cached_property
    def _own_tokens(self) -> dict[str, TokenCounter]:
        return {kind: open_token_counter(settings_of_kind(self.settings, kind)) for kind in self.settings.kind_models}

    @cached_property
    def _own_chunkers(self) -> dict[str, Chunker | DocumentChunker]:
        return {
            kind: self._chunker(tokens) if kind == DocumentKind.TRIAL else document_chunker(self.settings, tokens)
            for kind, tokens in self._own_tokens.items()
        }

    @cached_property
    def secret(self) -> bytes:
        """The site's secret, which was checked against the home's fingerprint."""
        return ensure_site_secret(self.settings, self.db)

    @cached_property
    def model_fingerprint(self) -> str:
        """The dense model's fingerprint, without loading it."""
        return embedder_fingerprint(self.settings)

    @cached_property
    def kind_embedders(self) -> dict[str, DenseEmbedder]:
        """Models that some kinds of documents have, by kind; kinds of one model share it."""
        opened = {model: open_embedder(settings_of_kind(self.settings, kind)) for kind, model in sorted(self.settings.kind_models.items())}
        return {kind: opened[model] for kind, model in self.settings.kind_models.items()}

    @cached_property
    def further(self) -> tuple[DenseModel, ...]:
        """What these models' vectors are called and are."""
        kinds: dict[tuple[str, int], list[str]] = {}
        for kind, embedder in sorted(self.kind_embedders.items()):
            if embedder.fingerprint != self.model_fingerprint:
                kinds.setdefault((embedder.fingerprint, embedder.dimensions), []).append(kind)
        return tuple(DenseModel(f"{DENSE}-{fingerprint([model])[:8]}", model, size, tuple(of)) for (model, size), of in kinds.items())

    def fingerprint_of(self, kind: object) -> str:
        """Return the fingerprint of the model of a kind of document; the home's own is not loaded for it."""
        return next((one.model for one in self.further if kind in one.kinds), self.model_fingerprint)

    def embedder_of(self, model: DenseModel) -> DenseEmbedder:
        """Return the embedder of one of the collection's models."""
        return self.kind_embedders[model.kinds[0]] if model.kinds else self.embedder

    def dense_models(self, kinds: Sequence[str]) -> list[DenseModel]:
        """Return the models that a search of these kinds asks (of no kind: all)."""
        return list(dict.fromkeys(map(self.spec.dense_of, kinds))) if kinds else list(self.spec.dense)

    def collection_settings(self) -> dict[str, Any]:
        """Return what a collection's record keeps so that its models can be opened again: paths or names, never a secret."""
        kept: dict[str, Any] = {"model": self.settings.model, "embedding_backend": self.settings.embedding_backend}
        if self.further:
            kept |= {"kind_models": dict(self.settings.kind_models), "further": [asdict(one) for one in self.further]}
        return kept

    @cached_property
    def spec(self) -> CollectionSpec:
        """What the collection must have been made for."""
        return CollectionSpec(
            name=self.collection,
            model=self.model_fingerprint,
            dimensions=self.dimensions,
            sparse=self.sparse.fingerprint,
            further=self.further,
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
            raise CollectionMissingError(f"collection {self.collection} does not exist", remedy="Run `clindex init`; then `clindex index`.")
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
                embedder=self.fingerprint_of(kind),
                sparse=self.sparse.fingerprint,
                payload=PAYLOAD_VERSION,
            )
        return self._recipes[kind, source]


def open_catalog(settings: Settings) -> IndexCatalog:
    """Return the store of collections that the settings name; nothing is opened or sent yet."""
    if settings.qdrant_url:
        from pipeline.index.server_catalog import open_server_catalog

        return open_server_catalog(
            settings.qdrant_url,
            api_key=settings.qdrant_api_key.get_secret_value() if settings.qdrant_api_key else None,
            timeout_seconds=settings.qdrant_timeout_seconds,
            batch_bytes=settings.upsert_batch_bytes,
        )
    from pipeline.index.edge_catalog import EdgeCatalog

    return EdgeCatalog(
        settings.index_folder,
        lock_timeout_seconds=settings.lock_timeout_seconds,
        batch_bytes=settings.upsert_batch_bytes,
        linger=True,  # jobs and servers come back soon: opening costs more than most sessions
    )


def is_of_family(name: str, first: str) -> bool:
    """Whether a collection is the home's first one, or one that was built beside it (``first-2``, ``first-3`` …)."""
    return name == first or (name.startswith(f"{first}-") and name.removeprefix(f"{first}-").isdecimal())


def settings_of_kind(settings: Settings, kind: str) -> Settings:
    """Return the settings with the model that documents of a kind have."""
    return settings.model_copy(update={"model": settings.kind_models[kind], "embedding_backend": "auto"})


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
        remedy="Point the settings at what it was made with, or build a new collection beside it: `clindex reindex --candidate --reason ...`.",
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
