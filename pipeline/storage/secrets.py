"""The site's secret, which keys that could identify a person are hashed with, and the guard against using another one."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import secrets
import tempfile
from pathlib import Path
from typing import Final

from pipeline.domain.errors import ConfigurationError, SecretMismatchError
from pipeline.settings import Settings
from pipeline.storage import meta
from pipeline.storage.engine import Database

SECRET_FILE: Final = "site_secret"  # noqa: S105 - a file's name

# 256 bits, as Python's own ``secrets`` documentation recommends against brute force.
_SECRET_BYTES: Final = 32
# A person's own secret must not be guessable by trying: 16 random characters are about 100 bits.
_SHORTEST: Final = 16

_META_KEY: Final = "site_secret_fingerprint"
_LABEL: Final = b"clindex site secret fingerprint 1"


def ensure_site_secret(settings: Settings, db: Database) -> bytes:
    """Return the site's secret after checking that this home was made with it.

    It comes from the setting, from its file, or from ``site_secret`` in the home. A home without a fingerprint is new: its
    secret is made where there is none, and its fingerprint is stored.

    Raises:
        SecretMismatchError: The home was made with another secret, or its secret is gone. Nothing was changed.
        ConfigurationError: The secret is too short or its file cannot be read.
    """
    with db.read() as tx:
        known = meta.get(tx, _META_KEY)
    secret = find_site_secret(settings)
    if known is None:
        secret = secret or _make(settings.home)
        with db.begin() as tx:
            known = meta.put_once(tx, _META_KEY, secret_fingerprint(secret))
    if secret is None:
        raise SecretMismatchError(
            "this home was made with a site secret that is not there any more",
            remedy="Restore site_secret in the home, or set CLINDEX_SITE_SECRET(_FILE); if it is lost, docs/secrets.md says how to begin anew.",
        )
    if not hmac.compare_digest(known, secret_fingerprint(secret)):
        raise SecretMismatchError(
            "the site secret is not the one this home was made with",
            remedy="Use the home's own secret: with another one every pseudonym would change. To rotate it, build a new home (docs/secrets.md).",
        )
    return secret


def secret_fingerprint(secret: bytes) -> str:
    """Return 32 hex digits that tell two secrets apart and do not reveal either."""
    return hmac.new(secret, _LABEL, hashlib.sha256).hexdigest()[:32]


def find_site_secret(settings: Settings) -> bytes | None:
    """Return the secret that the settings name or the home keeps, ``None`` where there is none."""
    if settings.site_secret is not None:
        return _checked(settings.site_secret.get_secret_value())
    if settings.site_secret_file is not None:
        return _checked(_read(settings.site_secret_file))
    own = settings.home / SECRET_FILE
    return _checked(_read(own)) if own.exists() else None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise ConfigurationError("the site secret's file cannot be read", remedy="check CLINDEX_SITE_SECRET_FILE and its rights") from None


def _checked(secret: str) -> bytes:
    if len(secret) < _SHORTEST:
        raise ConfigurationError(f"the site secret has fewer than {_SHORTEST} characters", remedy="use 32 random bytes in hex")
    return secret.encode()


def _make(home: Path) -> bytes:
    """Write a new secret (0600). Of two processes that do it at once, both return the first one's."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    target = home / SECRET_FILE
    descriptor, name = tempfile.mkstemp(dir=home, prefix=".site_secret-")  # mkstemp makes it 0600
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_hex(_SECRET_BYTES))
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(name, target)  # fails, unlike a rename, where the target exists
    finally:
        os.unlink(name)
    return _checked(_read(target))
