"""De-identifies texts outside the index: one text, or JSON Lines of any length, in several processes. Needs no home.

What cannot be scrubbed is never passed on: its line says why instead.
"""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, BinaryIO, Final

from pipeline.domain.errors import ClindexError, InternalError, RecordError
from pipeline.domain.phi import Scrubbed
from pipeline.domain.plain_text import is_wide
from pipeline.domain.vocabulary import FailureCategory
from pipeline.json_bytes import read_json
from pipeline.stages.deidentify import KnownIdentifiers, PolicyChoices, Scrubber, SiteFormats, policy_for
from pipeline.stages.sources.byte_streams import read_chunks
from pipeline.stages.sources.json_lines import lines_of

# Rows handed to a process at once: with notes of 3,000 characters about a second of work, so that handing over costs nothing.
_BATCH_ROWS: Final = 16
# Batches under way for each process: one in work, one waiting.
_AHEAD: Final = 2
# Starting a process costs 3 s of imports and a model: a short file is done before.
_ROWS_IN_ONE_PROCESS: Final = 64

_Numbered = tuple[int, "bytes | RecordError"]
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ScrubOptions:
    """How texts are scrubbed; rows may name a kind or a subject of their own."""

    kind: str = "note"
    source: str = "documents"
    subject: str | None = None
    choices: PolicyChoices = field(default_factory=PolicyChoices)
    site: SiteFormats = field(default_factory=SiteFormats)
    secret: bytes | None = field(default=None, repr=False)
    known: KnownIdentifiers = field(default_factory=KnownIdentifiers, repr=False)  # of the one patient whom all texts are of


def scrub_text(text: str, options: ScrubOptions) -> Row:
    """Return ``deidentified`` and ``spans`` of one text; offsets are half-open, in characters of the source."""
    return _Worker(options).scrub(text, kind=options.kind, subject=options.subject)


def scrub_lines(stream: BinaryIO, options: ScrubOptions, *, workers: int, max_bytes: int) -> Iterator[Row]:
    """Yield a row for every line of JSON Lines (gzipped or not), in order: ``id``, ``deidentified``, ``spans``; or ``id``, ``error``, ``line``.

    Args:
        stream: Lines of ``{"id", "text"}``, optionally with ``kind`` and ``subject``.
        options: What holds for rows that do not say otherwise.
        workers: Processes; 1 works in this one. A short file is always done in this one.
        max_bytes: Longest line.
    """
    lines = lines_of(read_chunks(stream), max_bytes=max_bytes)
    here = _Worker(options)
    yield from (here.row(line) for line in islice(lines, _ROWS_IN_ONE_PROCESS if workers > 1 else None))
    if workers > 1:
        yield from _in_processes(lines, options, workers)


def _in_processes(lines: Iterator[_Numbered], options: ScrubOptions, workers: int) -> Iterator[Row]:
    first = list(islice(lines, _BATCH_ROWS))
    if not first:
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_begin, initargs=(options,)) as pool:
        try:
            yield from _ordered(pool, first, lines, limit=workers * _AHEAD)
        except BrokenProcessPool:
            raise InternalError(
                "a scrubbing process ended", remedy="Memory may have run out: try --workers 1; what was printed is complete up to here."
            ) from None


def _ordered(pool: Executor, first: list[_Numbered], lines: Iterator[_Numbered], *, limit: int) -> Iterator[Row]:
    waiting: deque[Future[list[Row]]] = deque([pool.submit(_rows, first)])
    while waiting:
        while len(waiting) < limit and (batch := list(islice(lines, _BATCH_ROWS))):
            waiting.append(pool.submit(_rows, batch))
        yield from waiting.popleft().result()


class _Worker:
    """A scrubber and its options in one process."""

    def __init__(self, options: ScrubOptions) -> None:
        self._options = options
        self._scrubber = Scrubber(secret=options.secret, site=options.site)

    def scrub(self, text: str, *, kind: str, subject: str | None) -> Row:
        policy = policy_for(kind, self._options.source, self._options.choices)
        return _row_of(self._scrubber.scrub(text, policy, subject=subject, known=self._options.known))

    def row(self, numbered: _Numbered) -> Row:
        number, line = numbered
        if isinstance(line, RecordError):
            return {"id": None, "error": line.category, "line": number}
        try:
            record = read_json(line)
        except RecordError as error:
            return {"id": None, "error": error.category, "line": number}
        if not isinstance(record, dict) or not isinstance(record.get("text"), str):
            return {"id": _id(record), "error": FailureCategory.NOT_A_TEXT, "line": number}
        if is_wide(record["text"]):
            return {"id": _id(record), "error": FailureCategory.NOT_UTF8, "line": number}
        kind, subject = record.get("kind"), record.get("subject")
        try:
            done = self.scrub(
                record["text"],
                kind=kind if isinstance(kind, str) else self._options.kind,
                subject=str(subject) if subject is not None else self._options.subject,
            )
        except ClindexError:
            raise  # a missing secret concerns every row
        except Exception as error:  # noqa: BLE001 - one row's defect must not stop the others, nor pass its text on
            return {"id": _id(record), "error": FailureCategory.SCRUB_FAILED, "origin": type(error).__name__, "line": number}
        return {"id": _id(record), **done}


def _id(record: object) -> object:
    value = record.get("id") if isinstance(record, dict) else None
    return value if isinstance(value, str | int | float) else None


def _row_of(scrubbed: Scrubbed) -> Row:
    return {
        "deidentified": scrubbed.text,
        "spans": [
            {"start": each.source_start, "end": each.source_end, "category": each.category.value, "score": round(each.score, 3)}
            for each in scrubbed.replacements
        ],
    }


_worker: _Worker | None = None


def _begin(options: ScrubOptions) -> None:
    global _worker
    _worker = _Worker(options)


def _rows(lines: Sequence[_Numbered]) -> list[Row]:
    assert _worker is not None  # noqa: S101 - the initializer made it
    return [_worker.row(line) for line in lines]
