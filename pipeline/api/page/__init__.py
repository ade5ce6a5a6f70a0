"""The search page: rendered here, works without a script, and keeps what is asked out of addresses, logs and other sites."""

from __future__ import annotations

from fastapi import FastAPI

from pipeline.api.page.console import router as console
from pipeline.api.page.errors import error_page
from pipeline.api.page.routes import router

__all__ = ["mount"]


def mount(app: FastAPI) -> None:
    """Add the page, and answer browsers' errors as pages."""
    app.include_router(router)
    app.include_router(console)
    app.state.error_page = error_page
