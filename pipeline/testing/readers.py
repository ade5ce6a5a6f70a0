"""A reader who searches all the while that something happens to a home, and a judge of every answer it got.

The reader asks as an application does, through ``pipeline.search.search``, and now and then looks at everything that search could show.
What was deleted it reads from truth before and after each question, so that no two clocks are compared.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Final
from uuid import UUID

from sqlalchemy import select

from pipeline.domain.errors import CollectionMissingError
from pipeline.search.request import SearchRequest
from pipeline.search.search import search
from pipeline.settings import Settings
from pipeline.storage import chunks as chunk_store
from pipeline.storage.tables import documents
from pipeline.wiring import Services

PAUSE_SECONDS: Final = 0.01  # between two questions: enough for a writer in another thread to get on
_TODAY: Final = date(2031, 5, 17)  # ages of statuses are of no concern here
_LIMIT: Final = 50  # more documents than a small home has: an answer shows all that it can

Texts = tuple[str, ...]  # of one document, sorted, one an occurrence
Served = Mapping[str, Texts]  # by document id


class Fault(StrEnum):
    """What no answer may be."""

    MIXED = "mixed"  # texts of one document that are not all of one version
    PARTIAL = "partial"  # some, and not all, of a version could be found
    LOST = "lost"  # a document that was there before and is there afterwards could not be found
    DELETED = "deleted"  # a document was shown that was deleted before the question and still after the answer
    RESURRECTED = "resurrected"  # a document was shown after it had been seen deleted for good
    UNKNOWN = "unknown"  # a document that nobody expects
    FAILED = "failed"  # no answer


@dataclass(frozen=True, slots=True)
class Answer:
    """What one question showed.

    Attributes:
        shown: Document ids with the texts that a search showed of them, the best hit's first.
        served: All that search could show at one moment; ``None`` where nobody looked.
        deleted: Documents that were deleted before the question and still after the answer.
        deleted_before: Documents that were deleted before the question.
        failure: Class of the error that came instead.
    """

    shown: tuple[tuple[str, Texts], ...] = field(default=(), repr=False)
    served: Served | None = field(default=None, repr=False)
    deleted: frozenset[str] = frozenset()
    deleted_before: frozenset[str] = frozenset()
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class Expectation:
    """What readers may see of a home while something happens to it.

    Attributes:
        versions: Of each document every text of each of its versions.
        optional: Documents that may be absent: new ones, deleted ones.
        gone_for_good: Documents that, once deleted, must never be shown again.
        failures: Errors, by class, that a search may end with.
    """

    versions: Mapping[str, frozenset[Texts]] = field(repr=False)
    optional: frozenset[str] = frozenset()
    gone_for_good: frozenset[str] = frozenset()
    failures: frozenset[str] = frozenset()

    @classmethod
    def between(cls, *moments: Served, optional: frozenset[str] = frozenset(), gone_for_good: frozenset[str] = frozenset()) -> Expectation:
        """Each document as it is served at one of these moments; one that is absent at any of them may be absent."""
        versions: dict[str, set[Texts]] = defaultdict(set)
        for moment in moments:
            for document, texts in moment.items():
                versions[document].add(texts)
        sometimes = {document for document in versions if any(document not in moment for moment in moments)}
        return cls({key: frozenset(value) for key, value in versions.items()}, optional | sometimes, gone_for_good)

    def judge(self, answers: Sequence[Answer]) -> Counter[Fault]:
        """Return how many answers are each fault; an empty counter is what must be."""
        faults: Counter[Fault] = Counter()
        gone: set[str] = set()
        for answer in answers:
            gone |= answer.deleted_before & self.gone_for_good
            faults.update(set(self._faults(answer, gone)))
        return faults

    def _faults(self, answer: Answer, gone: set[str]) -> Iterator[Fault]:
        if answer.failure is not None and answer.failure not in self.failures:
            yield Fault.FAILED
        for document, texts in answer.shown:
            yield from self._absent(document, answer, gone)
            if not any(set(texts) <= set(version) for version in self.versions.get(document, ())):
                yield Fault.MIXED
        if answer.served is None:
            return
        for document, texts in answer.served.items():
            yield from self._absent(document, answer, gone)
            if texts not in self.versions.get(document, ()):
                yield Fault.PARTIAL
        if self.versions.keys() - answer.served.keys() - self.optional:
            yield Fault.LOST

    def _absent(self, document: str, answer: Answer, gone: set[str]) -> Iterator[Fault]:
        if document not in self.versions:
            yield Fault.UNKNOWN
        if document in answer.deleted:
            yield Fault.DELETED
        if document in gone:
            yield Fault.RESURRECTED


class Reader:
    """Searches a home in a thread of its own, with services of its own, until it is stopped.

    Args:
        settings: The home.
        queries: Asked in turn.
        opened: How to open the home.
        look_every: After so many questions it also looks at all that search could show.
    """

    def __init__(
        self,
        settings: Settings,
        queries: Sequence[str],
        opened: Callable[[Settings], AbstractContextManager[Services]],
        *,
        look_every: int = 3,
    ) -> None:
        self.answers: list[Answer] = []
        self._settings = settings
        self._queries = queries
        self._opened = opened
        self._look_every = look_every
        self._stop = threading.Event()
        self._asked_once = threading.Event()

    @contextmanager
    def reading(self) -> Iterator[Reader]:
        """Read while the block runs: at least one question before it begins, and one with a look after it has ended."""
        thread = threading.Thread(target=self._run, name="chaos-reader")
        thread.start()
        self._asked_once.wait()
        try:
            yield self
        finally:
            self._stop.set()
            thread.join()

    def _run(self) -> None:
        try:
            with self._opened(self._settings) as services:
                while not self._stop.is_set():
                    self._ask(services, look=len(self.answers) % self._look_every == 0)
                    self._asked_once.set()
                    time.sleep(PAUSE_SECONDS)
                self._ask(services, look=True)
        except Exception as error:  # noqa: BLE001 - whatever it is, a reader was left without an answer
            self.answers.append(Answer(failure=type(error).__name__))
        finally:
            self._asked_once.set()

    def _ask(self, services: Services, *, look: bool) -> None:
        query = self._queries[len(self.answers) % len(self._queries)]
        self.answers.append(ask(services, query, look=look))


def ask(services: Services, query: str, *, look: bool = True) -> Answer:
    """Ask one question, and look at everything that search could show where ``look`` says so."""
    before = _deleted(services)
    try:
        hits = search(services, SearchRequest(query=query, limit=_LIMIT), today=_TODAY).hits
        everything = served(services) if look else None
    except Exception as error:  # noqa: BLE001 - as above; its class is all that is kept
        return Answer(failure=type(error).__name__)
    shown = tuple((hit.document_id, (hit.text, *(other.text for other in hit.related))) for hit in hits)
    return Answer(shown, everything, deleted=before & _deleted(services), deleted_before=before)


def served(services: Services) -> dict[str, Texts]:
    """Return the texts that search can show of each document now: of points that are in the live collection and live by truth."""
    services = services.live()
    found: dict[str, list[str]] = defaultdict(list)
    with suppress(CollectionMissingError), services.index.session() as index, services.db.read() as tx:
        ids = [point.id for point in index.scan() if isinstance(point.id, UUID)]
        for row in chunk_store.rows_by_point(tx, ids, collection=services.collection).values():
            found[str(row.document_id)].append(row.chunk.text)
    return {key: tuple(sorted(texts)) for key, texts in found.items()}


def _deleted(services: Services) -> frozenset[str]:
    with services.db.read() as tx:
        return frozenset(
            str(key) for key in tx.execute(select(documents.c.document_id).where(documents.c.tombstoned_at.is_not(None))).scalars()
        )
