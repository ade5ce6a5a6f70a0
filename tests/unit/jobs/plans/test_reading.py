from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.domain.errors import UsageError
from pipeline.jobs.plans.reading import read_plan


def test_a_plan_that_is_not_there_and_one_that_is_damaged_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "plan-1.json"
    with pytest.raises(UsageError, match="no repair plan at"):
        read_plan(str(path), secret=b"s" * 32)
    path.write_bytes(b'{"run_id": "1", ')
    with pytest.raises(UsageError, match="is no repair plan, or a damaged one"):
        read_plan(str(path), secret=b"s" * 32)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="is no repair plan, or a damaged one"):
        read_plan(str(path), secret=b"s" * 32)
