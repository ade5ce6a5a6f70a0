"""Writes the contracts in ``schemas/`` from the models: ``python -m pipeline.cli.schemas [--check]``."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from pydantic import BaseModel

from pipeline.index.spec import collection_contract
from pipeline.jobs.api_keys import KeyList
from pipeline.jobs.audit.searches import LogReport
from pipeline.jobs.audit.summary import AuditSummary
from pipeline.jobs.certificates.check import CertificateReport
from pipeline.jobs.certificates.listing import CertificateList
from pipeline.jobs.certificates.model import Certificate
from pipeline.jobs.deletion.run import DeleteSummary
from pipeline.jobs.evaluate.model import Comparison, EvaluationSummary
from pipeline.jobs.feedback import FeedbackSummary
from pipeline.jobs.fhir.summaries import FhirSummary
from pipeline.jobs.holds import HoldList
from pipeline.jobs.metrics.summary import HomeMetrics
from pipeline.jobs.nightly import NightlySummary
from pipeline.jobs.notify.model import Message, NotifySummary
from pipeline.jobs.plans.model import RepairPlan
from pipeline.jobs.quality.model import QualitySummary
from pipeline.jobs.quarantine import QuarantineDetails, QuarantineList
from pipeline.jobs.reindex import ReindexSummary
from pipeline.jobs.reindex.summaries import CandidateSummary, CollectionList, RetirementSummary, SwitchSummary
from pipeline.jobs.report.model import RunReport
from pipeline.jobs.review.files import ApplySummary, DecisionFile, ExportSummary
from pipeline.jobs.review.fixtures import Fixture
from pipeline.jobs.review.model import DecisionEntry, DecisionList, FindingPage
from pipeline.jobs.summaries import IndexSummary, IngestSummary, ReconcileSummary, StatusSummary
from pipeline.search.answer.model import Answer
from pipeline.search.cite.model import Citation
from pipeline.search.request import SearchRequest, SearchResult
from pipeline.settings import Settings

MODELS: dict[str, type[BaseModel]] = {
    "audit": AuditSummary,
    "delete": DeleteSummary,
    "certificate": Certificate,
    "certificate-report": CertificateReport,
    "certificates": CertificateList,
    "evaluation": EvaluationSummary,
    "evaluation-comparison": Comparison,
    "holds": HoldList,
    "keys": KeyList,
    "search-log": LogReport,
    "feedback": FeedbackSummary,
    "fhir": FhirSummary,
    "ingest": IngestSummary,
    "index": IndexSummary,
    "quality": QualitySummary,
    "quarantine": QuarantineList,
    "quarantined": QuarantineDetails,
    "reconcile": ReconcileSummary,
    "reindex": ReindexSummary,
    "candidate": CandidateSummary,
    "switch": SwitchSummary,
    "retirement": RetirementSummary,
    "collections": CollectionList,
    "metrics": HomeMetrics,
    "nightly": NightlySummary,
    "notification": Message,
    "notify": NotifySummary,
    "plan": RepairPlan,
    "findings": FindingPage,
    "decision": DecisionFile,
    "decided": DecisionEntry,
    "decisions": DecisionList,
    "decisions-applied": ApplySummary,
    "decisions-exported": ExportSummary,
    "decision-fixture": Fixture,
    "report": RunReport,
    "search-request": SearchRequest,
    "search": SearchResult,
    "citation": Citation,
    "answer": Answer,
    "status": StatusSummary,
    "settings": Settings,
}


def contracts() -> dict[str, Callable[[], dict[str, object]]]:
    """Return every schema file's name and what makes its content."""
    made: dict[str, Callable[[], dict[str, object]]] = {
        name: partial(model.model_json_schema, by_alias=True) for name, model in MODELS.items()
    }
    made["collection"] = collection_contract
    return made


def text_of(make: Callable[[], dict[str, object]]) -> str:
    """Return a schema as it stands in its file."""
    return json.dumps(make(), indent=2, sort_keys=True, default=str) + "\n"


def main(arguments: list[str], folder: Path = Path("schemas")) -> int:
    """Write all schemas, or with ``--check`` name those that are not as the models say."""
    wrong = []
    for name, make in contracts().items():
        path, text = folder / f"{name}.json", text_of(make)
        if "--check" in arguments:
            if not path.is_file() or path.read_text(encoding="utf-8") != text:
                wrong.append(str(path))
        else:
            path.write_text(text, encoding="utf-8")
    if wrong:
        sys.stderr.write(f"not as the models say: {', '.join(wrong)}; `make schemas` writes them\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
