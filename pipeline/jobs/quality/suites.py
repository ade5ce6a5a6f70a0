"""The suites of expectations, one file a data set, in the form of Great Expectations; and what their parameters mean here.

Every expectation is about single rows, so that rows may be checked in batches of any size. What concerns a whole (uniqueness, agreement,
drift) is counted into a column first.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, Final

from pipeline.domain.errors import ConfigurationError
from pipeline.domain.reading import LOW_CONFIDENCE, PageOutcome
from pipeline.domain.registry_enums import ENUMERATIONS
from pipeline.domain.vocabulary import DocumentKind, Element, ParseOutcome, ResourceOutcome, RunKind, Section, Source

_PACKAGED: Final = Path(__file__).resolve().parents[2] / "expectations"  # where the wheel has them
FOLDER: Final = _PACKAGED if _PACKAGED.is_dir() else Path(__file__).resolve().parents[3] / "schemas" / "expectations"
_PARAMETER: Final = "$PARAMETER"

#: What ``{"$PARAMETER": NAME}`` in a suite stands for: the vocabularies as this version has them, so that no suite repeats them.
PARAMETERS: Final[Mapping[str, Any]] = {
    "elements": [one.value for one in Element],
    "kinds": [one.value for one in DocumentKind],
    "low_confidence": LOW_CONFIDENCE,
    "page_outcomes": [one.value for one in PageOutcome],
    "parse_outcomes": [one.value for one in ParseOutcome],
    "resource_outcomes": [one.value for one in ResourceOutcome],
    "run_kinds": [one.value for one in RunKind],
    "sections": [one.value for one in Section],
    "sources": [one.value for one in Source],
    "statuses": sorted(ENUMERATIONS["Status"]),
    "study_types": sorted(ENUMERATIONS["StudyType"]),
}


class DataSet(StrEnum):
    """What has a suite, in the order of reports."""

    STUDIES = "studies"
    DOCUMENTS = "documents"
    PAGES = "pages"
    CHUNKS = "chunks"
    POINTS = "points"
    FHIR_RESOURCES = "fhir_resources"
    RUNS = "runs"


class Check(StrEnum):
    """Kinds of expectations that suites may use: those that are about one row."""

    NOT_NULL = "expect_column_values_to_not_be_null"
    IN_SET = "expect_column_values_to_be_in_set"
    BETWEEN = "expect_column_values_to_be_between"
    REGEX = "expect_column_values_to_match_regex"


class Severity(StrEnum):
    """What a broken expectation means."""

    BLOCK = "block"  # the document does not go live, the run is red
    WARN = "warn"  # the report shows it


@dataclass(frozen=True, slots=True)
class Expectation:
    """One line of a suite, its parameters put in.

    Attributes:
        kwargs: As Great Expectations takes them: ``column`` and what the check needs.
        says: What holds of a row that is right, in words.
    """

    id: str
    data_set: DataSet
    check: Check
    kwargs: Mapping[str, Any]
    severity: Severity
    says: str

    @property
    def column(self) -> str:
        """The column that it is about."""
        return str(self.kwargs["column"])


@cache
def suite(data_set: DataSet) -> tuple[Expectation, ...]:
    """Return a data set's expectations, in the order of its file.

    Raises:
        ConfigurationError: The file is not there, or holds what no suite may hold. Nothing is indexed without its suites.
    """
    path = FOLDER / f"{data_set.value}.json"
    try:
        lines = json.loads(path.read_text(encoding="utf-8"))["expectations"]
        return tuple(_expectation(data_set, line) for line in lines)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(
            f"the suite schemas/expectations/{path.name} cannot be used ({type(error).__name__})",
            remedy="Restore it from the repository; docs/data-quality.md says what a suite may hold.",
        ) from None


def _expectation(data_set: DataSet, line: Mapping[str, Any]) -> Expectation:
    meta = line["meta"]
    kwargs = {name: _resolved(value) for name, value in line["kwargs"].items()}
    if "column" not in kwargs or "mostly" in kwargs:
        raise ValueError("an expectation is about one column and every row")
    return Expectation(meta["id"], data_set, Check(line["type"]), kwargs, Severity(meta["severity"]), meta["says"])


def _resolved(value: Any) -> Any:
    return PARAMETERS[value[_PARAMETER]] if isinstance(value, Mapping) else value
