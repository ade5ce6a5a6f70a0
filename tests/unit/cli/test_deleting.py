"""What ``clindex delete`` says in words."""

from __future__ import annotations

import pytest

from pipeline.cli.deleting import render_delete
from pipeline.jobs.deletion import DeletionRequest
from pipeline.jobs.deletion.run import DeleteSummary


def asked(**values: object) -> DeleteSummary:
    fields = {"deletion_id": None, "cause": "patient", "patient": "ab" * 16, "documents": 0, "chunks": 0, "live_documents": 9}
    return DeleteSummary(request=DeletionRequest.model_validate({**fields, "already_deleted": 0, **values}))


def test_a_patient_of_whom_nothing_is_known_may_be_mistyped(capsys: pytest.CaptureFixture[str]):
    render_delete(asked())
    out = " ".join(capsys.readouterr().out.split())
    assert "was the pseudonym mistyped?" in out
    assert "clindex delete --lift" in out


@pytest.mark.parametrize("known", [{"documents": 1}, {"already_deleted": 1}, {"patient": None}])
def test_nothing_is_asked_where_something_was_met(capsys: pytest.CaptureFixture[str], known: dict[str, object]):
    render_delete(asked(**known))
    assert "mistyped" not in capsys.readouterr().out
