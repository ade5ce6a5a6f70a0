"""Writes a plan while reconciliation goes on: findings stream into their file, memory grows with affected documents only."""

from __future__ import annotations

import hashlib
import os
import random
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Final
from uuid import UUID

from sqlalchemy import Connection

from pipeline.domain.ports import VectorIndex
from pipeline.domain.vocabulary import DriftClass
from pipeline.jobs.drift.merge import Finding, Tally
from pipeline.jobs.guards import Refusal, refusals
from pipeline.jobs.plans.evidence import Deletions, gather
from pipeline.jobs.plans.findings import line_of
from pipeline.jobs.plans.model import UNKNOWN, WHY, Blast, RepairPlan, plans_folder
from pipeline.jobs.plans.world import world_of
from pipeline.jobs.summaries import GuardVerdict
from pipeline.storage import documents
from pipeline.wiring import Services, utc_now

Place = tuple[str, str]  # source and kind

# Points to be deleted whose payloads the guards look at: read by id at 20,000 a second they cost a quarter of a second. What one cause did is
# seen in any sample; a restored truth's newer points are found for certain where no more than this many are to go, else by chance of 1 - (1 - p)^5000.
SAMPLE: Final = 5000


class Sample:
    """A random sample of ids, of a bounded number whatever comes (Vitter's algorithm R); the same for the same ids."""

    def __init__(self, ids: Iterable[UUID | int] = ()) -> None:
        self.ids: list[UUID | int] = []
        self._seen = 0
        self._chance = random.Random(SAMPLE)  # noqa: S311 - a sample, no secret
        for each in ids:
            self.add(each)

    def add(self, point: UUID | int) -> None:
        """Let one more id take its chance."""
        self._seen += 1
        if len(self.ids) < SAMPLE:
            self.ids.append(point)
        elif (place := self._chance.randrange(self._seen)) < SAMPLE:
            self.ids[place] = point


class PlanWriter:
    """Takes findings one by one; ``finish`` writes the head."""

    def __init__(self, services: Services, run_id: UUID) -> None:
        self._services = services
        self._folder = plans_folder(services)
        self._run_id = run_id
        self._file: IO[bytes] | None = None
        self._hash = hashlib.sha256()
        self._deleted: Counter[UUID | None] = Counter()
        self._said: dict[UUID | None, Place] = {}  # by the payloads of points that are to go
        self._index: set[UUID] = set()
        self._payload: set[UUID] = set()
        self._sample = Sample()

    def add(self, finding: Finding) -> None:
        """Add one finding."""
        if self._file is None:
            for folder in (self._folder.parent, self._folder):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._file = os.fdopen(os.open(self._findings, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb")
        line = line_of(finding)
        self._hash.update(line)
        self._file.write(line)
        if not finding.expected:
            self._delete(finding)
        elif finding.document_id is not None:
            (self._payload if finding.drift is DriftClass.PAYLOAD_DRIFT else self._index).add(finding.document_id)

    def _delete(self, finding: Finding) -> None:
        self._deleted[finding.document_id] += 1
        self._said[finding.document_id] = (finding.source or UNKNOWN, finding.kind or UNKNOWN)
        if finding.point_id is not None:
            self._sample.add(finding.point_id)

    @property
    def _findings(self) -> Path:
        return self._folder / f"plan-{self._run_id}.points.jsonl"

    def finish(self, tally: Tally, *, tx: Connection, index: VectorIndex) -> str | None:
        """Ask the guards, write the plan's head and return its path; ``None`` where there is nothing to repair."""
        if self._file is None:
            return None
        self._file.close()
        services = self._services
        rewrite = self._payload - self._index
        places = self._places_of(tx)
        deletions = Deletions(self._deleted, places, self._sample.ids)
        seen = gather(services, tx, index, deletions, points=tally.found)
        classes = {name.value: tally.classes[name] for name in DriftClass}
        plan = RepairPlan(
            run_id=str(self._run_id),
            created_at=utc_now().isoformat(),
            collection=services.collection,
            deep=tally.depth == "deep",
            world=world_of(tx, collection=services.collection),
            points=index.count(),
            classes=classes,
            why={name.value: words for name, words in WHY.items() if classes[name.value]},
            delete_points=self._deleted.total(),
            index_documents=len(self._index),
            update_payloads=len(rewrite),
            delete_share=round(self._deleted.total() / max(1, seen.points), 4),
            blast=self._blast(places, rewrite),
            refused=[verdict_of(one) for one in refusals(services.settings, seen)],
            findings_file=self._findings.name,
            findings_sha256=self._hash.hexdigest(),
        ).sealed(services.secret)
        return str(write_private(self._folder / f"plan-{self._run_id}.json", plan.model_dump_json(indent=2) + "\n"))

    def _places_of(self, tx: Connection) -> dict[UUID, Place]:
        """Return source and kind of every affected document that truth knows."""
        ids = sorted({key for key in self._deleted if key is not None} | self._index | self._payload)
        return {key: (row.source, row.kind) for key, row in documents.load_documents(tx, ids).items()}

    def _blast(self, places: dict[UUID, Place], rewrite: set[UUID]) -> list[Blast]:
        def place(document: UUID | None) -> Place:
            known = places.get(document) if document is not None else None
            return known or self._said.get(document) or (UNKNOWN, UNKNOWN)

        deleted: Counter[Place] = Counter()
        for document, count in self._deleted.items():
            deleted[place(document)] += count
        indexed, rewritten = Counter(map(place, self._index)), Counter(map(place, rewrite))
        return [
            Blast(source=at[0], kind=at[1], delete_points=deleted[at], index_documents=indexed[at], rewrite_documents=rewritten[at])
            for at in sorted({*deleted, *indexed, *rewritten})
        ]


def verdict_of(refusal: Refusal) -> GuardVerdict:
    """Take a guard's refusal into a plan."""
    return GuardVerdict(guard=refusal.guard, reason=refusal.reason, approvable=refusal.approvable)


def write_private(path: Path, text: str) -> Path:
    """Write a file that only its owner may read, whole or not at all."""
    waiting = path.with_suffix(".part")
    descriptor = os.open(waiting, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    waiting.replace(path)
    return path
