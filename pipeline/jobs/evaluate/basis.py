"""What an evaluation is measured on: versions, the index's digest, the weights, settings without secrets."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from importlib.metadata import version
from typing import Final

from pydantic import SecretStr

from pipeline.domain.identifiers import fingerprint, sha256_hex
from pipeline.jobs.evaluate.judged import JudgedQuery
from pipeline.jobs.evaluate.model import Basis
from pipeline.settings import Settings
from pipeline.storage.document_names import index_digest, searchable_count
from pipeline.wiring import Services

_DATA: Final = ("pipeline.search.rerank", "pipeline.lexicons")
_FORMS: Final = (".json", ".toml")
#: Settings that could name a host, a person's folder or what a site looks for: not needed to repeat a measurement.
_LEFT_OUT: Final = ("_url", "_path", "_paths", "_file", "_query", "_formats", "_host", "home", "_secret", "_key")


def basis_of(there: Services, queries: Sequence[JudgedQuery]) -> Basis:
    """Return the basis of an evaluation of a home's collection."""
    with there.db.read() as tx:
        digest = index_digest(tx, collection=there.collection)
        documents = searchable_count(tx, collection=there.collection)
    return Basis(
        clindex=version("clindex"),
        collection=there.collection,
        index_digest=digest,
        model=there.model_fingerprint,
        weights=weights_fingerprint(),
        queries_sha256=queries_fingerprint(queries),
        documents=documents,
        settings=settings_without_secrets(there.settings),
    )


def basis_of_server(settings: Settings, queries: Sequence[JudgedQuery], documents: int | None) -> Basis:
    """Return the basis of an evaluation of a server: what is behind it, this process cannot see."""
    return Basis(
        clindex=version("clindex"),
        collection=None,
        index_digest=None,
        model=None,
        weights=weights_fingerprint(),
        queries_sha256=queries_fingerprint(queries),
        documents=documents,
        settings=settings_without_secrets(settings),
    )


def weights_fingerprint() -> str:
    """Return one fingerprint of all weights and lexicons of search, by name and content."""
    files = {
        f"{package}/{entry.name}": sha256_hex(entry.read_bytes())
        for package in _DATA
        for entry in resources.files(package).iterdir()
        if entry.name.endswith(_FORMS)
    }
    return fingerprint(files)


def queries_fingerprint(queries: Sequence[JudgedQuery]) -> str:
    """Return a hash of queries and judgements, in whatever order they stood."""
    rows = sorted((query.query_id, query.text, sorted(query.labels.items()), query.refuse) for query in queries)
    return fingerprint([list(row) for row in rows])


def settings_without_secrets(settings: Settings) -> dict[str, bool | int | float | str | None]:
    """Return plain settings by name; secrets, paths and URLs are not among them."""
    return {
        name: value
        for name in Settings.model_fields
        if not isinstance(value := getattr(settings, name), SecretStr)
        and isinstance(value, bool | int | float | str | None)
        and not name.endswith(_LEFT_OUT)
    }
