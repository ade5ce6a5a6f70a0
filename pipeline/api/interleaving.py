"""Two ways of searching compared on one search: team-draft interleaving (Radlinski, Kurup and Joachims, CIKM 2008).

Both ways rank; in each round a coin decides which of them picks first; each picks its best document that is not picked yet. Whose hits
readers open then says which way is better, and no reader sees a worse list than the better half of both.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from pipeline.search.access import Principal
from pipeline.search.request import Hit, Mode, SearchRequest, SearchResult
from pipeline.search.search import search
from pipeline.storage.feedback import Interleaving
from pipeline.wiring import Services


@dataclass(frozen=True, slots=True)
class Drawn:
    """An interleaved result, and which way each of its documents was picked for."""

    result: SearchResult
    first: str
    second: str
    teams: dict[str, str]

    def kept(self, search_id: UUID) -> Interleaving:
        """Return what is kept of it: ids and names of ways."""
        return Interleaving(search_id, self.first, self.second, {UUID(document): name for document, name in self.teams.items()})


def interleaved(services: Services, wanted: SearchRequest, principal: Principal, *, names: str) -> Drawn:
    """Search in both ways and return one list.

    Args:
        services: The home.
        wanted: What is asked.
        principal: Who asks.
        names: Two modes, as ``full:fused``.
    """
    first, second = names.split(":")
    today = datetime.now(UTC).date()
    results = [
        search(services, wanted.model_copy(update={"mode": Mode(name)}), today=today, principal=principal) for name in (first, second)
    ]
    picked = draft(results[0].hits, results[1].hits, limit=wanted.limit, seed=secrets.randbits(64))
    hits = [hit for hit, _ in picked]
    teams = {hit.document_id: (first, second)[team] for hit, team in picked}
    read = max((result.reading for result in results), key=lambda one: len(one.wordings))  # of the way that understands more of it
    return Drawn(results[0].model_copy(update={"hits": hits, "reading": read}), first, second, teams)


def draft(first: Sequence[Hit], second: Sequence[Hit], *, limit: int, seed: int) -> list[tuple[Hit, int]]:
    """Return picked hits, each with the number of the list it was picked for (0 or 1); every document once.

    Which list picks first is tossed anew whenever both have picked equally often.
    """
    coin = random.Random(seed)  # noqa: S311 - a coin, no secret
    waiting = ([*first], [*second])
    picked: list[tuple[Hit, int]] = []
    taken: set[str] = set()
    counts = [0, 0]
    while len(picked) < limit:
        turn = coin.randrange(2) if counts[0] == counts[1] else int(counts[0] > counts[1])
        for team in (turn, 1 - turn):
            left = [hit for hit in waiting[team] if hit.document_id not in taken]
            if left:
                picked.append((left[0], team))
                taken.add(left[0].document_id)
                counts[team] += 1
                break
        else:
            break
    return picked
