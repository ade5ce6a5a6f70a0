"""How often the right document, and for doses the right passage, comes first. Before re-ranking (fused) and after.

python -m bench.ems_eval.measure --queries queries.jsonl --queries bench/ems_eval/queries.jsonl [--modes fused full] [--missed]

The home is ``CLINDEX_HOME``, with the protocols ingested and indexed. Nothing of a question or a protocol is printed but numbers and ids.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from bench.ems_eval.sets import OWN, Judged, load
from pipeline.search.request import Hit, Mode, SearchRequest
from pipeline.search.rerank import dosing
from pipeline.search.rerank.document_query import drug_patterns
from pipeline.search.rerank.population import Population, of_words
from pipeline.search.search import search
from pipeline.search.understand import understand
from pipeline.settings import Settings
from pipeline.wiring import Services, open_services

TODAY = date(2026, 6, 1)  # for the ages of statuses, which protocols have none of


def main() -> int:
    """Print one JSON object a set and mode."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=Path, action="append")
    parser.add_argument("--modes", nargs="+", default=["dense", "sparse", "fused", "full"], choices=list(Mode))
    parser.add_argument("--missed", action="store_true", help="list the questions whose first hit is wrong")
    options = parser.parse_args()
    with open_services(Settings()) as services:
        for path in options.queries or [OWN]:
            asked = load(path, services)
            for mode in options.modes:
                print(json.dumps(_measured(services, path.name, asked, Mode(mode), missed=options.missed)), flush=True)
    return 0


def _measured(services: Services, name: str, asked: Sequence[Judged], mode: Mode, *, missed: bool) -> dict[str, Any]:
    ranks: dict[str, int] = {}
    doses: dict[str, bool] = {}
    for one in asked:
        hits = search(services, SearchRequest(query=one.text, limit=10, mode=mode), today=TODAY).hits
        ranks[one.query_id] = next((rank for rank, hit in enumerate(hits, start=1) if hit.document_id in set(map(str, one.relevant))), 0)
        stated = states_dose(one, hits[0]) if hits and one.may_want_dose else None
        if stated is not None:
            doses[one.query_id] = stated and ranks[one.query_id] == 1
    groups: dict[str, list[int]] = defaultdict(list)
    for one in asked:
        groups["misspelt" if one.clean else "all"].append(ranks[one.query_id])
        if one.clean:
            groups["their clean forms"].append(ranks[one.clean])
        else:
            groups[one.intent].append(ranks[one.query_id])
    made: dict[str, Any] = {"set": name, "mode": mode.value}
    made |= {group: _shares(values) for group, values in groups.items()}
    for group, wanted in (("all", False), ("misspelt", True)):
        values = [right for number, right in doses.items() if bool(_by_id(asked, number).clean) is wanted]
        if values:
            made[f"dosing passage first, {group}"] = {"queries": len(values), "share": round(sum(values) / len(values), 3)}
    if missed:
        made["missed"] = {number: rank for number, rank in ranks.items() if rank != 1} | {
            n: "dose" for n, right in doses.items() if not right
        }
    return made


def _by_id(asked: Sequence[Judged], number: str) -> Judged:
    return next(one for one in asked if one.query_id == number)


def _shares(ranks: Sequence[int]) -> dict[str, float]:
    return {
        "queries": len(ranks),
        "right@1": round(sum(rank == 1 for rank in ranks) / len(ranks), 3),
        "right@3": round(sum(1 <= rank <= 3 for rank in ranks) / len(ranks), 3),
    }


def states_dose(one: Judged, hit: Hit) -> bool | None:
    """Whether a hit's passage states the dose that was asked for, of the right population; ``None``: no drug is known to be asked about."""
    drugs = drug_patterns((one.drug,) if one.drug else understand(one.text).drugs)
    if not drugs:
        return None
    about = any(drug.search(hit.title) for drug in drugs)
    if not dosing.beside(hit.text, drugs, about=about):
        return False
    child = hit.section == "PEDIATRIC" or (hit.reference_number or "").endswith("-P")
    if "pediatric" in one.intent:
        return child or dosing.by_weight(hit.text) or of_words(hit.text) is Population.CHILD
    return not child


if __name__ == "__main__":
    sys.exit(main())
