"""Makes records of the registry's form out of a test collection's rows, so that they are ingested as any study is.

python -m bench.trial_eval.studies corpus.jsonl.gz studies.jsonl.gz
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from pathlib import Path
from typing import Any, Final

_PHASES: Final = {
    "early phase 1": ["EARLY_PHASE1"],
    "phase 1": ["PHASE1"],
    "phase 1/phase 2": ["PHASE1", "PHASE2"],
    "phase 2": ["PHASE2"],
    "phase 2/phase 3": ["PHASE2", "PHASE3"],
    "phase 3": ["PHASE3"],
    "phase 4": ["PHASE4"],
}


def to_study(row: dict[str, Any]) -> dict[str, Any]:
    """Return a ClinicalTrials.gov v2 record of a row; what the row does not have is left out."""
    section: dict[str, Any] = {
        "identificationModule": {"nctId": row["nct_id"], **_present(briefTitle=row["title"], officialTitle=row["official_title"])},
        "descriptionModule": _present(briefSummary=row["brief_summary"], detailedDescription=row["detailed_description"]),
        "conditionsModule": _present(conditions=row["conditions"]),
        "designModule": _present(phases=_PHASES.get(str(row["phase"]).lower().strip())),
        "armsInterventionsModule": _present(interventions=[{"name": name} for name in row["interventions"] or ()]),
        "eligibilityModule": _present(eligibilityCriteria=row["eligibility_criteria"]),
    }
    return {"protocolSection": {name: module for name, module in section.items() if module}}


def _present(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value}


def main() -> int:
    """Write one record a line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("studies", type=Path)
    options = parser.parse_args()
    with gzip.open(options.corpus, "rt", encoding="utf-8") as rows, gzip.open(options.studies, "wt", encoding="utf-8") as out:
        for row in rows:
            out.write(json.dumps(to_study(json.loads(row))) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
