"""Base64 as FHIR writes it (https://hl7.org/fhir/R4/datatypes.html#base64Binary), with what an Attachment says of its bytes."""

from __future__ import annotations

import base64
import binascii
import hashlib


def decoded(data: str) -> bytes | None:
    """Return what base64 says, blanks within it left out; ``None`` where it is none: alphabet and padding must be right."""
    try:
        return base64.b64decode("".join(data.split()), validate=True)
    except (binascii.Error, ValueError):
        return None


def has_size_and_hash(content: bytes, *, size: str | None, sha1: str | None) -> bool:
    """Whether bytes have the size, as printed, and the SHA-1, in base64, that are said of them; what is not said is not asked."""
    if size is not None and str(size) != str(len(content)):
        return False
    return sha1 is None or decoded(sha1) == hashlib.sha1(content, usedforsecurity=False).digest()
