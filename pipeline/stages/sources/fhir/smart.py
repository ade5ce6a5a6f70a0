"""SMART Backend Services: a signed JWT in, an access token out, a new one before it ends.

Source: https://hl7.org/fhir/smart-app-launch/backend-services.html. Neither token nor assertion is in a log or an error.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import jwt
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from pipeline.domain.errors import ConfigurationError, RecordError, SourceProtocolError, SourceRefusedError
from pipeline.domain.identifiers import canonical_json
from pipeline.fhir.exact_json import read_exact
from pipeline.stages.sources.polite_http import Answer, PassingFaultError, PoliteClient, Request

_ASSERTION: Final = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
_ASSERTION_LIVES: Final = timedelta(minutes=4)  # SMART allows five
_RENEW_BEFORE: Final = timedelta(seconds=60)
_TOKEN_LIVES: Final = 300  # seconds, where a server does not say: SMART's recommended longest
_KEY_REMEDY: Final = "CLINDEX_FHIR_PRIVATE_KEY_FILE names a private key as PEM or JWK: RSA of 2,048 bits or more, or EC P-384."
#: Members of a public key that its thumbprint is made of (RFC 7638), by type.
_THUMBPRINT: Final = {"RSA": ("e", "kty", "n"), "EC": ("crv", "kty", "x", "y")}
#: Why a token endpoint refuses (RFC 6749, 5.2): the only words of its answer that are shown.
_REASONS: Final = frozenset(
    {"invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type", "invalid_scope"}
)


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A site's private key, and how it signs."""

    key: RSAPrivateKey | EllipticCurvePrivateKey = field(repr=False)
    key_id: str
    algorithm: str  # RS384 or ES384

    def public_jwk(self) -> dict[str, Any]:
        """Return the public half as a JWK, for the server's administrator."""
        return {**_public(self.key), "kid": self.key_id, "alg": self.algorithm, "use": "sig"}


def read_key(path: Path, *, key_id: str | None = None) -> SigningKey:
    """Read a private key from a PEM or JWK file.

    Raises:
        ConfigurationError: It cannot be read, or is no key that SMART allows.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigurationError(
            f"the private key for the FHIR server cannot be read ({type(error).__name__})", remedy=_KEY_REMEDY
        ) from None
    said = None
    try:
        if data.lstrip().startswith(b"{"):
            value = json.loads(data)
            said = value.get("kid")
            key: Any = (RSAAlgorithm if value.get("kty") == "RSA" else ECAlgorithm).from_jwk(value)
        else:
            key = load_pem_private_key(data, password=None)
    except Exception:  # noqa: BLE001 - of two libraries, and their messages may quote the key
        raise ConfigurationError("the private key for the FHIR server is no key", remedy=_KEY_REMEDY) from None
    algorithm = _algorithm(key)
    public = _public(key)
    thumbprint = base64.urlsafe_b64encode(hashlib.sha256(canonical_json(public)).digest()).rstrip(b"=").decode()
    return SigningKey(key, key_id or said or thumbprint, algorithm)


def _algorithm(key: object) -> str:
    if isinstance(key, RSAPrivateKey) and key.key_size >= 2048:
        return "RS384"
    if isinstance(key, EllipticCurvePrivateKey) and key.curve.name == "secp384r1":
        return "ES384"
    raise ConfigurationError("the private key for the FHIR server is of another kind than SMART allows", remedy=_KEY_REMEDY)


def _public(key: RSAPrivateKey | EllipticCurvePrivateKey) -> dict[str, Any]:
    if isinstance(key, RSAPrivateKey):
        found: Mapping[str, Any] = RSAAlgorithm.to_jwk(key.public_key(), as_dict=True)
    else:
        found = ECAlgorithm.to_jwk(key.public_key(), as_dict=True)
    return {name: found[name] for name in _THUMBPRINT[found["kty"]]}


class BackendToken:
    """Access tokens of one client at one server.

    Args:
        http: Asks the token endpoint.
        url: Of the token endpoint; called once, when the first token is needed.
        client_id: As registered.
        key: Its registered key.
        scope: Asked for.
    """

    def __init__(self, http: PoliteClient, url: Callable[[], str], *, client_id: str, key: SigningKey, scope: str) -> None:
        self._http, self._url = http, url
        self._client_id, self._key, self._scope = client_id, key, scope
        self._token = ""
        self._until: datetime | None = None

    def get(self, *, anew: bool = False) -> str:
        """Return a token that is good for a minute at least.

        Args:
            anew: The server did not accept the last one.

        Raises:
            SourceRefusedError: The server does not know the client, its key or its scope.
            SourceUnavailableError, SourceProtocolError: See ``PoliteClient.ask``.
        """
        if anew or self._until is None or self._http.clock() >= self._until:
            self._token, seconds = self._http.attempts(self._ask)
            self._until = self._http.clock() + max(timedelta(seconds=seconds) - _RENEW_BEFORE, timedelta())
        return self._token

    def _ask(self) -> tuple[str, float]:
        """Ask once: each attempt has an assertion of its own, for a server takes none twice."""
        url = self._url()
        form = {
            "grant_type": "client_credentials",
            "scope": self._scope,
            "client_assertion_type": _ASSERTION,
            "client_assertion": self._assertion(url),
        }
        request = Request(url, headers={"Accept": "application/json"}, method="POST", form=form)
        return self._read(self._http.once(request))

    def _assertion(self, url: str) -> str:
        now = self._http.clock()
        claims = {
            "iss": self._client_id,
            "sub": self._client_id,
            "aud": url,
            "jti": str(uuid4()),
            "exp": now + _ASSERTION_LIVES,
            "iat": now,
        }
        return jwt.encode(claims, self._key.key, algorithm=self._key.algorithm, headers={"kid": self._key.key_id})

    def _read(self, answer: Answer) -> tuple[str, float]:
        if (fault := self._http.fault(answer)) is not None:
            raise fault
        value = _object(answer)
        if answer.status >= 400:
            reason = value.get("error")
            shown = f" ({reason})" if isinstance(reason, str) and reason in _REASONS else ""
            raise SourceRefusedError(
                f"the FHIR server gave no access token: {answer.status}{shown}",
                remedy="Check CLINDEX_FHIR_CLIENT_ID, CLINDEX_FHIR_SCOPE, and that this key's public half is registered "
                "(`clindex fhir-key` shows it).",
            )
        token = value.get("access_token")
        if not isinstance(token, str) or not token.isascii() or not token.isprintable():
            raise PassingFaultError(SourceProtocolError("the FHIR server's token endpoint answered without a token"))
        try:
            return token, float(value.get("expires_in", _TOKEN_LIVES))
        except (TypeError, ValueError):
            return token, _TOKEN_LIVES


def _object(answer: Answer) -> Mapping[str, Any]:
    try:
        value = read_exact(answer.body)
    except RecordError:
        value = None
    return value if isinstance(value, Mapping) else {}
