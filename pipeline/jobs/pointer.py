"""The name that other programs know the live collection by follows what truth says."""

from __future__ import annotations

from pipeline.domain.errors import WriteVerificationError
from pipeline.observability import log_event
from pipeline.wiring import Services


def ensure_pointer(services: Services) -> str:
    """Let the alias (or the pointer file) name the live collection, if it does not yet: a switch may have been killed before that.

    Returns:
        The live collection's name.

    Raises:
        WriteVerificationError: It does not read back as set.
    """
    live = services.live().collection
    alias = services.settings.collection
    if services.catalog.pointed(alias) == live:
        return live
    services.catalog.point(alias, live)
    if (found := services.catalog.pointed(alias)) != live:
        raise WriteVerificationError(
            f"the pointer {alias} names {found or 'nothing'} and not {live}", remedy="Clindex itself reads truth and serves; run it again."
        )
    log_event("pointer_moved", alias=alias, collection=live)
    return live
