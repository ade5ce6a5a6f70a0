"""A file's bytes in, its reading out: made in a child process with limits of memory and time, so that no file can hang or take the job down.

The file goes through pipes, never over the disk. What the child and its own children (Tesseract) write to standard error is thrown away: it
may quote the document. Their temporary files lie in a private folder that is gone when the call ends, however it ends.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from typing import Any, Final

from pipeline.domain.errors import ConfigurationError, RecordError
from pipeline.domain.reading import ReadFile, ReadOptions
from pipeline.domain.site_files import MARKDOWN, TEXT
from pipeline.domain.vocabulary import FailureCategory
from pipeline.stages.extract.frames import frame, take
from pipeline.stages.extract.limits import OUT_OF_MEMORY, Limits
from pipeline.stages.extract.readers import read

_PART: Final = 1 << 18  # bytes at a time
_ENVIRONMENT: Final = {
    "OMP_THREAD_LIMIT": "1",  # pages are read in parallel; several threads a page only fight for the cores
    "OPENBLAS_NUM_THREADS": "1",  # each of its threads takes 40 MB of address space when numpy is loaded
    "MALLOC_ARENA_MAX": "2",  # each arena of malloc takes 64 MB of address space a thread
    "PYTHONDONTWRITEBYTECODE": "1",
}


@dataclass(frozen=True, slots=True)
class Read:
    """A file, read; ``peak_bytes``: the most memory that the child and those that it started held (0: no child was needed)."""

    file: ReadFile
    peak_bytes: int
    seconds: float


def read_file(
    data: bytes, media_type: str, options: ReadOptions, limits: Limits, on_page: Callable[[int, int], None] | None = None
) -> Read:
    """Read one file. ``on_page`` is told pages done and pages of the file, in this thread.

    Raises:
        RecordError: The file cannot be read; its category says why.
        ConfigurationError: Tesseract or its English data is not installed.
    """
    start = time.monotonic()
    if media_type in (TEXT, MARKDOWN):  # nothing to parse, nothing to hang
        return Read(read(data, media_type, options, _ignore), 0, time.monotonic() - start)
    with tempfile.TemporaryDirectory(prefix="clindex-read-", ignore_cleanup_errors=True) as folder, _child(folder) as child:
        request = {"media_type": media_type, "options": asdict(options), "limits": asdict(limits), "folder": folder, "size": len(data)}
        answer = _converse(child, frame(request), data, start + limits.seconds, on_page or _ignore)
        if answer is None:
            raise _ended(child)
    if "file" not in answer:
        raise _refused(answer)
    return Read(ReadFile.from_json(answer["file"]), answer["peak_bytes"], time.monotonic() - start)


def _ignore(done: int, pages: int) -> None:
    """Nobody asked."""


@contextmanager
def _child(folder: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start the child in a process group of its own, and end the whole group in any case."""
    environment = {**_ENVIRONMENT, **os.environ, "TMPDIR": folder}
    child = subprocess.Popen(
        [sys.executable, "-m", "pipeline.stages.extract.child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        start_new_session=True,
        bufsize=0,
    )
    try:
        yield child
    finally:
        _kill(child)
        for stream in (child.stdin, child.stdout):
            if stream is not None:
                stream.close()


def _kill(child: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)  # its number is its own until it is waited for
    child.wait()


def _converse(
    child: subprocess.Popen[bytes], request: bytes, data: bytes, deadline: float, on_page: Callable[[int, int], None]
) -> dict[str, Any] | None:
    """Send the request and the file while messages come in; return the last message, or ``None`` where the child ended without one.

    Standard input stays open: its end tells the child that its parent is gone.

    Raises:
        RecordError: The time is over.
    """
    if child.stdin is None or child.stdout is None:
        raise AssertionError
    received = bytearray()
    to_send = [memoryview(data), memoryview(request)]
    os.set_blocking(child.stdin.fileno(), False)
    with selectors.DefaultSelector() as selector:
        selector.register(child.stdout, selectors.EVENT_READ)
        selector.register(child.stdin, selectors.EVENT_WRITE)
        while True:
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                raise RecordError(FailureCategory.READ_TIMEOUT, "reading the file took longer than it may")
            ready = {key.fileobj for key, _ in selector.select(remaining)}
            if child.stdin in ready and not _send(child.stdin.fileno(), to_send):
                selector.unregister(child.stdin)
            if child.stdout in ready:
                part = os.read(child.stdout.fileno(), _PART)
                if not part:
                    return None
                received += part
                while (message := take(received)) is not None:
                    if "page" not in message:
                        return message
                    on_page(message["page"], message["of"])


def _send(stream: int, to_send: list[memoryview]) -> bool:
    """Send what the pipe takes of the last in the list; return whether something is left."""
    while to_send and not to_send[-1]:
        to_send.pop()
    if not to_send:
        return False
    try:
        to_send[-1] = to_send[-1][os.write(stream, to_send[-1][:_PART]) :]
    except BlockingIOError:
        return True
    except BrokenPipeError:
        return False  # the child has ended; its exit code says why
    return True


def _ended(child: subprocess.Popen[bytes]) -> RecordError:
    """Return the failure of a child that ended without an answer."""
    code = child.wait()
    # PDFium and the runtime of C++ abort where memory is refused; we did not kill it, so the kernel did, for want of memory.
    if code in (OUT_OF_MEMORY, -signal.SIGABRT, -signal.SIGKILL):
        return RecordError(FailureCategory.READ_MEMORY, "reading the file needs more memory than it may have")
    if code == -signal.SIGXCPU:
        return RecordError(FailureCategory.READ_TIMEOUT, "reading the file took more processor time than it may")
    how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
    return RecordError(FailureCategory.READ_CRASHED, f"the file's reader ended with {how}")


def _refused(answer: dict[str, Any]) -> RecordError | ConfigurationError:
    if "configuration" in answer:
        return ConfigurationError(answer["configuration"], remedy=answer["remedy"])
    if "failure" in answer:
        return RecordError(FailureCategory(answer["failure"]), answer["message"])
    return RecordError(FailureCategory.READ_CRASHED, f"the file's reader failed with {answer['crash']}")
