"""Whether a server may listen on an address: not beyond this machine before somebody has said who may ask."""

from __future__ import annotations

from ipaddress import ip_address

from pipeline.domain.errors import GuardRefusedError
from pipeline.storage import api_keys
from pipeline.wiring import Services


def check_host(services: Services, host: str) -> None:
    """Refuse to serve an address beyond this machine without keys, or to whoever comes as an operator.

    Raises:
        GuardRefusedError: Nothing was opened.
    """
    if _is_loopback(host):
        return
    choice = services.settings.open_access
    if choice == "operator":
        raise GuardRefusedError("CLINDEX_OPEN_ACCESS=operator is for this machine alone", remedy="Leave it away, and make keys.")
    with services.db.read() as tx:
        has_keys = api_keys.any_made(tx)
    if choice != "public" and not has_keys:
        raise GuardRefusedError(
            "no key was made yet: every reader of this network could ask",
            remedy="`clindex key create` makes one; CLINDEX_OPEN_ACCESS=public lets everybody search open documents.",
        )


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
