"""The collector is off inside, and as it was outside, whatever happens."""

from __future__ import annotations

import gc

import pytest

from pipeline.jobs.collector import collector_paused


def test_it_is_off_inside_and_on_again_after_an_error():
    assert gc.isenabled()
    with collector_paused():
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ZeroDivisionError), collector_paused():
        1 / 0  # noqa: B018
    assert gc.isenabled()


def test_who_had_it_off_keeps_it_off():
    gc.disable()
    try:
        with collector_paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
