"""Names of what is loaded from a server, without its address, its groups or anything else in the clear."""

from __future__ import annotations

from collections.abc import Iterable

from pipeline.domain.identifiers import keyed_hash

_CHARACTERS = 16  # of a keyed hash: a site has a handful of servers and groups


def scope_of(secret: bytes, way: str, authority: str, url: str, level: str, types: Iterable[str]) -> str:
    """Return the name of a scope.

    Args:
        secret: The site's.
        way: ``bulk`` or ``search``.
        authority: Whose ids.
        url: The server's base.
        level: ``system``, ``patient``, or ``group:ID``.
        types: What is asked for; the same types in another order are the same scope.
    """
    kind, _, group = level.partition(":")
    parts = [way, authority, keyed_hash(secret, "server", url)[:_CHARACTERS], kind]
    if group:
        parts.append(keyed_hash(secret, "group", group)[:_CHARACTERS])
    parts.append(keyed_hash(secret, "types", ",".join(sorted(types)))[:_CHARACTERS])
    return ":".join(parts)
