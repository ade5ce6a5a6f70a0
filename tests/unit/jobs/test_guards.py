"""A guard refuses to delete much, and says how to go on."""

from __future__ import annotations

import pytest

from pipeline.domain.errors import GuardRefusedError
from pipeline.jobs.guards import refuse_large_deletion
from pipeline.settings import Settings

SETTINGS = Settings(max_delete_share=0.2, min_documents_for_share=25)


@pytest.mark.parametrize(("deletions", "total"), [(0, 0), (0, 1000), (200, 1000), (24, 24), (5, 25)])
def test_lets_a_small_share_or_a_small_home_pass(deletions: int, total: int):
    refuse_large_deletion(SETTINGS, deletions, total, what="test")


@pytest.mark.parametrize(("deletions", "total"), [(201, 1000), (1200, 1200), (6, 25)])
def test_refuses_a_large_share(deletions: int, total: int):
    with pytest.raises(GuardRefusedError, match=f"{deletions} of {total}") as refused:
        refuse_large_deletion(SETTINGS, deletions, total, what="test")
    assert refused.value.exit_code == 3
    assert refused.value.remedy
