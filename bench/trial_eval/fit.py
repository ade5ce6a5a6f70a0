"""Fits the weights of trials' signals: pairs of trials within a query, logistic regression, on the fitted half; reports cross-validation.

Two kinds of pairs: a relevant trial (label 1 or 2) above one that is not or was not judged, and an eligible one (2) above an excluded one
(1). Every query weighs the same, whatever its number of judgements. Prints JSON; --write puts the weights into the package.

python -m bench.trial_eval.fit FOLDER [--write] [--save crossed.json]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]

from bench.trial_eval.collection import Collection, Query, load
from bench.trial_eval.scores import rows, score
from pipeline.domain.points import PointFilter
from pipeline.domain.vocabulary import DocumentKind
from pipeline.jobs.evaluate.measures import NDCG
from pipeline.search.retrieve import queries_for
from pipeline.search.trials import POOL_TIMES_LIMIT, Asked, look
from pipeline.search.understand import understand
from pipeline.settings import Settings
from pipeline.storage.documents import load_documents
from pipeline.wiring import Services, open_services

LIMIT: Final = 100  # hits that the pool is made for
FOLDS: Final = 5
STRENGTH: Final = 0.01  # C of the regression; 0.01 to 0.1 differ by 0.002 in cross-validated nDCG@10, 1 loses 0.01
#: Weight of all pairs eligible/excluded of a query beside all relevant/other. Cross-validated within the fitted half: 0 to 0.5 differ by 0.003 in
#: nDCG@10 and by 0.014 in pair accuracy (best without), 2 loses 0.03 and 0.05: few queries have such pairs, and they are learnt by heart.
ELIGIBLE: Final = 0.25
_POSITIVES, _NEGATIVES, _EACH = 40, 60, 25  # drawn a query at most
_STRENGTHS, _SHARES = (0.003, 0.01, 0.03), (0.0, 0.25, 0.5)  # that nested cross-validation chooses among
_SEED: Final = 7


@dataclass(frozen=True, slots=True)
class Pooled:
    """One query's pool: NCT ids and their signals, of shape (trials, signals)."""

    query: Query
    studies: list[str]
    signals: NDArray[np.float64] = field(repr=False)


def pools(services: Services, collection: Collection) -> tuple[list[str], list[Pooled]]:
    """Return the names of the signals and the pools of the queries that are read as a patient's description."""
    names: list[str] = []
    found = []
    embedders = {model.vector: services.embedder_of(model) for model in services.dense_models((DocumentKind.TRIAL,))}
    with services.index.session() as index, services.db.read() as tx:
        for query in collection.queries:
            queries = queries_for(understand(query.text), embedders, services.sparse)
            asked = Asked.of(queries, PointFilter(), collection=services.collection, rrf_k=services.settings.rrf_k)
            pool, _ = look(index, tx, asked, size=LIMIT * POOL_TIMES_LIMIT)
            if pool is None:
                continue
            names = sorted(pool.signals)
            about = load_documents(tx, pool.trials)
            studies = [about[trial].source_key for trial in pool.trials]
            found.append(Pooled(query, studies, np.stack([pool.signals[name] for name in names], axis=1)))
    return names, found


def weights(
    chosen: Sequence[Pooled], collection: Collection, *, strength: float = STRENGTH, eligible: float = ELIGIBLE
) -> NDArray[np.float64]:
    """Return the weights of the signals that order the pairs of these queries best."""
    random = np.random.default_rng(_SEED)
    labels = collection.labels
    drawn = [pairs for pool in chosen if (pairs := _pairs(pool, labels[pool.query.query_id], random, eligible)) is not None]
    differences = np.concatenate([difference for difference, _ in drawn])
    share = np.concatenate([weight for _, weight in drawn])
    model = LogisticRegression(C=strength, fit_intercept=False, max_iter=1000)
    both = np.concatenate([differences, -differences])
    model.fit(both, np.repeat([1, 0], len(differences)), sample_weight=np.tile(share, 2))
    fitted: NDArray[np.float64] = model.coef_[0]
    return fitted


def _pairs(
    pool: Pooled, labels: dict[str, int], random: np.random.Generator, share: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    label = np.asarray([labels.get(study, 0) for study in pool.studies])
    relevant, other = np.flatnonzero(label > 0), np.flatnonzero(label == 0)
    if not len(relevant) or not len(other):
        return None
    blocks = []
    for one in _some(relevant, _POSITIVES, random):
        against = _some(other, _NEGATIVES, random)
        gain = 1.5 if label[one] == 2 else 1.0  # an eligible trial is worth more, as in the measure
        blocks.append((pool.signals[one] - pool.signals[against], gain / len(against) / min(len(relevant), _POSITIVES)))
    eligible, excluded = (_some(np.flatnonzero(label == one), _EACH, random) for one in (2, 1))
    if len(eligible) and len(excluded):
        difference = (pool.signals[eligible][:, None] - pool.signals[excluded][None]).reshape(-1, pool.signals.shape[1])
        blocks.append((difference, share / len(difference)))
    return np.concatenate([block for block, _ in blocks]), np.concatenate([np.full(len(block), weight) for block, weight in blocks])


def _some(numbers: NDArray[np.intp], most: int, random: np.random.Generator) -> NDArray[np.intp]:
    return numbers if len(numbers) <= most else random.choice(numbers, most, replace=False)


def _run(chosen: Sequence[Pooled], fitted: NDArray[np.float64]) -> dict[str, list[str]]:
    return {pool.query.query_id: [pool.studies[one] for one in np.argsort(-(pool.signals @ fitted), kind="stable")] for pool in chosen}


def _fold(query: Query) -> int:
    return int(hashlib.md5(query.query_id.encode(), usedforsecurity=False).hexdigest(), 16) % FOLDS


def report(names: Sequence[str], found: Sequence[Pooled], collection: Collection) -> dict[str, Any]:
    """Return the weights of the fitted half with their measures, and the cross-validated measures over all queries."""
    fitted = weights([pool for pool in found if pool.query.is_fitted], collection)
    crossed = _crossed(found, lambda training: weights(training, collection))
    nested = _crossed(found, lambda training: weights(training, collection, **_chosen(training, collection)))
    return {
        "weights": {name: round(float(value), 4) for name, value in zip(names, fitted, strict=True)},
        "fitted on one half": score(_run(found, fitted), collection),
        "cross-validated": score(crossed, collection),
        "nested": score(nested, collection),
        "runs": {"clindex cross-validated": crossed, "clindex nested cross-validated": nested},
    }


def _crossed(found: Sequence[Pooled], fit: Callable[[list[Pooled]], NDArray[np.float64]]) -> dict[str, list[str]]:
    """Return the run in which each query is ranked by weights that were fitted on the other folds."""
    run: dict[str, list[str]] = {}
    for fold in sorted({_fold(pool.query) for pool in found}):
        left_out = [pool for pool in found if _fold(pool.query) == fold]
        run |= _run(left_out, fit([pool for pool in found if _fold(pool.query) != fold]))
    return run


def _chosen(training: Sequence[Pooled], collection: Collection) -> dict[str, float]:
    """Return the settings of the regression that are best within the training queries alone, themselves cross-validated."""
    within = Collection([pool.query for pool in training], collection.labels)

    def worth(settings: dict[str, float]) -> float:
        run = _crossed(training, lambda inner: weights(inner, within, **settings))
        return fmean(row[NDCG] for row in rows(run, within).values())

    return max(({"strength": one, "eligible": share} for one in _STRENGTHS for share in _SHARES), key=worth)


def write(fitted: dict[str, float]) -> None:
    """Put the weights beside the others in the package."""
    file = Path(str(resources.files("pipeline.search.rerank").joinpath("trial_weights.json")))
    content = json.loads(file.read_text("utf-8"))
    content["document"]["weights"].update(fitted)
    file.write_text(json.dumps(content, indent=2) + "\n", "utf-8")


def main() -> int:
    """Fit, print, and write where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="of the test collection")
    parser.add_argument("--write", action="store_true", help="put the weights into the package")
    parser.add_argument("--save", type=Path, help="file for the cross-validated runs, which measure.py reads with --runs")
    options = parser.parse_args()
    collection = load(options.folder)
    with open_services(Settings()) as services:
        names, found = pools(services, collection)
    result = report(names, found, collection)
    runs = result.pop("runs")
    if options.save:
        options.save.write_text(json.dumps(runs), "utf-8")
    if options.write:
        write(result["weights"])
    print(json.dumps(result, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
