"""Holds rows against suites with Great Expectations, batch by batch, and lets it write Data Docs. Its library is loaded here alone.

No request goes out: its analytics are switched off before it is loaded.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from pipeline.domain.errors import ClindexError
from pipeline.jobs.quality.model import DataSetResult, ExpectationResult
from pipeline.jobs.quality.suites import Check, DataSet, Expectation, Severity, suite

NAMED: Final = 100  # rows named for each expectation: enough to see a pattern; a query finds the others
ROW: Final = "row"
_SITE: Final = "quality"
_SEVERITY: Final = {Severity.BLOCK: "critical", Severity.WARN: "warning"}  # in Great Expectations' words

#: Every unexpected row by its id, and no examples of values in Data Docs.
_RESULT_FORMAT: Final = {
    "result_format": "COMPLETE",
    "unexpected_index_column_names": [ROW],
    "partial_unexpected_count": 0,
    "include_unexpected_rows": False,
    "return_unexpected_index_query": False,
}

Row = Mapping[str, Any]
Accepted = Mapping[str, Collection[str]]
NOTHING: Final[Accepted] = MappingProxyType({})


class QualityCheckError(ClindexError):
    """An expectation could not be evaluated: its suite and its data set do not fit."""


@dataclass(slots=True)
class _Tally:
    """One expectation over all batches so far."""

    expectation: Expectation
    rows: int = 0
    broken: int = 0
    named: list[str] = field(default_factory=list)
    lowest: float | None = None
    highest: float | None = None

    def result(self) -> ExpectationResult:
        line = self.expectation
        return ExpectationResult(
            id=line.id,
            data_set=line.data_set.value,
            severity=line.severity.value,
            says=line.says,
            column=line.column,
            rows=self.rows,
            broken=self.broken,
            named=self.named,
            lowest=self.lowest,
            highest=self.highest,
        )


class Checker:
    """Checks batches of rows; what it found is summed up over batches. A batch is in memory, nothing else of the rows."""

    def __init__(self, docs: Path) -> None:
        """Load Great Expectations (3 s). ``docs`` is a folder into which Data Docs are written."""
        os.environ["GX_ANALYTICS_ENABLED"] = "false"
        logging.getLogger("great_expectations").setLevel(logging.ERROR)
        import great_expectations as gx
        from great_expectations.data_context.types.base import DataContextConfig, InMemoryStoreBackendDefaults, ProgressBarsConfig

        self._gx = gx
        config = DataContextConfig(
            store_backend_defaults=InMemoryStoreBackendDefaults(init_temp_docs_sites=False),
            analytics_enabled=False,
            progress_bars=ProgressBarsConfig(globally=False),
        )
        self._context = gx.get_context(mode="ephemeral", project_config=config)
        self._context.add_data_docs_site(
            _SITE,
            {
                "class_name": "SiteBuilder",
                "site_index_builder": {"class_name": "DefaultSiteIndexBuilder"},
                "store_backend": {"class_name": "TupleFilesystemStoreBackend", "base_directory": str(docs)},
            },
        )
        self._frames = self._context.data_sources.add_pandas("home")
        self._checkpoints: dict[DataSet, Any] = {}
        self._tallies = {one: [_Tally(line) for line in suite(one)] for one in DataSet}
        self._rows = dict.fromkeys(DataSet, 0)

    def check(self, data_set: DataSet, rows: Sequence[Row], *, accepted: Accepted = NOTHING) -> None:
        """Hold one batch against the data set's suite. ``accepted``: rows by expectation that may break it, as a person decided.

        Raises:
            QualityCheckError: An expectation could not be evaluated.
        """
        if not rows:
            return
        frame = _frame(data_set, rows)
        run = self._checkpoint(data_set).run(batch_parameters={"dataframe": frame})
        self._rows[data_set] += len(rows)
        (validated,) = run.run_results.values()
        found = {one.expectation_config.meta["id"]: one for one in validated.results}
        for tally in self._tallies[data_set]:
            mine = accepted.get(tally.expectation.id, frozenset())
            _add(tally, found[tally.expectation.id], frame[tally.expectation.column], len(rows), mine)

    def results(self, *, sampled: bool) -> list[DataSetResult]:
        """Return what was found."""
        whole = {DataSet.RUNS}
        return [
            DataSetResult(
                name=one.value,
                rows=self._rows[one],
                sampled=sampled and one not in whole,
                expectations=[tally.result() for tally in tallies],
            )
            for one, tallies in self._tallies.items()
        ]

    def _checkpoint(self, data_set: DataSet) -> Any:
        if data_set not in self._checkpoints:
            lines = [_line(one) for one in suite(data_set)]
            made = self._context.suites.add(self._gx.ExpectationSuite(name=data_set.value, expectations=lines))
            batch = self._frames.add_dataframe_asset(data_set.value).add_batch_definition_whole_dataframe("batch")
            definition = self._gx.ValidationDefinition(name=data_set.value, data=batch, suite=made)
            self._checkpoints[data_set] = self._context.checkpoints.add(
                self._gx.Checkpoint(
                    name=data_set.value,
                    validation_definitions=[self._context.validation_definitions.add(definition)],
                    actions=[self._gx.checkpoint.UpdateDataDocsAction(name="docs", site_names=[_SITE])],
                    result_format=_RESULT_FORMAT,
                )
            )
        return self._checkpoints[data_set]


def _line(one: Expectation) -> dict[str, Any]:
    meta = {"id": one.id, "severity": one.severity.value}
    return {"type": one.check.value, "kwargs": dict(one.kwargs), "severity": _SEVERITY[one.severity], "meta": meta, "notes": one.says}


def _frame(data_set: DataSet, rows: Sequence[Row]) -> Any:
    """Return a frame with the row's id and the columns that the suite names, numbers as floats; nothing else of the rows."""
    import pandas as pd

    checks = {line.column: line.check for line in suite(data_set) if line.check is not Check.NOT_NULL}
    columns = [ROW, *dict.fromkeys(line.column for line in suite(data_set) if line.column != ROW)]
    frame = pd.DataFrame({name: pd.Series([row.get(name) for row in rows], dtype=object) for name in columns})
    for name, check in checks.items():
        if check is Check.BETWEEN:
            frame[name] = frame[name].astype(float)
    return frame


def _add(tally: _Tally, found: Any, column: Any, rows: int, accepted: Collection[str]) -> None:
    if _failed(found.exception_info):
        raise QualityCheckError(
            f"expectation {tally.expectation.id} could not be evaluated", remedy="docs/data-quality.md says what a suite may hold."
        )
    result = found.result
    tally.rows += rows
    broken = [row for one in result.get("unexpected_index_list") or [] if (row := str(one[ROW])) not in accepted]
    tally.broken += len(broken) if accepted else int(result.get("unexpected_count", 0))
    tally.named += broken[: max(0, NAMED - len(tally.named))]
    if tally.expectation.check is Check.BETWEEN and column.notna().any():
        low, high = round(float(column.min()), 6), round(float(column.max()), 6)
        tally.lowest = low if tally.lowest is None else min(tally.lowest, low)
        tally.highest = high if tally.highest is None else max(tally.highest, high)


def _failed(info: Mapping[str, Any] | None) -> bool:
    """Whether an expectation raised: one flag, or one a metric."""
    if not info:
        return False
    flags = [info] if "raised_exception" in info else [one for one in info.values() if isinstance(one, Mapping)]
    return any(one.get("raised_exception") for one in flags)
