from __future__ import annotations

import pickle

import pytest

from pipeline.domain.errors import IncompleteRunError, RecordError, StoreBusyError


def test_text_of_an_error_says_what_to_do():
    error = StoreBusyError("process 12 holds the index", remedy="Wait for it, or end it.")
    assert str(error) == "process 12 holds the index. Wait for it, or end it."
    assert str(IncompleteRunError("2 records failed")) == "2 records failed"


@pytest.mark.parametrize("error", [StoreBusyError("busy", remedy="Wait."), RecordError("not_json", "not JSON")])
def test_an_error_crosses_processes_whole(error):
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert (copy.message, copy.remedy, str(copy), vars(copy)) == (error.message, error.remedy, str(error), vars(error))
