"""Every setting of Clindex, with its unit and the reason for its default.

Read from ``CLINDEX_*`` environment variables by ``Settings()``; jobs receive the object, nothing reads the environment itself.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Self
from urllib.parse import quote

from pydantic import SecretStr, model_validator
from pydantic_settings import SettingsConfigDict

from pipeline.domain.vocabulary import DocumentKind
from pipeline.setting import setting
from pipeline.settings_fhir import FhirSettings
from pipeline.settings_monitoring import MonitoringSettings


class Settings(FhirSettings, MonitoringSettings):
    """All settings. Secrets may also come from files (``CLINDEX_SITE_SECRET_FILE``)."""

    model_config = SettingsConfigDict(env_prefix="CLINDEX_", extra="ignore", hide_input_in_errors=True, frozen=True)

    # Where things are kept
    home: Path = setting(
        Path(".clindex"), unit="folder", reason="one folder holds truth, index, landing and reports unless a URL says otherwise"
    )
    database_url: SecretStr | None = setting(
        None, unit="SQLAlchemy URL", reason="none: SQLite in the home, which needs no server; PostgreSQL in production"
    )
    cache_url: SecretStr | None = setting(
        None, unit="SQLAlchemy URL", reason="none: its own SQLite file beside the truth, so that losing vectors never touches data"
    )
    landing_url: str | None = setting(None, unit="fsspec URL", reason="none: a 0700 folder in the home; an object store in production")
    models_path: Path | None = setting(
        None, unit="folder", reason="none: in the home; an image or several homes share one verified export of the model"
    )
    qdrant_url: str | None = setting(None, unit="URL", reason="none: Qdrant Edge in the home, in process, no server needed")
    qdrant_api_key: SecretStr | None = setting(None, unit="secret", reason="only a Qdrant server asks for one")
    qdrant_timeout_seconds: int = setting(60, unit="seconds", reason="an upsert of one batch took under 1 s; a slow disk gets room", ge=1)
    collection: str = setting(
        "clindex",
        unit="collection name",
        reason="the home's first one, and the alias of the live one; those after it end in -2, -3 …",
        pattern=r"^[A-Za-z0-9_-]{1,64}\z",
    )
    site_secret: SecretStr | None = setting(
        None, unit="secret", reason="keys that could identify a person are hashed with it; made by init where absent"
    )
    site_secret_file: Path | None = setting(None, unit="file", reason="containers hand secrets over as files")

    # Documents of the site
    departments: tuple[str, ...] = setting(
        (
            "anesthesiology",
            "cardiology",
            "critical care",
            "dermatology",
            "emergency medicine",
            "endocrinology",
            "gastroenterology",
            "hematology",
            "infectious diseases",
            "internal medicine",
            "laboratory",
            "nephrology",
            "neurology",
            "obstetrics",
            "oncology",
            "ophthalmology",
            "orthopedics",
            "pathology",
            "pediatrics",
            "psychiatry",
            "pulmonology",
            "radiology",
            "rheumatology",
            "surgery",
            "urology",
        ),
        unit="names in small letters",
        reason="only these reach the index: a sidecar's own words could name a person or a place",
    )
    access_labels: tuple[str, ...] = setting(
        ("public", "internal", "restricted"),
        unit="labels",
        reason="only these reach the index, and a mistyped one must not open a document",
    )

    documents_paths: tuple[str, ...] = setting(
        (), unit="folders or fsspec URLs", reason="none: the site says which folders the night reads; a JSON list", repr=False
    )
    max_file_bytes: int = setting(
        256 * 1024 * 1024,
        unit="bytes a file",
        reason="300 pages scanned at 300 dpi are 30 to 200 MB; a file is held in memory twice while it lands",
        ge=1024,
    )

    landing_key: SecretStr | None = setting(
        None, unit="Fernet keys, newest first", reason="none: the disk's own encryption; with one, landed payloads are encrypted at rest"
    )
    landing_key_file: Path | None = setting(None, unit="file of Fernet keys, one a line", reason="containers hand secrets over as files")

    # De-identification
    clinical_names: Literal["placeholder", "surrogate"] = setting(
        "placeholder", unit="way of replacing", reason="[NAME] can be told from content; surrogates read better but hide what was missed"
    )
    clinical_dates: Literal["placeholder", "shift"] = setting(
        "placeholder", unit="way of replacing", reason="Safe Harbor asks for it; shifted dates keep intervals and need a person's decision"
    )
    keep_investigators: bool = setting(False, unit="yes or no", reason="names in public protocols and guidelines: dropped unless asked for")
    mrn_formats: tuple[str, ...] = setting((), unit="regular expressions", reason="a site's record numbers, found without a label too")
    account_formats: tuple[str, ...] = setting((), unit="regular expressions", reason="a site's account and visit numbers")
    other_id_formats: tuple[str, ...] = setting((), unit="regular expressions", reason="a site's accession, order and employee numbers")

    # The embedded index
    lock_timeout_seconds: float = setting(
        300.0, unit="seconds", reason="longer than one batch of the slowest job; then the error names who holds the lock", gt=0
    )

    # Reconciliation
    start_check_seconds: float = setting(
        0.5, unit="seconds", reason="for samples, after the exact counts: a start stays below 2 s with 1,000,000 points", ge=0
    )

    # ClinicalTrials.gov
    registry_url: str = setting("https://clinicaltrials.gov/api/v2", unit="URL", reason="the registry's API v2")
    registry_page_size: int = setting(
        200, unit="studies a page", reason="the registry allows 1,000; 200 keep a page near 5 MB", ge=1, le=1000
    )
    registry_requests_per_minute: float = setting(
        45.0, unit="requests a minute", reason="no limit is published; about 50 are reported as tolerated", gt=0
    )
    registry_timeout_seconds: float = setting(
        60.0, unit="seconds", reason="a full page of studies with results can take tens of seconds", gt=0
    )
    registry_max_attempts: int = setting(6, unit="attempts", reason="with exponential waits about two minutes of outage are bridged", ge=1)
    registry_max_wait_seconds: float = setting(
        120.0, unit="seconds", reason="a longer Retry-After is an outage: the run ends red and resumes later", gt=0
    )
    registry_overlap_days: int = setting(
        2, unit="days", reason="updates are posted by day in the registry's time zone; two days cover late posts and zones", ge=0
    )
    registry_query: str | None = setting(
        None, unit="search words", reason="none: every study; a hospital that treats one disease mirrors that disease only"
    )
    registry_full_listing_days: int = setting(
        7,
        unit="days",
        reason="only a full listing shows what has vanished; the whole registry takes about an hour and a half politely",
        ge=1,
    )
    max_record_bytes: int = setting(
        32 * 1024 * 1024,
        unit="bytes",
        reason="the largest study records with results are a few MB; beyond this a line is a broken file",
        ge=1024,
    )

    # Reading files
    read_memory_bytes: int = setting(
        2 * 1024**3,
        unit="bytes a file's reader",
        reason="what a page of 40 million pixels needs is far below; a bomb ends here",
        ge=256 * 1024**2,
    )
    read_seconds: float = setting(
        3600.0, unit="seconds a file", reason="300 pages of OCR at 5 s a page on one core are 25 minutes; what takes an hour hangs", gt=0
    )
    read_max_pages: int = setting(5_000, unit="pages", reason="the longest protocols have a few hundred", ge=1)
    ocr_dpi: int = setting(
        300,
        unit="dots per inch",
        reason="on 12 of our pages 0.63 % of signs wrong; 0.69 % at 200, 0.70 % at 150 and 400, and at 150 up to half of the right numbers are flagged",
        ge=72,
        le=600,
    )
    ocr_workers: int = setting(0, unit="pages at once", reason="0: as many as the cores this process may use", ge=0)
    ocr_page_seconds: float = setting(180.0, unit="seconds a page", reason="a dense page takes 3 s, four tries on a busy core 60", gt=0)
    vision_url: str | None = setting(
        None, unit="URL of an OpenAI-compatible endpoint", reason="none: figures are captioned by their print and OCR, and nothing is sent"
    )
    vision_model: str = setting("", unit="model name", reason="what the endpoint calls it")
    vision_api_key: SecretStr | None = setting(None, unit="secret", reason="only an endpoint that asks for one")

    # Chunking
    parent_context_characters: int = setting(
        160,
        unit="characters a parent",
        reason="see docs/decisions on chunking: keeps a lead-in's clause, leaves the window to the criterion",
        ge=20,
        le=1000,
    )
    prose_target_tokens: int = setting(
        180, unit="tokens", reason="see docs/decisions on chunking: whole sentences below the window of 256", ge=32, le=512
    )

    protocol_target_characters: int = setting(
        1200, unit="characters", reason="a paragraph or two; the model's window cuts earlier where words are long", ge=200, le=8000
    )
    protocol_min_characters: int = setting(400, unit="characters", reason="a shorter rest is joined to its neighbour", ge=0, le=4000)
    protocol_max_characters: int = setting(1800, unit="characters", reason="no chunk of a protocol is longer", ge=200, le=16000)
    protocol_overlap_characters: int = setting(
        150, unit="characters", reason="about one sentence is said again in the next chunk", ge=0, le=2000
    )
    clinical_overlap_sentences: int = setting(
        1, unit="sentences", reason="what a pronoun refers to mostly stands one sentence before", ge=0, le=5
    )

    # Embedding
    model: str = setting(
        "all-MiniLM-L6-v2",
        unit="packaged model name, or path or name for sentence-transformers",
        reason="the one model a Python package carries",
    )
    kind_models: dict[str, str] = setting(
        {},
        unit="JSON: kind of document → model",
        reason="none: one model for everything; a kind's own model has vectors of its own name, and a search asks each",
    )
    embedding_backend: Literal["auto", "onnx", "sentence-transformers"] = setting(
        "auto",
        unit="backend",
        reason="auto: the ONNX export for the packaged model (import 0.4 s against 13 s), sentence-transformers for others",
    )
    embedding_batch_tokens: int = setting(
        512,
        unit="tokens a batch with padding (ONNX)",
        reason="130 chunks a CPU second against 99 in batches of 32 texts: what a batch touches stays in the core's cache (decision 0004)",
        ge=1,
    )
    embedding_batch_size: int = setting(
        32, unit="texts a batch (sentence-transformers)", reason="the library's own default; a GPU wants more", ge=1
    )
    embedding_device: str | None = setting(
        None, unit="torch device (sentence-transformers)", reason="none: the GPU where there is one, else the CPU"
    )
    embedding_threads: int = setting(0, unit="threads", reason="0: as many as the cores this process may use", ge=0)

    # Indexing
    index_batch_documents: int = setting(
        64, unit="documents", reason="one flip a batch; about 2,000 chunks, 30 s of embedding at most lost to a kill", ge=1
    )
    upsert_batch_bytes: int = setting(8 * 1024 * 1024, unit="bytes", reason="a quarter of Qdrant's 32 MB request limit", ge=65536)
    airflow_batch_documents: int = setting(
        256, unit="documents", reason="a task costs about 1 s and a model load; at most 1,024 tasks can be mapped", ge=1
    )
    airflow_batch_bytes: int = setting(
        64 * 1024 * 1024,
        unit="bytes of files a task",
        reason="some 600 scanned pages at 100 kB, an hour of OCR on one core: below the two hours that a task may take",
        ge=1024,
    )

    # Guards
    max_delete_share: float = setting(
        0.2,
        unit="share of the index (0..1)",
        reason="a nightly run removes a few per cent; a fifth is a broken listing or database",
        ge=0,
        le=1,
    )
    min_documents_for_share: int = setting(
        25, unit="documents", reason="below this many the share is meaningless: one deletion of four documents is a quarter", ge=0
    )

    undo_days: int = setting(
        7, unit="days", reason="a wrong repair shows within a week; until then what it removed lies on the disk a second time", ge=1, le=365
    )

    # Retention
    retention_rules: Path | None = setting(
        None,
        unit="TOML file",
        reason="none: the packaged rules, 7 years for clinical kinds and no limit for public ones; the law of a site's state may ask for more",
    )

    # Collections beside each other
    collection_grace_days: int = setting(
        7, unit="days", reason="a week of use shows whether a promoted collection serves as well; until then it can be moved back", ge=0
    )
    candidate_min_recall: float = setting(
        0.95, unit="recall@10", reason="approximate against exact search within a filter; below it readers miss what is there", ge=0, le=1
    )
    evaluation_queries: Path | None = setting(
        None,
        unit="file of queries (JSON Lines, or `id TAB query` lines)",
        reason="none: a site without judgements promotes by the other checks",
        repr=False,
    )
    evaluation_qrels: Path | None = setting(
        None,
        unit="file of judgements (`query document label`, TREC, or JSON Lines)",
        reason="none: the queries hold their own; document: NCT id, document id, or a file's name",
        repr=False,
    )
    evaluation_min_recall: float = setting(
        0.0, unit="recall@10", reason="0: no floor until a site knows its own figure; the weekly evaluation ends red below it", ge=0, le=1
    )
    evaluation_min_ndcg: float = setting(0.0, unit="nDCG@10", reason="as for recall", ge=0, le=1)

    # Search
    search_limit: int = setting(10, unit="hits", reason="what fits one page", ge=1, le=1000)
    overfetch: int = setting(
        6,
        unit="times the limit",
        reason="grouping by study and dropping stale hits must leave enough; on 138 questions over EMS protocols 2, 4, 6 and 10 give one recall@3",
        ge=1,
    )
    rrf_k: int = setting(60, unit="ranks", reason="Cormack, Clarke and Buettcher, SIGIR 2009", ge=1)
    similarity_threshold: float = setting(
        0.0, unit="score (0..1; of mode fused and its parts: fused score)", reason="0 shows everything with its score", ge=0
    )
    thresholds: dict[str, float] = setting(
        {},
        unit="score (0..1) by intent, a JSON object",
        reason="none: everything is shown with its score; a site that would rather miss than mislead sets those of dosing and contraindication",
    )
    cross_encoder: str | None = setting(
        None,
        unit="path or name for sentence-transformers",
        reason="none: no such model is packaged, and reading 20 pairs takes a CPU 20 to 50 times as long as the signals",
    )
    cross_encoder_documents: int = setting(
        20, unit="documents read a search", reason="two pages of hits; what signals put below is seldom brought up", ge=1, le=200
    )
    status_max_age_hours: float = setting(
        36.0, unit="hours", reason="a study that stopped recruiting yesterday is shown as such: one night, and half a day of lateness", gt=0
    )

    # Citations
    citation_versions: int = setting(
        3,
        unit="superseded versions a document",
        reason="registry records change a few times a year: a citation of last season still shows what changed; each keeps only lost passages",
        ge=0,
        le=100,
    )

    # Answers
    answer_passages: int = setting(
        8, unit="passages", reason="what ten sentences are chosen from; 8 of 256 tokens fit a window of 4,096", ge=1, le=50
    )
    answer_sentences: int = setting(4, unit="sentences", reason="what a reader takes in at once; each has its citation", ge=1, le=20)
    answer_url: str | None = setting(
        None, unit="URL of an OpenAI-compatible endpoint", reason="none: answers are sentences of the passages, and nothing is sent"
    )
    answer_model: str = setting("", unit="model name", reason="what the endpoint calls it")
    answer_api_key: SecretStr | None = setting(None, unit="secret", reason="only an endpoint that asks for one")
    answer_timeout_seconds: float = setting(
        60.0,
        unit="seconds an answer",
        reason="a few hundred tokens on a small GPU take 5 to 20; retries included it is what a reader waits",
        gt=0,
    )
    answer_clinical: bool = setting(
        False,
        unit="yes or no",
        reason="no: passages of clinical kinds are not sent to the endpoint; a site whose endpoint is its own may allow it",
    )

    # Data quality
    quality_documents: int = setting(
        20_000,
        unit="documents a check reads, another stretch of ids each time",
        reason="of 100,000 documents each is read every fifth night; blocking expectations are held against every document before it goes live",
        ge=1,
    )
    quality_batch_rows: int = setting(
        20_000,
        unit="rows checked together",
        reason="12 batches of 20,000 chunks peaked at 284 MB, 243 of them Great Expectations; 0.4 s a batch, 0.8 to 1.5 s where half is broken",
        ge=100,
    )
    quality_history: int = setting(
        10, unit="earlier checks", reason="distributions are compared with the mean of two working weeks of nights", ge=1, le=100
    )

    # Serving
    serve_host: str = setting("127.0.0.1", unit="address", reason="only this machine until somebody decides otherwise")
    serve_port: int = setting(8321, unit="port", reason="free in the registered range", ge=1, le=65535)
    serve_slots: int = setting(
        2,
        unit="requests worked on at once",
        reason="one a core of a small machine; one, two and four came out alike on two cores (docs/serving.md)",
        ge=1,
    )
    open_access: Literal["auto", "public", "operator"] = setting(
        "auto",
        unit="what may be done without a key",
        reason="auto: as public on this machine until the first key is made, then nothing; a site's own choice otherwise",
    )
    requests_per_minute: int = setting(
        600,
        unit="requests a minute a key, or an address without one",
        reason="ten a second: an application's use, no crawl of the index",
        ge=1,
    )
    failed_keys_per_minute: int = setting(
        20,
        unit="requests a minute an address with a key that opens nothing",
        reason="a person mistypes some, a client with a revoked key asks for hours; a key has 256 bits, so that no number of tries finds one",
        ge=1,
    )
    max_request_bytes: int = setting(
        65536, unit="bytes", reason="the longest query has 4,000 characters; the rest is room for filters", ge=1024
    )
    redis_url: SecretStr | None = setting(
        None, unit="Redis URL", reason="none: limits and results in each process; several processes share one Redis"
    )
    query_cache_size: int = setting(1000, unit="query vectors", reason="1.5 MB; a site's frequent queries are some hundreds", ge=1)
    query_cache_hours: float = setting(
        24.0, unit="hours", reason="a day's readers ask alike; a model never changes under its fingerprint", gt=0
    )
    result_cache_size: int = setting(500, unit="results", reason="some 20 MB; a result of ten hits has 20 to 40 kB", ge=0)
    result_cache_seconds: int = setting(
        300, unit="seconds", reason="ages of statuses go stale by minutes; whatever changes truth ends a result at once", ge=1
    )
    interleave: str | None = setting(
        None,
        unit="two modes of search, as full:fused",
        reason="none: comparing costs a second search; feedback then says whose hits readers take",
        pattern=r"^(full|fused|dense|sparse):(full|fused|dense|sparse)\z",
    )

    @model_validator(mode="after")
    def _lengths_agree(self) -> Self:
        """A setting that contradicts another is refused at the start, by name."""
        lengths = (self.protocol_min_characters, self.protocol_target_characters, self.protocol_max_characters)
        if sorted(lengths) != list(lengths):
            raise ValueError("protocol_min_characters, protocol_target_characters and protocol_max_characters must not fall")
        if self.protocol_overlap_characters >= self.protocol_target_characters:
            raise ValueError("protocol_overlap_characters must be below protocol_target_characters")
        if unknown := set(self.kind_models) - set(DocumentKind):
            raise ValueError(f"kind_models names {len(unknown)} kinds of documents that do not exist")
        return self

    @property
    def database(self) -> str:
        """The truth's SQLAlchemy URL."""
        return self.database_url.get_secret_value() if self.database_url else _sqlite(self.home / "truth.sqlite")

    @property
    def cache(self) -> str:
        """The embedding cache's SQLAlchemy URL."""
        return self.cache_url.get_secret_value() if self.cache_url else _sqlite(self.home / "cache.sqlite")

    @property
    def landing(self) -> str:
        """The landing's fsspec URL."""
        return self.landing_url or f"file://{self.home.absolute() / 'landing'}"

    @property
    def index_folder(self) -> Path:
        """Where the embedded index lives."""
        return self.home / "index"

    @property
    def models_folder(self) -> Path:
        """Where ``clindex init`` puts the verified ONNX export."""
        return self.models_path or self.home / "models"

    @property
    def reports_folder(self) -> Path:
        """Where run reports and repair plans are written."""
        return self.home / "reports"


def _sqlite(path: Path) -> str:
    """SQLAlchemy decodes the path of a URL: a home may be called ``50% off``."""
    return f"sqlite:///{quote(str(path.absolute()))}"
