"""What a person asks of indexing, and what a hostile record may not do to it."""

from __future__ import annotations

import json
from pathlib import Path
from uuid import UUID

import pytest

from pipeline.domain.errors import UsageError
from pipeline.domain.identifiers import document_id
from pipeline.domain.points import PointFilter
from pipeline.jobs.index import run_index
from pipeline.jobs.ingest import ingest
from pipeline.jobs.payloads import MAX_CONDITIONS
from pipeline.jobs.reconcile import run_reconcile
from pipeline.stages.sources.files import StudyFiles
from pipeline.testing.studies import invented_nct_id, study_record
from pipeline.wiring import Services


def test_an_unknown_document_is_wrong_use(services: Services):
    with pytest.raises(UsageError, match="1 of 2 documents are unknown"):
        run_index(services, documents=[document_id("clinicaltrials.gov", "NCT99000001"), UUID(int=1)])


def test_thousands_of_conditions_do_not_ride_on_every_point(services: Services, tmp_path: Path):
    many = [f"Condition {number}" for number in range(2000)]
    source = tmp_path / "many.json"
    source.write_text(json.dumps(study_record(1, conditionsModule={"conditions": many})), encoding="utf-8")
    ingest(services, StudyFiles([source], services.settings))
    run_index(services)
    where = PointFilter(nct_ids=(invented_nct_id(1),))
    with services.index.session() as index:
        points = list(index.scan(where))
        assert index.count(PointFilter(nct_ids=where.nct_ids, conditions=(many[0],))) == len(points)
    assert {len(point.payload["conditions"]) for point in points} == {MAX_CONDITIONS}
    assert run_reconcile(services).clean
