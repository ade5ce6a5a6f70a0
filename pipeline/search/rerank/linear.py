"""A linear model over named signals: in go what was seen of a passage or a document, out goes the log-odds that it answers the query.

``FAMILY_weights.json`` holds two models of a family: of its documents and of their passages. Those of all families speak of log-odds of
relevance, so that trials and other documents can be merged by score; ``docs/retrieval.md`` says what each signal means and how its
weight was found.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError

from pipeline.domain.errors import ConfigurationError

#: Of the file's form and of what the signals mean: a file of another version is refused.
WEIGHTS_VERSION: Final = 1

_FAR: Final = 30.0  # log-odds beyond which a probability is 0 or 1 within 1e-13; keeps exp() small


class Family(StrEnum):
    """Kinds of documents that are scored by the same signals."""

    TRIAL = "trial"  # of a registry
    DOCUMENT = "document"  # everything else


@dataclass(frozen=True, slots=True)
class LinearModel:
    """Log-odds = intercept + sum of weight times signal."""

    intercept: float
    weights: Mapping[str, float]

    def log_odds(self, signals: Mapping[str, float]) -> float:
        """Return the log-odds of relevance; a signal that is not given counts 0.

        Raises:
            KeyError: A signal that the model has no weight for.
        """
        return self.intercept + sum(self.weights[name] * value for name, value in signals.items())


def probability(log_odds: float) -> float:
    """Return 1 / (1 + exp(-log_odds)), strictly between 0 and 1 and strictly rising within ±30."""
    return 1.0 / (1.0 + math.exp(-max(-_FAR, min(_FAR, log_odds))))


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    intercept: FiniteFloat
    weights: dict[Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*\z")], FiniteFloat]


class _Weights(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    version: int
    document: _Model
    passage: _Model


@dataclass(frozen=True, slots=True)
class FamilyModels:
    """The two models of a family. ``document`` scores a whole document, or trial; ``passage`` a chunk within it."""

    document: LinearModel
    passage: LinearModel


def parse_weights(content: str) -> FamilyModels:
    """Return the models of a file of weights.

    Raises:
        ConfigurationError: It is no such file, or of another version.
    """
    try:
        read = _Weights.model_validate_json(content)
    except ValidationError as error:
        places = ", ".join(sorted({".".join(map(str, one["loc"])) or "the file" for one in error.errors(include_input=False)}))
        raise ConfigurationError(f"weights of re-ranking are malformed: {places}", remedy="See docs/retrieval.md.") from None
    if read.version != WEIGHTS_VERSION:
        raise ConfigurationError(
            f"weights of re-ranking are of version {read.version} instead of {WEIGHTS_VERSION}",
            remedy="Fit them again with this version's script; see docs/retrieval.md.",
        )
    return FamilyModels(
        LinearModel(read.document.intercept, read.document.weights), LinearModel(read.passage.intercept, read.passage.weights)
    )


@cache
def packaged_models(family: Family) -> FamilyModels:
    """Return the models that the package carries for a family."""
    return parse_weights(resources.files("pipeline.search.rerank").joinpath(f"{family.value}_weights.json").read_text("utf-8"))
