from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from pipeline.stages.assemble.fhir import Rendered, render
from pipeline.stages.deidentify.fhir_fields import allowed_fields, contained_fields

Render = Callable[..., Rendered]
Text = Callable[..., str]


def _render(resource: Mapping[str, Any], related: Mapping[str, Mapping[str, Any]] | None = None) -> Rendered:
    seen = {key: allowed_fields(one) for key, one in (related or {}).items()}
    return render(allowed_fields(resource), seen | contained_fields(resource))


@pytest.fixture
def rendered() -> Render:
    """Renders a resource, numbers as strings, behind the allow-list."""
    return _render


@pytest.fixture
def text() -> Text:
    """The whole text of a rendered resource."""
    return lambda resource, related=None: "\n".join(part.text for part in _render(resource, related).parts)
