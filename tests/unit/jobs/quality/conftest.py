"""Homes for checks of data quality: one without any fault, and one with a fault for each expectation."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import update

from pipeline.domain.registry_enums import ENUMERATIONS
from pipeline.jobs.quality.job import run_quality
from pipeline.jobs.quality.model import QualitySummary
from pipeline.settings import Settings
from pipeline.storage.study_tables import studies
from pipeline.testing.homes import copy_home
from pipeline.testing.quality_faults import Seeded, seed_faults
from pipeline.wiring import Services, open_services


@pytest.fixture
def clean(services: Services) -> Services:
    """The sample home without its one fault: a sample study has a recruitment status that the registry does not know."""
    mend_status(services)
    return services


def mend_status(services: Services) -> None:
    with services.db.begin() as tx:
        tx.execute(update(studies).where(studies.c.overall_status.not_in(ENUMERATIONS["Status"])).values(overall_status="COMPLETED"))


@pytest.fixture(scope="module")
def faulty(sample_home, models, tmp_path_factory) -> Iterator[tuple[Services, Seeded, QualitySummary]]:
    """A home with every fault, which rows they are in, and what the check says."""
    target = tmp_path_factory.mktemp("faulty") / "home"
    copy_home(sample_home, target)
    with open_services(Settings(home=target, models_path=models)) as services:
        mend_status(services)
        seeded = seed_faults(services)
        yield services, seeded, run_quality(services)
