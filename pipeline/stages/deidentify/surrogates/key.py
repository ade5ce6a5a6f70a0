"""A keyed source of choices: the same secret, patient, kind and value choose the same, and nobody without the secret can tell what chose."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from typing import Final, TypeVar

_BYTES: Final = 8  # a choice of 64 bits is even enough for any list
_Choice = TypeVar("_Choice")


class Chooser:
    """Chooses by HMAC-SHA256 of the secret over patient, kind, value and what is chosen.

    Args:
        secret: The site's secret.
        subject: The patient's pseudonym.
    """

    def __init__(self, secret: bytes, subject: str) -> None:
        self._secret = secret
        self._subject = subject

    def number(self, below: int, kind: str, value: str, *what: object) -> int:
        """Return a number from 0 up to, and without, ``below``."""
        message = "\x1f".join(("surrogate", self._subject, kind, value, *map(str, what)))
        digest = hmac.new(self._secret, message.encode("utf-8", "surrogatepass"), hashlib.sha256).digest()
        return int.from_bytes(digest[:_BYTES]) % below

    def one_of(self, choices: Sequence[_Choice], kind: str, value: str, *what: object) -> _Choice:
        """Return one of ``choices``."""
        return choices[self.number(len(choices), kind, value, *what)]
