"""Works on the next item in a thread while the caller is busy with the current one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def one_ahead(items: Iterable[Item], work: Callable[[Item], Result]) -> Iterator[Result]:
    """Yield ``work(item)`` for every item in order; while one result is in use, the next is being made.

    An error of ``work`` is raised where its result would have come; of what follows, no more than the next item is begun. Never more
    than two results are held, whatever the number of items.
    """
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="ahead") as pool:
        waiting: Future[Result] | None = None
        for item in items:
            following = pool.submit(work, item)
            if waiting is not None:
                yield waiting.result()
            waiting = following
        if waiting is not None:
            yield waiting.result()
