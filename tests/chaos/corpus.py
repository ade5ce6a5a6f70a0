"""Invented studies in versions: every text that becomes a chunk says of which version it is, so that a mixture shows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pipeline.jobs.init import initialise
from pipeline.settings import Settings
from pipeline.testing import night_jobs as jobs
from pipeline.testing.night_jobs import INCOMING
from pipeline.testing.studies import invented_nct_id, study_record

QUERIES = ("adults with gout", "serum urate of participants", "uritrol tablet daily", "allergy to the study drug", "flares")


def study(number: int, version: int = 1, *, status: str = "RECRUITING") -> dict[str, Any]:
    """Return an invented study. One version's criteria are more than the one's before: it has another number of chunks."""
    mark = f"edition{version}"
    record = study_record(number)
    protocol = record["protocolSection"]
    protocol["identificationModule"]["briefTitle"] += f" {mark}"
    protocol["statusModule"]["overallStatus"] = status
    described = protocol["descriptionModule"]
    described["briefSummary"] = f"This study asks in {mark} whether uritrol lowers serum urate in adults with gout."
    described["detailedDescription"] = f"Participants of {mark} take one tablet a day.\n\nUrate is measured every four weeks in {mark}."
    more = "".join(f"\n* Known allergy to lavender dye {extra} of {mark}" for extra in range(version))
    protocol["eligibilityModule"]["eligibilityCriteria"] = (
        f"Inclusion Criteria:\n\n* Adults with gout confirmed by crystal analysis of {mark}\n* Serum urate \\>= 6.0 mg/dL in {mark}\n\n"
        f"Exclusion Criteria:\n\n* eGFR \\< 30 mL/min in {mark}{more}"
    )
    for arm in protocol["armsInterventionsModule"]["armGroups"]:
        arm["description"] = f"Daily, {mark}"
    for drug in protocol["armsInterventionsModule"]["interventions"]:
        drug["description"] = f"Film-coated tablet, {mark}"
    for outcomes in ("primaryOutcomes", "secondaryOutcomes"):
        for outcome in protocol["outcomesModule"][outcomes]:
            outcome["description"] = f"Share of participants, {mark}"
    return record


def incoming(settings: Settings) -> Path:
    """Return the folder that the night's studies come from."""
    folder = settings.home / INCOMING
    folder.mkdir(exist_ok=True)
    return folder


def hand_in(settings: Settings, *studies: dict[str, Any]) -> None:
    """Put studies there, over earlier versions of them."""
    for one in studies:
        path = incoming(settings) / f"{one['protocolSection']['identificationModule']['nctId']}.json"
        path.write_text(json.dumps(one), encoding="utf-8")


def take_back(settings: Settings, *numbers: int) -> None:
    """Let studies vanish from there."""
    for number in numbers:
        (incoming(settings) / f"{invented_nct_id(number)}.json").unlink()


def indexed_home(settings: Settings, count: int) -> Settings:
    """Make a home with so many studies, indexed."""
    initialise(settings)
    hand_in(settings, *(study(number) for number in range(count)))
    jobs.ingest_all(settings)
    jobs.index(settings)
    return settings
