"""The order in which documents, and the passages of each, are shown: a small linear model over documented signals."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.search.passages import Group
from pipeline.search.understand.model import Understood


def rerank(understood: Understood, groups: Sequence[Group]) -> list[Group]:
    """Return the groups, best first, each with its passages best first and the scores that say so."""
    return list(groups)
