"""SMART Backend Services of the stand-in FHIR server: signed assertions in, access tokens out.

Source: https://hl7.org/fhir/smart-app-launch/backend-services.html and .../client-confidential-asymmetric.html.
"""

from __future__ import annotations

import json
import re
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import parse_qsl

import jwt

from pipeline.testing.http_faults import Answer, RecordedRequest

ALGORITHMS: Final = ("RS384", "ES384")
_JWT_BEARER: Final = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
_SCOPE: Final = re.compile(r"system/(\*|[A-Z][A-Za-z]+)\.(read|rs)\Z", re.ASCII)
_LONGEST_SECONDS: Final = 300  # of an assertion
_LEEWAY_SECONDS: Final = 5  # the clocks of two processes, and the way between them
_NAMES: Final = ("iss", "sub", "aud", "exp", "jti")


class RefusedTokenError(Exception):
    """The request for a token is refused; the text is OAuth's error code."""


@dataclass(slots=True)
class Tokens:
    """Clients that are known, tokens that were given.

    Attributes:
        clients: Public key of each client: PEM, or a JWK.
        seconds: How long a token is valid, by the server's ``now``.
        assertion_clock: Seconds since 1970, for an assertion's ``exp``: the client signs by a clock of its own.
    """

    clients: dict[str, str | Mapping[str, Any]] = field(default_factory=dict)
    seconds: int = 300
    assertion_clock: Callable[[], float] = time.time
    _given: dict[str, datetime] = field(default_factory=dict)  # with the end of each
    _used: set[tuple[str, str]] = field(default_factory=set)  # client and jti

    def is_valid(self, request: RecordedRequest, now: datetime) -> bool:
        """Whether a request carries a token that has not ended."""
        scheme, _, token = request.header("Authorization").partition(" ")
        return scheme.casefold() == "bearer" and token in self._given and now < self._given[token]

    def revoke(self) -> None:
        """End every token that was given."""
        self._given.clear()

    def give(self, request: RecordedRequest, token_url: str, now: datetime) -> Answer:
        """Answer a POST to the token endpoint."""
        try:
            scope = self._verified_scope(dict(parse_qsl(request.body.decode("utf-8", "replace"))), request, token_url)
        except RefusedTokenError as error:
            status = 401 if str(error) == "invalid_client" else 400
            return Answer(status, json.dumps({"error": str(error)}).encode())
        token = secrets.token_urlsafe(24)
        self._given[token] = now + timedelta(seconds=self.seconds)
        said = {"access_token": token, "token_type": "bearer", "expires_in": self.seconds, "scope": scope}
        return Answer(200, json.dumps(said).encode(), headers={"Cache-Control": "no-store"})

    def _verified_scope(self, form: Mapping[str, str], request: RecordedRequest, token_url: str) -> str:
        if not request.header("Content-Type").startswith("application/x-www-form-urlencoded") or "scope" not in form:
            raise RefusedTokenError("invalid_request")
        if form.get("grant_type") != "client_credentials":
            raise RefusedTokenError("unsupported_grant_type")
        if form.get("client_assertion_type") != _JWT_BEARER:
            raise RefusedTokenError("invalid_request")
        self._verify(form.get("client_assertion", ""), token_url)
        if not form["scope"].split() or not all(_SCOPE.match(one) for one in form["scope"].split()):
            raise RefusedTokenError("invalid_scope")
        return form["scope"]

    def _verify(self, assertion: str, token_url: str) -> None:
        """Refuse an assertion that is not signed by a client we know, not for us, too long valid, over, or used before."""
        try:
            client = jwt.decode(assertion, options={"verify_signature": False})["iss"]
            key = self.clients[client]
            public: Any = key if isinstance(key, str) else jwt.PyJWK.from_dict(dict(key)).key
            options: Any = {"require": list(_NAMES), "verify_exp": False, "verify_iat": False, "verify_nbf": False}
            claims = jwt.decode(
                assertion, public, algorithms=ALGORITHMS, audience=token_url, issuer=client, subject=client, options=options
            )
            left = float(claims["exp"]) - self.assertion_clock()
        except (jwt.PyJWTError, KeyError, ValueError, TypeError):
            raise RefusedTokenError("invalid_client") from None
        once = (client, str(claims["jti"]))
        if not -_LEEWAY_SECONDS < left <= _LONGEST_SECONDS + _LEEWAY_SECONDS or once in self._used:
            raise RefusedTokenError("invalid_client")
        self._used.add(once)


def configuration(token_url: str) -> dict[str, Any]:
    """Return what ``/.well-known/smart-configuration`` says."""
    return {
        "token_endpoint": token_url,
        "grant_types_supported": ["client_credentials"],
        "token_endpoint_auth_methods_supported": ["private_key_jwt"],
        "token_endpoint_auth_signing_alg_values_supported": list(ALGORITHMS),
        "scopes_supported": ["system/*.read", "system/*.rs"],
        "capabilities": ["client-confidential-asymmetric", "permission-v1", "permission-v2"],
    }
