"""Small PDFs for tests, whose every word is known. Needs reportlab, which is among the development packages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path


def write_pdf(path: Path, *pages: Sequence[str], header: str = "", size: float = 11, properties: Mapping[str, str] | None = None) -> Path:
    """Write a digital PDF with a page for each list of lines; returns its path.

    Args:
        path: Where.
        pages: Lines of each page, from the top.
        header: Printed on every page.
        size: Of the letters, in points.
        properties: ``title``, ``author``, ``subject`` of the file.
    """
    from reportlab.lib.pagesizes import letter
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(str(path), pagesize=letter, invariant=1)
    said = properties or {}
    canvas.setTitle(said.get("title", ""))
    canvas.setAuthor(said.get("author", ""))
    canvas.setSubject(said.get("subject", ""))
    for lines in pages:
        canvas.setFont("Helvetica", size)
        if header:
            canvas.drawString(72, 760, header)
        for number, line in enumerate(lines):
            canvas.drawString(72, 710 - number * size * 1.5, line)
        canvas.showPage()
    canvas.save()
    return path
