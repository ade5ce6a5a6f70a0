"""Logs and progress. Log events hold ids, counts, durations and enum values: never text, never ``str()`` of a foreign error."""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

LOGGER = logging.getLogger("clindex")

Field = str | int | float | bool | None

# These loggers put URLs, SQL or payloads into their lines; they are silenced below warnings.
_NOISY = (
    "httpx",
    "httpcore",
    "sqlalchemy.engine",
    "alembic",
    "qdrant_client",
    "sentence_transformers",
    "transformers",
    "urllib3",
    "fsspec",
    "s3fs",
    "botocore",
    "gcsfs",
    "paramiko",
)


def log_event(event: str, *, level: int = logging.INFO, **fields: Field) -> None:
    """Log one event with its fields. A value that is no id, count, duration or enum value does not belong here."""
    _log(event, level, fields)


def _log(event: str, level: int, fields: Mapping[str, Field]) -> None:
    # The message carries the fields as well, for handlers other than ours (Airflow's shows nothing else).
    message = " ".join([event, *(f"{name}={value}" for name, value in fields.items())])
    LOGGER.log(level, "%s", message, extra={"event": event, "clindex": fields})


class JsonLines(logging.Formatter):
    """One JSON object a line: time, level, event, fields."""

    def format(self, record: logging.LogRecord) -> str:
        """Format a record; of an exception only its class is shown (a foreign message may quote input)."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": getattr(record, "event", record.getMessage()),
        }
        line.update(getattr(record, "clindex", {}))
        if record.exc_info and record.exc_info[0]:
            line["error"] = record.exc_info[0].__name__
        return json.dumps(line)


def configure_logging(*, verbose: bool = False) -> None:
    """Send our events to stderr as JSON lines, and keep talkative libraries quiet."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    LOGGER.handlers[:] = [handler]
    LOGGER.propagate = False
    LOGGER.setLevel(logging.INFO if verbose else logging.WARNING)
    quiet_libraries()


def quiet_libraries() -> None:
    """Keep libraries that log URLs, SQL or payloads below warnings quiet."""
    for name in _NOISY:
        logging.getLogger(name).setLevel(logging.WARNING)


@contextmanager
def timed(event: str, **fields: Field) -> Iterator[dict[str, Field]]:
    """Log ``event`` with its duration in seconds when the block ends well; the block may add fields."""
    start = time.monotonic()
    extra: dict[str, Field] = dict(fields)
    yield extra
    extra["seconds"] = round(time.monotonic() - start, 3)
    _log(event, logging.INFO, extra)


class ProgressReporter:
    """Shows how far a long job is: a bar on a terminal's stderr, an event every few seconds elsewhere."""

    def __init__(self, label: str, total: int | None, *, every_seconds: float = 10.0) -> None:
        self.label = label
        self.total = total
        self.done = 0
        self._every = every_seconds
        self._last = time.monotonic()
        console = Console(stderr=True)
        self._bar = (
            Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                TimeRemainingColumn(),
                console=console,
                transient=True,
            )
            if console.is_terminal
            else None
        )
        self._task = self._bar.add_task(label, total=total) if self._bar else None

    def __enter__(self) -> ProgressReporter:
        if self._bar:
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar:
            self._bar.stop()

    def reach(self, done: int, total: int) -> None:
        """Say how far it is, where it counts by itself."""
        self.total = total
        self.advance(done - self.done)

    def within(self, done: int, total: int) -> None:
        """Say how far the present one of its records is, in pages."""
        if self._bar and self._task is not None:
            self._bar.update(self._task, description=f"{self.label} (page {done} of {total})" if done < total else self.label)
        elif time.monotonic() - self._last >= self._every:
            self._last = time.monotonic()
            _log("progress", logging.INFO, {"job": self.label, "done": self.done, "page": done, "pages": total})

    def advance(self, count: int = 1) -> None:
        """Say that ``count`` more units are done."""
        self.done += count
        if self._bar and self._task is not None:
            self._bar.advance(self._task, count)
        elif time.monotonic() - self._last >= self._every:
            self._last = time.monotonic()
            log_event("progress", job=self.label, done=self.done, total=self.total)
