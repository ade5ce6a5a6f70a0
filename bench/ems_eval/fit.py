"""Weights of documents' re-ranking, drawn from the committed ones towards what judged questions say, and what that is worth unseen.

python -m bench.ems_eval.fit --queries queries.jsonl --queries bench/ems_eval/queries.jsonl [--pull 1.0] [--write]

Few questions are judged, so the committed weights are the prior: the loss is that of a logistic regression, each question counting once,
plus ``pull`` times the squared distance from the prior. No weight may change its sign. What is printed under ``unseen`` is made by weights
that were fitted without the question.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from importlib import import_module, resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.ems_eval.sets import OWN, Judged, load
from pipeline.search.passages import Group
from pipeline.search.request import SearchRequest
from pipeline.search.rerank.document_rank import Seen, see
from pipeline.search.rerank.linear import Family, FamilyModels, LinearModel, packaged_models
from pipeline.search.search import search
from pipeline.search.understand.model import Understood
from pipeline.settings import Settings
from pipeline.wiring import Services, open_services

_STEPS = 400
_RATE = 0.5


@dataclass(frozen=True, slots=True)
class Case:
    """A question and what was seen of the documents that it found."""

    query_id: str
    seen: tuple[Seen, ...]
    relevant: tuple[bool, ...]
    wants_dose: bool


def main() -> int:
    """Print figures of the committed weights and of fitted ones; write the latter where asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=Path, action="append")
    parser.add_argument("--pull", type=float, default=1.0)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    with open_services(Settings()) as services:
        cases = [case for path in options.queries or [OWN] for case in _cases(services, load(path, services))]
    prior = packaged_models(Family.DOCUMENT)
    fitted = fit(cases, prior, pull=options.pull)
    figures = {"committed": _shares(_ranks(cases, prior)), "fitted": _shares(_ranks(cases, fitted))}
    figures["unseen"] = _shares([_rank(case, fit(cases[:at] + cases[at + 1 :], prior, pull=options.pull)) for at, case in enumerate(cases)])
    print(json.dumps({"questions": len(cases), **figures, "weights": _as_json(fitted)}, indent=2))
    if options.write:
        target = Path(str(resources.files("pipeline.search.rerank").joinpath("document_weights.json")))
        target.write_text(json.dumps(_as_json(fitted), indent=2) + "\n", "utf-8")
    return 0


def _cases(services: Services, asked: Sequence[Judged]) -> Iterator[Case]:
    for one in asked:
        with _recorded() as found:
            search(services, SearchRequest(query=one.text), today=date(2026, 6, 1))
        for understood, groups in found:
            wants_dose, seen = see(understood, groups)
            relevant = tuple(group.document_id in one.relevant for group in groups)
            if len(groups) > 1 and any(relevant):  # else its order says nothing
                yield Case(one.query_id, tuple(seen), relevant, wants_dose and one.may_want_dose)


@contextmanager
def _recorded() -> Iterator[list[tuple[Understood, list[Group]]]]:
    """Keep what searches in the block hand over to re-ranking."""
    found: list[tuple[Understood, list[Group]]] = []
    search_module: Any = import_module("pipeline.search.search")
    original = search_module.rerank

    def record(understood: Understood, groups: Sequence[Group]) -> list[Group]:
        found.append((understood, list(groups)))
        return list(original(understood, groups))

    search_module.rerank = record
    try:
        yield found
    finally:
        search_module.rerank = original


def fit(cases: Sequence[Case], prior: FamilyModels, *, pull: float) -> FamilyModels:
    """Return models fitted to the cases: passages first, then documents with their best passage by the fitted model."""
    passages = [(signals, label, weight) for case in cases for signals, label, weight in _passage_rows(case, prior.passage)]
    passage = _logistic(passages, prior.passage, pull)
    rows = [
        ({**one.document, "best_passage": max(map(passage.log_odds, one.passages))}, float(label), 1.0 / len(case.seen))
        for case in cases
        for one, label in zip(case.seen, case.relevant, strict=True)
    ]
    return FamilyModels(document=_logistic(rows, prior.document, pull), passage=passage)


def _passage_rows(case: Case, model: LinearModel) -> list[tuple[Mapping[str, float], float, float]]:
    """Return passages with labels: of a relevant document its best one (for a dose: that states it), of the others all."""
    rows: list[tuple[Mapping[str, float], float]] = []
    for one, relevant in zip(case.seen, case.relevant, strict=True):
        if not relevant:
            rows += [(signals, 0.0) for signals in one.passages]
            continue
        stating = [signals for signals in one.passages if not case.wants_dose or signals["dose"]]
        rows += [(max(stating, key=model.log_odds), 1.0)] if stating else []
        if case.wants_dose:
            rows += [(signals, 0.0) for signals in one.passages if not signals["dose"]]
    return [(signals, label, 1.0 / len(rows)) for signals, label in rows]


def _logistic(rows: Sequence[tuple[Mapping[str, float], float, float]], prior: LinearModel, pull: float) -> LinearModel:
    names = sorted(prior.weights)
    seen = np.array([[signals.get(name, 0.0) for name in names] + [1.0] for signals, _, _ in rows])
    labels = np.array([label for _, label, _ in rows])
    share = np.array([weight for _, _, weight in rows])
    start = np.array([prior.weights[name] for name in names] + [prior.intercept])
    held = np.array([1.0] * len(names) + [0.0])  # the intercept is free: it sets the scale, not the order
    weights = _descended(seen, labels, share, start, pull * held)
    return LinearModel(float(round(weights[-1], 3)), {name: float(round(value, 3)) for name, value in zip(names, weights, strict=False)})


def _descended(
    seen: NDArray[np.float64],
    labels: NDArray[np.float64],
    share: NDArray[np.float64],
    start: NDArray[np.float64],
    pull: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return weights by damped Newton steps; none crosses 0."""
    weights = start.copy()
    for _ in range(_STEPS):
        likely = 1.0 / (1.0 + np.exp(-np.clip(seen @ weights, -30, 30)))
        gradient = seen.T @ (share * (likely - labels)) + pull * (weights - start)
        curve = (seen * (share * likely * (1 - likely))[:, None]).T @ seen + np.diag(pull + 1e-6)
        moved = weights - _RATE * np.linalg.solve(curve, gradient)
        crossed = (np.sign(moved) * np.sign(start) < 0) & (pull > 0)
        moved[crossed] = 0.0
        if float(np.abs(moved - weights).max()) < 1e-5:
            break
        weights = moved
    return weights


def _ranks(cases: Sequence[Case], models: FamilyModels) -> list[tuple[int, bool | None]]:
    return [_rank(case, models) for case in cases]


def _rank(case: Case, models: FamilyModels) -> tuple[int, bool | None]:
    """Return the rank of the first relevant document, and whether the first passage states a dose where one is wanted."""
    best = [max(one.passages, key=models.passage.log_odds) for one in case.seen]
    odds = [
        models.document.log_odds({**one.document, "best_passage": models.passage.log_odds(passage)})
        for one, passage in zip(case.seen, best, strict=True)
    ]
    order = sorted(range(len(odds)), key=lambda number: -odds[number])
    rank = next(place for place, number in enumerate(order, start=1) if case.relevant[number])
    return rank, (bool(best[order[0]]["dose"]) and rank == 1) if case.wants_dose else None


def _shares(ranks: Sequence[tuple[int, bool | None]]) -> dict[str, float]:
    doses = [right for _, right in ranks if right is not None]
    return {
        "right@1": round(sum(rank == 1 for rank, _ in ranks) / len(ranks), 3),
        "right@3": round(sum(rank <= 3 for rank, _ in ranks) / len(ranks), 3),
        "dose first": round(sum(doses) / len(doses), 3) if doses else 1.0,
    }


def _as_json(models: FamilyModels) -> dict[str, Any]:
    return {
        "version": 1,
        "document": {"intercept": models.document.intercept, "weights": dict(models.document.weights)},
        "passage": {"intercept": models.passage.intercept, "weights": dict(models.passage.weights)},
    }


if __name__ == "__main__":
    sys.exit(main())
