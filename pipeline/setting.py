"""How a setting is declared: with its unit, and the reason for its default."""

from __future__ import annotations

from typing import Any

from pydantic import Field


def setting(default: Any, *, unit: str, reason: str, **constraints: Any) -> Any:
    """Declare a setting. A test refuses one without a unit and a reason."""
    return Field(default, description=f"{unit}; {reason}", json_schema_extra={"unit": unit, "reason": reason}, **constraints)
