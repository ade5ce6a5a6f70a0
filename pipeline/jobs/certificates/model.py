"""A certificate of deletion: what it says, what its hash and seal are made of, and the file that holds it. Ids, counts and keyed hashes; no text."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Literal
from uuid import UUID

from pydantic import Field

from pipeline.domain.evidence import Evidence
from pipeline.domain.identifiers import canonical_json, sha256_hex
from pipeline.jobs.certificates.probes.model import Check
from pipeline.jobs.summaries import Summary
from pipeline.settings import Settings

_PATTERN: Final = "[0-9]*-*.json"


class CertifiedDocument(Summary):
    """One document that is gone."""

    document_id: str
    source: str
    kind: str


class CertificateCounts(Summary):
    """How much went."""

    documents: int
    points: int = Field(description="of all collections and generations")
    landed: int = Field(description="objects of landing: what was fetched, readings, pictures")
    texts: int = Field(description="embedded texts that no other document has")
    readings: int
    rows: dict[str, int] = Field(description="rows of truth by table")


class CertificateBody(Summary):
    """All that the hash is made of."""

    version: Literal[1] = 1
    number: int = Field(description="in the chain, from 1")
    previous: str = Field(description="hash of the certificate before; zeros for the first")
    issued_at: str = Field(description="ISO 8601, UTC")
    deletion_id: str
    cause: str = Field(description="a DeletionCause")
    requested_by: str
    requested_at: str = Field(description="ISO 8601, UTC")
    patient: str | None = Field(description="pseudonym, where all of one patient's documents were deleted")
    documents: list[CertifiedDocument]
    counts: CertificateCounts
    points: dict[str, dict[str, list[str]]] = Field(description="ids by collection and generation")
    landed: list[str] = Field(description="keyed hashes of the objects' SHA-256")
    texts: list[str] = Field(description="keyed hashes of the texts' hashes")
    readings: list[str] = Field(description="keyed hashes of the readings' keys")
    digests: dict[str, str] = Field(description="SHA-256 of each list of evidence")
    verified_at: str = Field(description="ISO 8601, UTC")
    collections: list[str] = Field(description="that the verifier opened")
    checks: list[Check]
    versions: dict[str, str] = Field(description="of the program, the schema and the payloads")

    @property
    def evidence(self) -> Evidence:
        """What must not be found again."""
        return Evidence.from_json(self.model_dump(include={"points", "landed", "texts", "readings"}))


class Certificate(Summary):
    """A body with its hash and seal."""

    body: CertificateBody
    hash: str = Field(description="SHA-256 of the body in canonical JSON (sorted keys, no blanks, UTF-8)")
    seal: str = Field(description="HMAC-SHA256 of the hash by the site's secret")

    @classmethod
    def of(cls, body: CertificateBody, secret: bytes) -> Certificate:
        """Hash and seal a body."""
        digest = body_hash(body.model_dump(mode="json"))
        return cls(body=body, hash=digest, seal=seal_of(secret, digest))

    def file_bytes(self) -> bytes:
        """Return the file's content: one form, so that every byte of it is checked."""
        return json.dumps(self.model_dump(mode="json"), indent=2, sort_keys=True, ensure_ascii=True).encode() + b"\n"

    @property
    def file_name(self) -> str:
        """Number and deletion, so that a folder is in the chain's order."""
        return f"{self.body.number:06d}-{self.body.deletion_id}.json"


def body_hash(body: dict[str, Any]) -> str:
    """Return what the hash of a body must be."""
    return sha256_hex(canonical_json(body))


def seal_of(secret: bytes, digest: str) -> str:
    """Return the seal of a certificate's hash."""
    return _hmac(secret, f"clindex certificate\0{digest}")


def head_seal_of(secret: bytes, number: int, digest: str) -> str:
    """Return the seal of the chain's head: without the secret nobody can name an earlier certificate the last."""
    return _hmac(secret, f"clindex certificates head\0{number}\0{digest}")


def same(one: str, other: str) -> bool:
    """Compare hashes in constant time."""
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))


def evidence_digests(evidence: Evidence) -> dict[str, str]:
    """Return the SHA-256 of each list of evidence."""
    values = evidence.to_json()
    return {name: sha256_hex(canonical_json(values[name])) for name in ("points", "landed", "texts", "readings")}


def certificates_folder(settings: Settings) -> Path:
    """Return where the files lie."""
    return settings.home / "certificates"


def certificate_files(settings: Settings) -> Iterator[Path]:
    """Yield the files of certificates, in the chain's order."""
    yield from sorted(certificates_folder(settings).glob(_PATTERN))


def write_file(settings: Settings, certificate: Certificate) -> None:
    """Write a certificate's file (0600), as a whole or not at all; what a run that was killed left of the same deletion goes."""
    folder = certificates_folder(settings)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for stray in folder.glob(f"*-{UUID(certificate.body.deletion_id)}.json"):
        stray.unlink()
    descriptor, temporary = tempfile.mkstemp(dir=folder, prefix=".new-")  # mkstemp makes it 0600
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(certificate.file_bytes())
            file.flush()
            os.fsync(file.fileno())
        os.rename(temporary, folder / certificate.file_name)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def _hmac(secret: bytes, message: str) -> str:
    return hmac.new(secret, message.encode(), hashlib.sha256).hexdigest()
