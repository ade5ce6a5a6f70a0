"""Who sends a request: by ``Authorization: Bearer KEY``, ``X-API-Key: KEY``, or the cookie that the search page sets."""

from __future__ import annotations

from datetime import UTC, datetime
from ipaddress import ip_address, ip_network
from typing import Annotated, Final

from fastapi import Depends, Request
from sqlalchemy import Connection

from pipeline.api.serving import Serving, serving_of
from pipeline.domain.errors import ForbiddenError, TooManyRequestsError, UnauthenticatedError
from pipeline.search.access import ANYBODY, OPERATOR, Principal, Role, principal_of
from pipeline.storage import api_keys

#: Set by the search page: ``HttpOnly``, ``SameSite=Strict``, so that no other site's page can ask with it.
COOKIE: Final = "clindex_key"

_LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost", "testclient"})
_BEARER: Final = "bearer "


def asking(request: Request) -> Principal:
    """Return who asks, after counting the request.

    Raises:
        UnauthenticatedError: There is no key where one is needed, or it opens nothing.
        TooManyRequestsError: The key's requests of this minute are used up; without a valid key, the address's, or its keys that open nothing.
    """
    serving = serving_of(request)
    text = key_of(request)
    with serving.services.db.read() as tx:
        if text is None:
            found = _without_key(tx, serving, request)
        else:
            found = principal_of(tx, text, datetime.now(UTC), secret=serving.services.secret)
    if found and found.key_id:
        serving.stores.requests.take(found.key_id)
    else:
        count_address(serving, request)
    if found is None:
        if text is not None:
            count_failed_key(serving, request)
        raise UnauthenticatedError(
            "a valid key is needed", remedy="Send it as `Authorization: Bearer KEY`; `clindex key create` makes one."
        )
    return found


def operating(principal: Annotated[Principal, Depends(asking)]) -> Principal:
    """Return who asks if they are an operator.

    Raises:
        ForbiddenError: They are not.
    """
    if principal.role is not Role.OPERATOR:
        raise ForbiddenError("this needs a key of the role operator")
    return principal


Asking = Annotated[Principal, Depends(asking)]
Operating = Annotated[Principal, Depends(operating)]


def key_of(request: Request) -> str | None:
    """Return the key that a request carries, valid or not."""
    header = request.headers.get("authorization", "")
    if header[: len(_BEARER)].lower() == _BEARER:
        return header[len(_BEARER) :].strip()
    return request.headers.get("x-api-key") or request.cookies.get(COOKIE)


def count_address(serving: Serving, request: Request) -> None:
    """Count a request that comes without a valid key.

    Raises:
        TooManyRequestsError: Those of this minute are used up.
    """
    serving.stores.requests.take(f"address {_network(request)}")


def count_failed_key(serving: Serving, request: Request) -> None:
    """Count a key that opened nothing. A valid key is not refused for those that others behind its address have tried.

    Raises:
        TooManyRequestsError: The address has tried too many of them in this minute.
    """
    try:
        serving.stores.failed_keys.take(f"failed key {_network(request)}")
    except TooManyRequestsError:
        serving.metrics.refused_key(limited=True)
        raise
    serving.metrics.refused_key(limited=False)


def _without_key(tx: Connection, serving: Serving, request: Request) -> Principal | None:
    """Return what may be done without a key; see ``CLINDEX_OPEN_ACCESS``."""
    choice = serving.settings.open_access
    if choice == "public":
        return ANYBODY
    if not _is_local(request):
        return None
    if choice == "operator":
        return OPERATOR
    return None if api_keys.any_made(tx) else ANYBODY


def _is_local(request: Request) -> bool:
    """Whether it comes from this machine and was meant for it: a page of another site that points its own name here is refused."""
    named = request.url.hostname or ""
    return _address(request) in _LOOPBACK and named in _LOOPBACK


def _address(request: Request) -> str:
    return request.client.host if request.client else ""


def _network(request: Request) -> str:
    """Return what counts as one address: of IPv6 the network of 64 bits, because a client has all of it to choose from (RFC 4291, 2.5.4)."""
    address = _address(request)
    try:
        known = ip_address(address)
    except ValueError:
        return address
    return address if known.version == 4 else str(ip_network((int(known), 128)).supernet(new_prefix=64))
