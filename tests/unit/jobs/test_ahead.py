"""Preparing the next batch while this one is embedded changes neither order nor errors, and holds no more than two."""

from __future__ import annotations

import threading

import pytest

from pipeline.jobs.ahead import one_ahead


def test_results_come_in_order_and_nothing_gives_nothing():
    assert list(one_ahead(range(5), lambda number: number * number)) == [0, 1, 4, 9, 16]
    assert list(one_ahead([], str)) == []


def test_the_next_result_is_made_while_one_is_in_use():
    second_made = threading.Event()

    def work(number: int) -> int:
        if number == 2:
            second_made.set()
        return number

    results = one_ahead([1, 2, 3], work)
    assert next(results) == 1
    assert second_made.wait(10)
    assert list(results) == [2, 3]


def test_an_error_comes_in_its_turn_and_ends_the_work():
    begun: list[int] = []

    def work(number: int) -> int:
        begun.append(number)
        if number == 2:
            raise ValueError("two")
        return number

    results = one_ahead(range(1, 10), work)
    assert next(results) == 1
    with pytest.raises(ValueError, match="two"):
        next(results)
    assert max(begun) <= 3


def test_no_more_than_one_waits():
    begun: list[int] = []
    results = one_ahead(range(100), lambda number: begun.append(number) or number)
    next(results)
    results.close()
    assert len(begun) <= 2
