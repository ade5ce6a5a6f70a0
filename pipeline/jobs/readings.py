"""Reads a site's file once by one version of the reader: what was read is kept in landing, where identified text is and nowhere else."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace

from pipeline.domain.errors import RecordError, StoreCorruptError
from pipeline.domain.identifiers import fingerprint, keyed_hash
from pipeline.domain.reading import ReadFile, ReadOptions
from pipeline.domain.site_files import LandedFile
from pipeline.json_bytes import read_json
from pipeline.observability import log_event
from pipeline.settings import Settings
from pipeline.stages.extract import READER_VERSION
from pipeline.stages.extract.limits import Limits
from pipeline.stages.extract.process import read_file
from pipeline.storage.readings import ReadingRow, content_key_of, find_reading, keep_reading
from pipeline.wiring import Services, utc_now

# These are read in a millisecond, and their text is their bytes: a copy would gain nothing.
_NOT_KEPT = ("text/plain", "text/markdown")

OnPage = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class LandedReading:
    """A file, read; its pictures lie in landing. ``images``: their SHA-256 by their number."""

    file: ReadFile = field(repr=False)
    images: Mapping[int, str]


def read_options(settings: Settings, *, vision: bool) -> ReadOptions:
    """Return what readers are told. ``vision``: the file may be shown to the captioner that the settings name (public kinds only)."""
    key = settings.vision_api_key
    seen = settings.vision_url if vision else None
    return ReadOptions(
        dpi=settings.ocr_dpi,
        ocr_workers=settings.ocr_workers,
        ocr_page_seconds=settings.ocr_page_seconds,
        max_pages=settings.read_max_pages,
        vision_url=seen or "",
        vision_model=settings.vision_model if seen else "",
        vision_key=key.get_secret_value() if key and seen else "",
    )


def limits(settings: Settings) -> Limits:
    """Return what one file's reader may use."""
    return Limits(memory_bytes=settings.read_memory_bytes, seconds=settings.read_seconds)


def read_landed(
    services: Services, landed: LandedFile, content: bytes, *, vision: bool = False, on_page: OnPage | None = None
) -> LandedReading:
    """Return what reading a landed file gives: from landing where it was read before, else by a reader in a process of its own.

    Args:
        services: The home.
        landed: Its manifest.
        content: Its bytes.
        vision: See ``read_options``.
        on_page: Called with pages done and pages in all.

    Raises:
        RecordError: It cannot be read; the category says why.
        StoreUnavailableError: Landing or database do not answer.
    """
    options = read_options(services.settings, vision=vision)
    key = _key(services, landed, options)
    kept = None if landed.media_type in _NOT_KEPT else _kept(services, key)
    if kept is not None:
        return kept
    done = read_file(content, landed.media_type, options, limits(services.settings), on_page=on_page)
    if landed.media_type in _NOT_KEPT:
        return LandedReading(done.file, {})
    row = ReadingRow(key, "", done.seconds, done.peak_bytes, content_key_of(services.secret, landed.content))
    reading = _keep(services, row, done.file)
    log_event(
        "file_read", source_key=landed.source_key, pages=len(done.file.pages), seconds=round(done.seconds, 2), peak_bytes=done.peak_bytes
    )
    return reading


def has_reading(services: Services, landed: LandedFile, *, vision: bool) -> bool:
    """Whether a file need not be read again: it was by this version of the reader, or is of a kind that costs nothing to read."""
    if landed.media_type in _NOT_KEPT:
        return True
    with services.db.read() as tx:
        return find_reading(tx, _key(services, landed, read_options(services.settings, vision=vision))) is not None


def _key(services: Services, landed: LandedFile, options: ReadOptions) -> str:
    # How many pages are read at once, and how long one may take, does not change what is read.
    told = {name: value for name, value in asdict(options).items() if name not in ("ocr_workers", "ocr_page_seconds", "vision_key")}
    return keyed_hash(services.secret, "reading", "|".join((landed.content, landed.media_type, READER_VERSION, fingerprint(told))))


def _kept(services: Services, key: str) -> LandedReading | None:
    with services.db.read() as tx:
        row = find_reading(tx, key)
    if row is None:
        return None
    try:
        values = read_json(services.landing.get(row.artifact_sha256))
        return LandedReading(ReadFile.from_json(values["file"]), {int(number): sha256 for number, sha256 in values["images"].items()})
    except StoreCorruptError:
        services.landing.delete(row.artifact_sha256)
    except (KeyError, ValueError, TypeError, RecordError):  # lost, or of another version: it is read again
        pass
    return None


def _keep(services: Services, row: ReadingRow, file: ReadFile) -> LandedReading:
    images = {one.number: services.landing.put(one.image) for one in file.figures if one.image}
    bare = replace(file, figures=tuple(replace(one, image=b"") for one in file.figures))
    data = json.dumps({"file": bare.to_json(), "images": images}, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )
    artifact = services.landing.put(data)
    with services.db.begin() as tx:
        keep_reading(tx, replace(row, artifact_sha256=artifact), utc_now())
    return LandedReading(bare, images)
