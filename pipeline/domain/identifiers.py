"""Deterministic ids and hashes: the same input has the same id on every machine and after every rebuild."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from typing import Any, Final
from uuid import UUID, uuid5

# Fixed for ever: changing it changes every id in every home. It is UUIDv5(NAMESPACE_DNS, "clindex").
NAMESPACE: Final = UUID("b579a27b-b856-55db-a805-43326f2b6d71")

_NCT_ID = re.compile(r"NCT\d{8}\Z", re.ASCII)


def document_id(source: str, source_key: str) -> UUID:
    """Return the id of the document that ``source`` knows as ``source_key``.

    Raises:
        ValueError: One of them is empty (an empty id would address every document at once).
    """
    if not source or not source_key:
        raise ValueError("source and source_key must not be empty")
    return uuid5(NAMESPACE, f"{source}|{source_key}")


def point_id(document: UUID, *, generation: int, section: str, ordinal: int, piece: int = 1) -> UUID:
    """Return the id of one chunk's point. ``ordinal`` and ``piece`` count from 1; equal texts never collapse."""
    key = f"{generation}|{section}|{ordinal}" if piece == 1 else f"{generation}|{section}|{ordinal}.{piece}"
    return uuid5(document, key)


def is_nct_id(value: str) -> bool:
    """Whether ``value`` has the shape of a ClinicalTrials.gov id (``NCT`` and eight digits, nothing else)."""
    return _NCT_ID.match(value) is not None


def sha256_hex(data: bytes) -> str:
    """Return the SHA-256 of ``data`` as 64 hex digits."""
    return hashlib.sha256(data).hexdigest()


def text_hash(text: str) -> str:
    """Return the SHA-256 of ``text`` in UTF-8. Lone surrogates are allowed and hashed as themselves."""
    return sha256_hex(text.encode("utf-8", "surrogatepass"))


def keyed_hash(secret: bytes, purpose: str, value: str) -> str:
    """Return the HMAC-SHA256 of ``value`` as 32 hex digits (128 bits: no two of a billion keys meet), so that nobody can try values.

    Args:
        secret: The site's secret.
        purpose: What it is a hash of (``document``, ``patient``): one value has unrelated hashes for different purposes.
        value: What could identify a person: a path, a patient's number.
    """
    message = f"{purpose}\0{value}".encode("utf-8", "surrogatepass")
    return hmac.new(secret, message, hashlib.sha256).hexdigest()[:32]


def canonical_json(value: Any) -> bytes:
    """Return the one JSON form of ``value`` that hashes are made of (sorted keys, no blanks, UTF-8)."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")


def fingerprint(value: Any) -> str:
    """Return a 32-hex-digit fingerprint of a JSON-able value."""
    return hashlib.blake2b(canonical_json(value), digest_size=16).hexdigest()
