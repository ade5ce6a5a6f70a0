"""One trial: a copy of a home, a fault, normal runs afterwards, a reader all the while; and what must hold."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from sqlalchemy import func, select

from pipeline.domain.identifiers import document_id
from pipeline.domain.vocabulary import Source
from pipeline.jobs.certificates.check import verify_certificates
from pipeline.jobs.reconcile import run_reconcile
from pipeline.settings import Settings
from pipeline.storage import collections, index_state
from pipeline.storage.landing import FsspecLanding
from pipeline.storage.proof_tables import deletions
from pipeline.storage.tables import chunks
from pipeline.testing.drift import Snapshot, snapshot
from pipeline.testing.homes import copy_of
from pipeline.testing.kills import Job, kill_at
from pipeline.testing.night_jobs import hashing_services
from pipeline.testing.readers import Expectation, Reader, Served, served
from pipeline.testing.studies import invented_nct_id
from pipeline.wiring import Services
from tests.chaos.corpus import QUERIES

T = TypeVar("T")

FULL = os.environ.get("CLINDEX_CHAOS") == "full"  # `make chaos`; otherwise each kind of fault strikes a few times
SEED = int(os.environ.get("CLINDEX_CHAOS_SEED", "1"))


@dataclass
class Tally:
    """What the whole suite did."""

    runs: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    searches: int = 0
    hits: int = 0
    not_converged: int = 0
    violations: Counter[str] = field(default_factory=Counter)

    def as_json(self) -> dict[str, object]:
        return {
            "seed": SEED,
            "full": FULL,
            "runs": self.runs,
            "faults_injected": self.faults.total(),
            "faults": dict(sorted(self.faults.items())),
            "searches": self.searches,
            "documents_shown": self.hits,
            "not_converged": self.not_converged,
            "violations": self.violations.total(),
            "violations_by_kind": dict(self.violations),
        }


TALLY = Tally()


@dataclass(frozen=True)
class State:
    """All of a home that must be equal after a fault and without one."""

    served: Served = field(repr=False)
    points: Snapshot = field(repr=False)
    truth: Counter[tuple[object, ...]] = field(repr=False)
    landed: frozenset[str] = field(repr=False)
    collections: frozenset[tuple[str, str]] = frozenset()
    deletions: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Scenario:
    """A home in a known state, a job that is struck, and the normal runs that follow."""

    name: str
    prepare: Callable[[Settings], object]
    job: Job
    finish: tuple[Job, ...]
    writes: frozenset[str]  # kinds of writes that the job must make, or the scenario shows less than it says
    may_be_absent: bool = False  # the job takes the whole collection away for a while
    goes_back: bool = False  # readers see again, for a while, what stood before the preparation
    seen_with: Callable[[Settings], Settings] = lambda settings: settings  # what the home's settings are afterwards
    gone_for_good: tuple[int, ...] = ()  # numbers of studies that it deletes and that must never come back

    def __str__(self) -> str:
        return self.name


def some_of(everything: Sequence[T], count: int, *, full: int | None = None) -> list[T]:
    """Return ``full`` of them (``None``: all), or ``count`` where the suite is to be short: a sample by the seed, in order."""
    count = (len(everything) if full is None else full) if FULL else count
    if len(everything) <= count:
        return list(everything)
    return [everything[place] for place in sorted(random.Random(SEED).sample(range(len(everything)), count))]


def state_of(services: Services) -> State:
    """Return a home's state. Index and truth are equal then, and hold nothing beside."""
    reconciled = run_reconcile(services)
    assert reconciled.clean, reconciled.classes
    with services.db.read() as tx:
        rows = list(index_state.scan(tx))
        everywhere = [row for one in collections.existing(tx) for row in index_state.scan(tx, collection=one.name)]
        kept = tx.execute(select(func.count()).select_from(chunks)).scalar_one()
    assert {row.state.value for row in rows} <= {"live", "deleted"}
    assert kept == sum(row.live_chunks for row in everywhere), "chunks of generations that are not live"
    truth = Counter((row.document_id, row.content_hash, row.facets_hash, row.tombstoned, row.state, row.live_chunks) for row in rows)
    certified = verify_certificates(services)
    assert certified.passed, certified
    with services.db.read() as tx:
        held = frozenset((one.name, one.role.value) for one in collections.listed(tx))
        asked = tx.execute(select(deletions.c.state, func.count()).group_by(deletions.c.state)).all()
    assert {state for state, _ in asked} <= {"certified"}
    landed = frozenset(FsspecLanding(services.settings.landing).hashes())
    return State(served(services), snapshot(services), truth, landed, held, tuple((row[0], row[1]) for row in asked))


# What a search may say while a collection is made anew, which takes its metadata away first.
_WHILE_ABSENT = frozenset({"CollectionMissingError", "ForeignModelError"})


class Trials:
    """Trials of one scenario, each on a copy of one home.

    Args:
        scenario: What happens.
        base: The home before it is prepared.
        work: A folder for copies.
    """

    def __init__(self, scenario: Scenario, base: Settings, work: Path) -> None:
        self._work = work
        self._finish = scenario.finish
        self._seen_with = scenario.seen_with
        self._before = copy_of(base, work / "before")
        scenario.prepare(self._before)
        with closing(sqlite3.connect(self._before.home / "truth.sqlite")) as truth:
            truth.execute("VACUUM")  # no free page is left: a disk that is full is met at once
        with hashing_services(self._before) as services:
            old = served(services)
        unfaulted = copy_of(self._before, work / "unfaulted")
        self.writes = kill_at(unfaulted, scenario.job, None) or []
        assert set(self.writes) >= scenario.writes
        self.goal = self._end(unfaulted)
        gone = frozenset(str(document_id(Source.CLINICALTRIALS_GOV, invented_nct_id(number))) for number in scenario.gone_for_good)
        with hashing_services(base) as services:
            before = served(services) if scenario.goes_back else old
        self.expectation = Expectation.between(before, old, self.goal.served, gone_for_good=gone)
        if scenario.may_be_absent:
            self.expectation = replace(self.expectation, optional=frozenset(old), failures=_WHILE_ABSENT)
        shutil.rmtree(unfaulted.home)

    def _end(self, settings: Settings) -> State:
        for job in self._finish:
            job(settings)
        with hashing_services(self._seen_with(settings)) as services:
            return state_of(services)

    @contextmanager
    def one(self, fault: str | None, *, expectation: Expectation | None = None) -> Iterator[Settings]:
        """Let the block do harm to a copy of the home while a reader reads; then run what follows, and judge.

        Args:
            fault: What the tally calls it; ``None``: no harm is done.
            expectation: What the reader may see, where that is not all that it may see of an unfaulted run.
        """
        TALLY.runs += 1
        if fault is not None:
            TALLY.faults[fault] += 1
        with tempfile.TemporaryDirectory(dir=self._work) as folder:
            settings = copy_of(self._before, Path(folder) / "home")
            reader = Reader(settings, QUERIES, hashing_services)
            with reader.reading():
                yield settings
                end = self._end(settings)
        violations = (expectation or self.expectation).judge(reader.answers)
        TALLY.searches += len(reader.answers)
        TALLY.hits += sum(len(answer.shown) for answer in reader.answers)
        TALLY.violations.update({kind.value: count for kind, count in violations.items()})
        TALLY.not_converged += end != self.goal
        assert not violations, violations
        assert end.truth == self.goal.truth
        assert end.points == self.goal.points
        assert end.served == self.goal.served
