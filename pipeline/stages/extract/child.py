"""The reader's own process: a request and a file's bytes on standard input, messages on standard output. Started by ``process.read_file``.

A message is ``{"page": done, "of": pages}``, and last one of ``{"file": ..., "peak_bytes": n}``, ``{"failure": category, "message": ours}``,
``{"configuration": ours, "remedy": ours}`` or ``{"crash": name of an exception's class}``. Nothing else that an exception says leaves this process: readers quote the document.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
from typing import Any, BinaryIO

from pipeline.domain.errors import ConfigurationError, RecordError
from pipeline.domain.reading import ReadOptions
from pipeline.stages.extract.frames import exactly, frame, receive
from pipeline.stages.extract.limits import OUT_OF_MEMORY, Limits, peak_bytes, restrict


def main() -> int:
    """Read the one file that the parent sends; return the exit code."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever a library prints is no message
    request = receive(sys.stdin.buffer)
    restrict(Limits(**request["limits"]))
    try:
        data = exactly(sys.stdin.buffer, request["size"])
        threading.Thread(target=_end_with_parent, args=(request["folder"],), daemon=True).start()
        answers.write(frame(_answer(data, request, answers)))
        answers.flush()
    except MemoryError:
        return OUT_OF_MEMORY
    return 0


def _answer(data: bytes, request: dict[str, Any], answers: BinaryIO) -> dict[str, Any]:
    from pipeline.stages.extract.readers import read  # its libraries are loaded under the limits

    lock = threading.Lock()

    def progress(done: int, pages: int) -> None:
        with lock:
            answers.write(frame({"page": done, "of": pages}))
            answers.flush()

    try:
        file = read(data, request["media_type"], ReadOptions(**request["options"]), progress)
        return {"file": file.to_json(), "peak_bytes": peak_bytes()}
    except RecordError as error:
        return {"failure": str(error.category), "message": error.message}
    except MemoryError:
        raise
    except ConfigurationError as error:
        return {"configuration": error.message, "remedy": error.remedy}
    except Exception as error:  # noqa: BLE001 - the one place where a reader's errors end; only the class is told
        return {"crash": type(error).__name__}


def _end_with_parent(folder: str) -> None:
    """Wait for the end of standard input, which the parent holds open as long as it lives; then leave neither file nor process behind.

    ``folder``: the private one for temporary files.
    """
    while os.read(sys.stdin.fileno(), 1):  # not through a buffer: its lock would be held when the process ends
        pass
    shutil.rmtree(folder, ignore_errors=True)
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main())
