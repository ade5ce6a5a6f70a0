"""Encryption at rest of landed payloads: Fernet (AES-128-CBC with HMAC-SHA256) of the library ``cryptography``, with rotation.

A stored object is ``clindex-fernet-1 KEYID`` and a line feed, then the token. The key id (a hash) says which key an object needs, so that a
wrong key is told from a damaged object. Objects that were landed before there was a key are plain gzip and stay readable.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from pipeline.domain.errors import ConfigurationError
from pipeline.settings import Settings

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

_HEAD: Final = b"clindex-fernet-1 "
_ID_DIGITS: Final = 16
_LABEL: Final = b"clindex landing key 1"


class DamagedObjectError(Exception):
    """An object whose key is ours does not decrypt: it was changed or cut. Never leaves the landing."""


class LandingKeys:
    """Encrypts with the first key and decrypts with any.

    Args:
        keys: Fernet keys: 32 bytes in URL-safe base64, newest first; none: nothing is encrypted.

    Raises:
        ConfigurationError: One is no Fernet key.
    """

    def __init__(self, keys: Sequence[str] = ()) -> None:
        self._fernets = _fernets(keys)
        self._newest = next(iter(self._fernets), None)

    @property
    def encrypts(self) -> bool:
        """Whether new objects are encrypted."""
        return self._newest is not None

    def seal(self, packed: bytes) -> bytes:
        """Return what is stored for packed bytes."""
        if self._newest is None:
            return packed
        return _HEAD + self._newest.encode() + b"\n" + base64.urlsafe_b64decode(self._fernets[self._newest].encrypt(packed))

    def open(self, stored: bytes) -> bytes:
        """Return the packed bytes of what is stored.

        Raises:
            ConfigurationError: It was encrypted with a key that the settings do not hold.
            DamagedObjectError: It is not what was stored.
        """
        if not stored.startswith(_HEAD):
            return stored
        key_id = stored[len(_HEAD) : len(_HEAD) + _ID_DIGITS].decode("ascii", "replace")
        fernet = self._fernets.get(key_id)
        if fernet is None:
            raise ConfigurationError(
                "the landing holds objects that were encrypted with a key that is not given"
                if self._fernets
                else "the landing is encrypted and no key is given",
                remedy="Give every key that was ever used, newest first: CLINDEX_LANDING_KEY_FILE or CLINDEX_LANDING_KEY.",
            )
        from cryptography.fernet import InvalidToken

        try:
            return fernet.decrypt(base64.urlsafe_b64encode(stored[len(_HEAD) + _ID_DIGITS + 1 :]))
        except InvalidToken:
            raise DamagedObjectError from None

    def is_current(self, stored: bytes) -> bool:
        """Whether an object is stored as it would be now: under the newest key, or plain where there is none."""
        head = _HEAD + self._newest.encode() if self._newest else b""
        return stored.startswith(head) if head else not stored.startswith(_HEAD)


def landing_keys(settings: Settings) -> LandingKeys:
    """Return the keys that the settings name, one a line or separated by commas.

    Raises:
        ConfigurationError: The file cannot be read, is empty, or holds something else.
    """
    text = ""
    if settings.landing_key is not None:
        text = settings.landing_key.get_secret_value()
    elif settings.landing_key_file is not None:
        try:
            text = settings.landing_key_file.read_text("ascii")
        except (OSError, UnicodeDecodeError):
            raise ConfigurationError(
                "the landing key's file cannot be read", remedy="Check CLINDEX_LANDING_KEY_FILE and its rights."
            ) from None
    keys = text.replace(",", "\n").split()
    if not keys and (settings.landing_key is not None or settings.landing_key_file is not None):
        raise ConfigurationError(
            "the landing key is empty", remedy="Unset CLINDEX_LANDING_KEY and CLINDEX_LANDING_KEY_FILE, or give a key."
        )
    return LandingKeys(keys)


def _fernets(keys: Sequence[str]) -> dict[str, Fernet]:
    """Return ciphers by key id, in the order given. The library is imported only where there is a key."""
    if not keys:
        return {}
    from cryptography.fernet import Fernet

    try:
        return {_key_id(key): Fernet(key) for key in keys}
    except (ValueError, binascii.Error):
        raise ConfigurationError(
            "a landing key is no Fernet key",
            remedy='Make one with `python -c "from cryptography.fernet import Fernet; print(Fernet.generate_key().decode())"`.',
        ) from None


def _key_id(key: str) -> str:
    """16 hex digits that tell keys apart and reveal none."""
    return hashlib.blake2b(key.encode(), key=_LABEL, digest_size=_ID_DIGITS // 2).hexdigest()
