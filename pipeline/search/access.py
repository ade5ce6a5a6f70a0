"""Who asks, and what they may see: keys of the HTTP API become a principal, a principal becomes a filter of the engine.

A key is ``clx_ID_SECRET``. Its id is public and names the key in the log; what is stored is an HMAC-SHA256 of the whole by the site's
secret. The secret part has 256 random bits, so that there is nothing to guess and nothing to slow a guesser down for.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from sqlalchemy import Connection

from pipeline.domain.documents import Facets
from pipeline.domain.visibility import OPEN_ONLY, Limits, Visibility
from pipeline.storage import api_keys
from pipeline.storage.api_keys import ApiKey

_ID_BYTES: Final = 4  # 8 hex digits: told apart on a screen, and never guessed from, because it opens nothing
_SECRET_BYTES: Final = 32  # as Python's own ``secrets`` documentation recommends against brute force
_KEY: Final = re.compile(r"clx_([0-9a-f]{8})_[A-Za-z0-9_-]{43}\Z", re.ASCII)
_NO_DIGEST: Final = "0" * 64  # compared with where there is no key of that id, so that both take the same steps


class Role(StrEnum):
    """What a key may do."""

    PUBLIC = "public"  # search open documents
    CLINICAL = "clinical"  # those and what the key's labels, departments and patients allow
    OPERATOR = "operator"  # everything, with status, report and metrics


@dataclass(frozen=True, slots=True)
class Principal:
    """Who asks.

    Attributes:
        role: What they may do.
        key_id: Public part of their key; ``None``: they came without one, or ask from the command line.
        limits: Of a clinical key.
    """

    role: Role
    key_id: str | None = None
    limits: Limits | None = None

    @property
    def visible(self) -> Visibility | None:
        """What the engine filters by; ``None``: everything may be seen."""
        if self.role is Role.OPERATOR:
            return None
        return Visibility(self.limits) if self.role is Role.CLINICAL and self.limits is not None else OPEN_ONLY

    def sees(self, kind: str, facets: Facets) -> bool:
        """Whether a document of this kind and with these facets may be shown to them."""
        visible = self.visible
        return visible is None or visible.sees(kind, facets)


#: Whoever runs a command can read the whole home anyway.
OPERATOR: Final = Principal(Role.OPERATOR)
#: Whoever comes without a key, where that is allowed.
ANYBODY: Final = Principal(Role.PUBLIC)


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key that was just made: its id, and the whole of it, which is not kept."""

    key_id: str
    digest: str
    text: str


def new_key(secret: bytes) -> NewKey:
    """Return a new random key. ``secret`` is the site's."""
    key_id = secrets.token_hex(_ID_BYTES)
    text = f"clx_{key_id}_{secrets.token_urlsafe(_SECRET_BYTES)}"
    return NewKey(key_id, _digest(secret, text), text)


def principal_of(tx: Connection, text: str, now: datetime, *, secret: bytes) -> Principal | None:
    """Return whom a key belongs to; ``None`` where it is unknown, revoked or expired: nothing tells which.

    The digest is compared in constant time, and also where there is no key of that id.
    """
    shaped = _KEY.match(text)
    found = api_keys.get(tx, shaped[1]) if shaped else None
    same = hmac.compare_digest(_digest(secret, text), found.digest if found else _NO_DIGEST)
    return _principal(found) if found is not None and same and found.is_valid(now) else None


def _principal(key: ApiKey) -> Principal:
    role = Role(key.role)
    return Principal(role, key.key_id, Limits(key.labels, key.departments, key.patients) if role is Role.CLINICAL else None)


def _digest(secret: bytes, text: str) -> str:
    return hmac.new(secret, f"clindex api key\0{text}".encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
