"""Looks for what was deleted in cache and landing: everything that is kept is hashed with the site's key and compared with the evidence.

What another, living document uses now is no hit: equal bytes or texts may come again with a document that nobody deleted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, select

from pipeline.domain.errors import StoreCorruptError
from pipeline.domain.evidence import trace
from pipeline.domain.site_files import LandedFile
from pipeline.domain.vocabulary import Source
from pipeline.jobs.certificates.probes.model import Findings, Probe, Subject
from pipeline.json_bytes import read_json
from pipeline.storage.readings import content_key_of
from pipeline.storage.tables import chunks, document_figures, documents, readings
from pipeline.wiring import Services

_IN_BATCH: Final = 500


@dataclass(frozen=True, slots=True)
class Kept:
    """What the stores hold of all that is looked for: keyed hashes."""

    texts: frozenset[str]
    landed: frozenset[str]
    readings: frozenset[str]


def look_into_stores(services: Services, subjects: Sequence[Subject]) -> Kept:
    """Read through cache, landing and readings once, for all subjects."""
    texts = {one for subject in subjects for one in subject.evidence.texts}
    landed = {one for subject in subjects for one in subject.evidence.landed}
    read = {one for subject in subjects for one in subject.evidence.readings}
    found_texts = _found(services, services.cache.text_hashes() if texts else (), texts)
    found_landed = _found(services, services.landing.hashes() if landed else (), landed)
    with services.db.read() as tx:
        kept = (
            list(tx.execute(select(readings.c.reading_key, readings.c.artifact_sha256, readings.c.content_key))) if read or landed else []
        )
        used_texts = _texts_in_use(tx, list(found_texts.values()))
        used = _landed_in_use(services, tx, set(found_landed.values()))
    # What a file was read into goes with the file: where the same bytes came again with another document, so did what was read of them.
    contents = {content_key_of(services.secret, one) for one in used}
    used.update(row.artifact_sha256 for row in kept if row.content_key in contents)
    strays = {trace(services.secret, row.reading_key) for row in kept if row.content_key not in contents}
    return Kept(
        texts=frozenset(key for key, value in found_texts.items() if value not in used_texts),
        landed=frozenset(key for key, value in found_landed.items() if value not in used),
        readings=frozenset(strays & read),
    )


def probe_stores(subject: Subject, kept: Kept, findings: Findings) -> None:
    """Count what the stores hold of one deletion."""
    evidence = subject.evidence
    for probe, wanted, found in (
        (Probe.CACHE, evidence.texts, kept.texts),
        (Probe.LANDING, evidence.landed, kept.landed),
        (Probe.READINGS, evidence.readings, kept.readings),
    ):
        findings.add(probe, len(wanted), (f"{probe}/{one}" for one in wanted if one in found))


def _found(services: Services, kept: Iterable[str], wanted: set[str]) -> dict[str, str]:
    """Return what is kept of what is wanted: its own hash by its keyed hash."""
    secret = services.secret
    return {keyed: value for value in kept if (keyed := trace(secret, value)) in wanted}


def _texts_in_use(tx: Connection, hashes: Sequence[str]) -> set[str]:
    """Return those of the texts that a living document has."""
    used: set[str] = set()
    for start in range(0, len(hashes), _IN_BATCH):
        query = (
            select(chunks.c.text_hash)
            .distinct()
            .join(documents, documents.c.document_id == chunks.c.document_id)
            .where(documents.c.tombstoned_at.is_(None), chunks.c.text_hash.in_(hashes[start : start + _IN_BATCH]))
        )
        used.update(tx.execute(query).scalars())
    return used


def _landed_in_use(services: Services, tx: Connection, hashes: set[str]) -> set[str]:
    """Return those of the objects that a living document is made of. Manifests are read only where something was found."""
    if not hashes:
        return set()
    used: set[str] = set()
    alive = select(documents.c.source, documents.c.payload_sha256).where(documents.c.tombstoned_at.is_(None))
    for row in tx.execute(alive):
        parts = _parts(services, row.payload_sha256) if row.source == Source.DOCUMENTS.value else ()
        used.update(hashes.intersection((row.payload_sha256, *parts)))
    pictures = select(document_figures.c.image_sha256).join(documents, documents.c.document_id == document_figures.c.document_id)
    used.update(hashes.intersection(tx.execute(pictures.where(documents.c.tombstoned_at.is_(None))).scalars()))
    return used


def _parts(services: Services, manifest: str) -> Iterator[str]:
    try:
        landed = LandedFile.of(read_json(services.landing.get(manifest)))
    except (KeyError, ValueError, StoreCorruptError):  # lost, damaged, or of another version: it names nothing
        return
    yield landed.content
    if landed.sidecar is not None:
        yield landed.sidecar
