"""What would be indexed of one of a site's files: its pages, its chunks, and the account of characters. Writes nothing."""

from __future__ import annotations

import os
import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path

from pipeline.domain.documents import Document, Facets
from pipeline.domain.errors import RecordError, UsageError
from pipeline.domain.identifiers import document_id, sha256_hex
from pipeline.domain.reading import ReadFile
from pipeline.domain.site_files import MEDIA_TYPES, TEXT, LandedFile, Sidecar
from pipeline.domain.vocabulary import PUBLIC_KINDS, DocumentKind, Source
from pipeline.jobs.chunk_preview import describe
from pipeline.jobs.fhir.rendering import render_resource
from pipeline.jobs.readings import LandedReading, limits, read_options
from pipeline.jobs.site_files import SiteFile, build_site_file, facts_of
from pipeline.json_bytes import read_json_as_printed
from pipeline.observability import ProgressReporter
from pipeline.settings import Settings
from pipeline.stages.deidentify import Scrubber, deidentify, policy_for
from pipeline.stages.embed import open_token_counter
from pipeline.stages.extract import READER_VERSION
from pipeline.stages.extract.process import read_file
from pipeline.stages.normalize import read_sidecar
from pipeline.stages.sources.documents import sidecar_of
from pipeline.wiring import document_chunker, site_formats

_SECRET = b"preview"  # no home is opened: the file has no key, and nothing that is keyed is shown


def preview_file(settings: Settings, path: Path, *, kind: str | None) -> dict[str, object]:
    """Return ``documents`` with the one document of a file, and whether it could not be taken (its category is its ``outcome``).

    Args:
        settings: Limits and parameters; no home is opened, so that the policies' placeholders stand for what is replaced.
        path: The file, with what its sidecar says; ``-`` is standard input.
        kind: Its kind; ``None``: by sidecar, else told from its text.

    Raises:
        UsageError: There is no such file.
    """
    content, said = _bytes(path)
    media_type = MEDIA_TYPES.get(path.suffix.lower(), TEXT)
    landed = LandedFile("preview", "preview", "", media_type, sha256_hex(content), None, kind, None)
    head: dict[str, object] = {"source_key": "preview", "kind": kind}
    try:
        if kind == DocumentKind.FHIR_RESOURCE.value:
            return {"documents": [{**head, **_resource(settings, content)}], "incomplete": False}
        facts = facts_of(landed, Sidecar() if said is None else read_sidecar(said), settings=settings, secret=_SECRET)
        options = read_options(settings, vision=facts.kind in PUBLIC_KINDS)
        with ProgressReporter("read pages", total=None) as progress:
            read = read_file(content, media_type, options, limits(settings), on_page=progress.reach).file
        file = build_site_file(landed, facts, LandedReading(read, {}), secret=_SECRET)
    except RecordError as error:
        return {"documents": [{**head, "outcome": error.category, "chunks": [], "loss": None}], "incomplete": True}
    return {"documents": [{**head, **_described(settings, file), **_pages(read)}], "incomplete": any(page.failure for page in read.pages)}


def _bytes(path: Path) -> tuple[bytes, bytes | None]:
    """Return a file's bytes and those of its sidecar."""
    try:
        if str(path) == "-":
            return sys.stdin.buffer.read(), None
        beside = sidecar_of(path.name, os.listdir(path.absolute().parent))
        return path.read_bytes(), None if beside is None else path.with_name(beside).read_bytes()
    except OSError:
        raise UsageError("the file cannot be read", remedy="Give a file that exists.") from None


def _resource(settings: Settings, content: bytes) -> dict[str, object]:
    """Return what would be indexed of one FHIR resource in JSON; what it refers to is not there, but for what it contains."""
    rendered = render_resource(read_json_as_printed(content), {})
    key = document_id(Source.FHIR, "preview")
    document = Document(key, Source.FHIR.value, "preview", DocumentKind.FHIR_RESOURCE, rendered.title, rendered.parts, Facets(), "", "")
    scrubbed = deidentify(document, Scrubber(site=site_formats(settings)), policy_for(document.kind, document.source))
    chunked = document_chunker(settings, open_token_counter(settings)).chunk(scrubbed)
    return {"title": scrubbed.title, **describe(chunked)}


def _described(settings: Settings, file: SiteFile) -> dict[str, object]:
    document = file.document
    policy = policy_for(document.kind, document.source)
    scrubbed = deidentify(document, Scrubber(site=site_formats(settings)), policy, subject=file.subject, known=file.known)
    chunked = document_chunker(settings, open_token_counter(settings)).chunk(scrubbed)
    return {
        "kind": document.kind.value,
        "kind_score": round(file.identity.kind_score, 3),
        "kind_by": "record" if file.facts.kind else "classifier",
        "title": scrubbed.title,
        "identifiers": [asdict(fact) for fact in file.identity.facts] if document.kind in PUBLIC_KINDS else [],
        **describe(chunked),
    }


def _pages(read: ReadFile) -> dict[str, object]:
    return {
        "reader": READER_VERSION,
        "notices": list(read.notices),
        "pages": [asdict(page) for page in read.pages],
        "pages_by_outcome": dict(Counter(page.outcome.value for page in read.pages)),
        "figures": [
            {"number": one.number, "page": one.page, "kind": one.kind.value, "captioned_by": one.captioned_by} for one in read.figures
        ],
    }
