"""What a deletion must have left nothing of, and what probes found of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Literal
from uuid import UUID

from pydantic import Field

from pipeline.domain.evidence import Evidence
from pipeline.jobs.summaries import Summary

_SHOWN: Final = 20  # places named for each probe: enough to look there; the count has all

Verdict = Literal["passed", "failed", "not_possible"]


class Probe(StrEnum):
    """Where is looked, and how."""

    POINTS_BY_ID = "points_by_id"  # every collection is asked for the recorded ids
    POINTS_BY_DOCUMENT = "points_by_document"  # every collection, filtered by document
    POINTS_BY_PATIENT = "points_by_patient"  # every collection, filtered by patient, where all of a patient was deleted
    POINTS_BY_TERM = "points_by_term"  # the deleted sparse vectors as queries
    POINTS_BY_NEIGHBOUR = "points_by_neighbour"  # the deleted dense vectors as queries
    SEARCH = "search"  # as users search
    HYDRATION = "hydration"  # what truth would show for the recorded ids
    TRUTH_ROWS = "truth_rows"  # every table of truth that refers to documents
    TRUTH_DOCUMENT = "truth_document"  # the documents' own rows are tombstoned and bare
    SOURCE_KEYS = "source_keys"  # listings and run outcomes name them no more
    SUPPRESSED = "suppressed"  # their source cannot bring them back
    CACHE = "cache"  # embeddings of their texts
    LANDING = "landing"  # fetched bytes, readings, pictures
    READINGS = "readings"  # what truth knows of readings of their files
    FILES = "files"  # undo files of repairs, and the file of the probes themselves


class Check(Summary):
    """What one probe found. Any hit fails it."""

    probe: Probe
    verdict: Verdict
    looked_at: int = Field(description="ids, filters, queries, rows or objects that were asked for or read")
    hits: int
    where: list[str] = Field(description="places of the first 20 hits: names of stores and ids, no text")


@dataclass(frozen=True, slots=True)
class Subject:
    """What one deletion must have left nothing of.

    Attributes:
        patient: Pseudonym, where all of one patient's documents were deleted.
    """

    deletion_id: UUID
    documents: tuple[UUID, ...]
    patient: str | None
    evidence: Evidence = field(repr=False)


class Findings:
    """Adds up what the probes for one deletion look at and meet."""

    def __init__(self) -> None:
        self._looked: dict[Probe, int] = {}
        self._hits: dict[Probe, int] = {}
        self._where: dict[Probe, list[str]] = {}
        self._impossible: dict[Probe, str] = {}

    def add(self, probe: Probe, looked_at: int, hits: Iterable[str] = ()) -> None:
        """Count what a probe looked at, and the places of what it met."""
        self._looked[probe] = self._looked.get(probe, 0) + looked_at
        places = self._where.setdefault(probe, [])
        for place in hits:
            self._hits[probe] = self._hits.get(probe, 0) + 1
            if len(places) < _SHOWN:
                places.append(place)

    def impossible(self, probe: Probe, why: str) -> None:
        """Say that a probe could not be made. One that met something has failed all the same."""
        self._impossible[probe] = why
        self._looked.setdefault(probe, 0)

    def checks(self) -> list[Check]:
        """Return one check a probe that was made, in the order of ``Probe``."""
        return [self._check(probe) for probe in Probe if probe in self._looked]

    def _check(self, probe: Probe) -> Check:
        hits, where = self._hits.get(probe, 0), list(self._where.get(probe, []))
        verdict: Verdict = "failed" if hits else "passed"
        if not hits and probe in self._impossible:
            verdict, where = "not_possible", [self._impossible[probe]]
        return Check(probe=probe, verdict=verdict, looked_at=self._looked[probe], hits=hits, where=where)
