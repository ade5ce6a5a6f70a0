"""A patient as a questionnaire: "Patient with DISORDER. field: value; field: value." into the disorder and its answers."""

from __future__ import annotations

import re
from typing import Final

_FORM: Final = re.compile(
    r"\A\s*patient\s+with\s+(?P<disorder>[^.:;\n]{2,80})[.:;\n]\s*(?P<answers>(?:[^:;\n]{2,60}:[^;\n]*(?:[;\n]|\Z)\s*){2,})\Z",
    re.IGNORECASE,
)
_ANSWER: Final = re.compile(r"\s*([^:;\n]{2,60}):\s*([^;\n]*)(?:[;\n]|\Z)")
_NOTHING: Final = re.compile(r"\A(?:none|no|never|n/?a|not?\s+(?:known|applicable|available)|unknown|nil|-)?\.?\Z", re.IGNORECASE)
_YES: Final = re.compile(r"\A(?:yes|positive|confirmed|true|y)\.?\Z", re.IGNORECASE)


def read_questionnaire(text: str) -> tuple[str, tuple[tuple[str, str], ...]] | None:
    """Return the disorder and the (field, value) pairs, or ``None`` where the text is no questionnaire."""
    form = _FORM.match(text)
    if form is None:
        return None
    answers = tuple((name.strip(), value.strip().removesuffix(".")) for name, value in _ANSWER.findall(form["answers"]))
    return form["disorder"].strip(), answers


def is_nothing(value: str) -> bool:
    """Whether an answer says that there is nothing of the kind."""
    return _NOTHING.match(value) is not None


def said(name: str, value: str) -> str:
    """Return an answer as words: the field alone where it was merely affirmed."""
    return name if _YES.match(value) else f"{name} {value}"
