"""Where a query goes: to the documents that an identifier names, to nobody because the index lacks it, or to the hybrid search."""

from __future__ import annotations

from pipeline.search.route.model import Route, RouteName
from pipeline.search.route.resolve import route

__all__ = ["Route", "RouteName", "route"]
