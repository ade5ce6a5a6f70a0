"""Guards: refuse what would destroy much, unless a person has decided it."""

from __future__ import annotations

from pipeline.domain.errors import GuardRefusedError
from pipeline.settings import Settings


def refuse_large_deletion(settings: Settings, deletions: int, total: int, *, what: str) -> None:
    """Refuse to delete a larger share than the settings allow.

    Raises:
        GuardRefusedError: ``deletions`` of ``total`` is more than ``max_delete_share``. Nothing was deleted.
    """
    if deletions == 0 or total < settings.min_documents_for_share:
        return
    share = deletions / total
    if share > settings.max_delete_share:
        raise GuardRefusedError(
            f"refused: {what}: {deletions} of {total} ({share:.0%}) is more than max_delete_share = {settings.max_delete_share:.0%}",
            remedy="Look at why. If it is right, approve the plan, or raise CLINDEX_MAX_DELETE_SHARE for one run.",
        )
