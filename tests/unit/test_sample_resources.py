"""The sample FHIR resources are what their README says: each is valid, and of two patients."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from pipeline.domain.fhir import RawResource
from pipeline.domain.vocabulary import FhirVersion, ResourceOutcome
from pipeline.stages.normalize.fhir import check
from pipeline.stages.sources.fhir.folder import FolderFeed


def test_every_sample_resource_is_valid_and_belongs_to_one_of_two_patients(root: Path) -> None:
    feed = FolderFeed([root / "samples" / "fhir"], secret=b"x" * 32)
    entries = list(feed.entries())
    checked = [check(one, default=FhirVersion.R4) for one in entries if isinstance(one, RawResource)]

    assert len(checked) == len(entries) == 45
    assert Counter(one.outcome for one in checked) == {ResourceOutcome.DOCUMENT: 37, ResourceOutcome.SUPPORTING: 8}
    assert {one.patient for one in checked} == {"sample-p1", "sample-p2", None}
    assert sum(one.unresolved for one in checked) == 0
    assert feed.end().complete
