"""What a description of a patient says, as far as finding trials needs it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition that a description names.

    Attributes:
        name: In its own words.
        standing: How much speaks for its being why the patient is there: higher is more (``conditions.weigh``).
    """

    name: str = field(repr=False)
    standing: float


@dataclass(frozen=True, slots=True)
class Patient:
    """A patient, as described.

    Attributes:
        age_years: ``None``: not said.
        sex: ``None``: not said.
        problem: What brings the patient, in the description's own words: the disorder of a questionnaire, else its first sentences.
        conditions: Named in the text, the one that matters most first; denied ones and those of relatives left out.
        suspected: What the findings point to where they are a classic presentation, the likeliest first; names as trials use them.
        answers: Of a questionnaire, (field, value).
        present: The description without what it denies.
    """

    age_years: float | None
    sex: Literal["male", "female"] | None
    problem: str = field(repr=False)
    conditions: tuple[Condition, ...] = field(default=(), repr=False)
    suspected: tuple[tuple[str, ...], ...] = field(default=(), repr=False)
    answers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    present: str = field(default="", repr=False)
