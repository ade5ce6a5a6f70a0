"""Pages read side by side: Tesseract is a process of its own, so a thread a core keeps all cores busy."""

from __future__ import annotations

import os
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from types import TracebackType
from typing import Final, Self

from PIL import Image

from pipeline.domain.errors import ClindexError
from pipeline.domain.reading import OcrReason, PageOutcome, ReadOptions
from pipeline.domain.vocabulary import FailureCategory
from pipeline.stages.extract.content import PageContent
from pipeline.stages.extract.ocr.page import read_image

_WAITING: Final = 1  # page a worker that is rendered and waits: none idles, and memory stays flat (an A4 page at 300 dpi has 8.7 MB)


def workers_of(options: ReadOptions) -> int:
    """Return how many pages are read at once."""
    return options.ocr_workers or len(os.sched_getaffinity(0))


class OcrPool:
    """Reads pages in threads; results come in the order in which pages were handed in.

    The caller renders (PDFium is not thread-safe), hands a page in, and takes what is done; ``submit`` waits while the pool is full. As a
    context manager it leaves no page behind: what has not begun is cancelled, what runs ends within ``ocr_page_seconds``.
    """

    def __init__(self, options: ReadOptions) -> None:
        self._options = options
        workers = workers_of(options)
        self._most = workers * (1 + _WAITING)
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="ocr")
        self._running: deque[Future[PageContent]] = deque()
        self._done: deque[PageContent] = deque()

    def submit(
        self, image: Image.Image, number: int, *, width_pt: float, height_pt: float, dpi: int, reason: OcrReason | None = None
    ) -> None:
        """Hand a page in (arguments as of ``read_image``). ``reason``: why it is read so, for its account.

        Raises:
            ConfigurationError: Tesseract or its English data is not installed.
        """
        while len(self._running) >= self._most:
            self._done.append(self._running.popleft().result())

        def read() -> PageContent:
            try:
                page = read_image(image, number, width_pt=width_pt, height_pt=height_pt, dpi=dpi, options=self._options)
            except (ClindexError, MemoryError):
                raise
            except Exception:  # noqa: BLE001 - whatever a strange picture leads to; the other pages go on
                failure = FailureCategory.OCR_FAILED
                page = PageContent(number, width_pt, height_pt, PageOutcome.FAILED, failure=failure, dpi=dpi)
            return replace(page, reason=reason)

        self._running.append(self._threads.submit(read))

    def finished(self) -> list[PageContent]:
        """Return what is done and was not returned yet, without waiting, in order.

        Raises:
            ConfigurationError: Tesseract or its English data is not installed.
        """
        while self._running and self._running[0].done():
            self._done.append(self._running.popleft().result())
        taken = list(self._done)
        self._done.clear()
        return taken

    def rest(self) -> list[PageContent]:
        """Wait for all pages and return those that were not returned yet, in order.

        Raises:
            ConfigurationError: Tesseract or its English data is not installed.
        """
        while self._running:
            self._done.append(self._running.popleft().result())
        return self.finished()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._threads.shutdown(wait=True, cancel_futures=True)
