"""Makes of Great Expectations' pages a site that loads nothing and runs nothing, with a first page of its own."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Final

from pipeline.jobs.quality.model import DataSetResult

DOCS: Final = "docs"  # folder below ``reports/quality``

# The pages take styles, scripts, icons and a picture from seven hosts. A page about a hospital's data calls nobody; without jQuery their own
# scripts do nothing either, and their first page, which scripts fill, is empty.
_LOADED: Final = re.compile(
    r"""<script\b.*?</script>|<footer>.*?</footer>|<(?:link|img)\b[^>]*\b(?:href|src)=["']?https?:[^>]*>""", re.IGNORECASE | re.DOTALL
)
_WORDS: Final = (  # in place of icons; where a word follows one, the icon says nothing more
    (re.compile(r"<i\b[^>]*></i>(?=\s*(?:Failed|Succeeded))"), ""),
    (re.compile(r"<i\b[^>]*\bfa-check-circle\b[^>]*></i>"), "✓ holds"),
    (re.compile(r"<i\b[^>]*\bfa-times text-danger\b[^>]*></i>"), "✗ broken"),
)
_STYLE: Final = (
    "<style>:root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:75rem;margin:0 auto;padding:1rem}"
    "table{border-collapse:collapse}td,th{border-bottom:1px solid;padding:.25rem .75rem;text-align:left;vertical-align:top}"
    "ul{padding-left:1.25rem}.modal,.btn-group,.card-text,.mb-2>p{display:none}</style></head>"
)
_KEPT: Final = ("expectations", "validations")


def publish(built: Path, folder: Path, results: Sequence[DataSetResult]) -> Path | None:
    """Move what was built to ``folder/docs`` and return its first page; ``None`` where nothing was built."""
    if not built.is_dir():
        return None
    for page in built.rglob("*.html"):
        page.write_text(offline(page.read_text(encoding="utf-8")), encoding="utf-8")
    for path in built.iterdir():
        if path.is_dir() and path.name not in _KEPT:  # styles, fonts and pictures, which offline pages do not use
            shutil.rmtree(path)
    (built / "index.html").write_text(first_page(built, results), encoding="utf-8")
    for path in [built, *built.rglob("*")]:
        path.chmod(0o700 if path.is_dir() else 0o600)
    target = folder / DOCS
    shutil.rmtree(target, ignore_errors=True)
    built.rename(target)
    return target / "index.html"


def offline(page: str) -> str:
    """Return a page without what it would load or run, with words for icons and a style of its own."""
    page = _LOADED.sub("", page)
    page = re.sub(r"<link\b[^>]*>", "", page)
    for icon, words in _WORDS:
        page = icon.sub(words, page)
    return page.replace("</head>", _STYLE, 1)


def first_page(built: Path, results: Sequence[DataSetResult]) -> str:
    """Return a table of the data sets, each with links to what was found in its batches and to its suite."""
    rows = []
    for one in results:
        broken = [line for line in one.expectations if line.broken]
        said = ", ".join(f"✗ {line.id} ({line.severity}: {line.broken:,} rows)" for line in broken) or (
            "✓ every one holds" if one.rows else "no rows"
        )
        batches = sorted((built / "validations" / one.name).rglob("*.html"))
        links = ", ".join(
            f'<a href="{escape(page.relative_to(built).as_posix())}">batch {number}</a>' for number, page in enumerate(batches, start=1)
        )
        suite = f'<a href="expectations/{escape(one.name)}.html">{len(one.expectations)}</a>' if batches else str(len(one.expectations))
        rows.append(
            f'<tr><th scope="row">{escape(one.name)}</th><td>{one.rows:,}{" (sample)" if one.sampled else ""}</td><td>{suite}</td>'
            f"<td>{escape(said)}</td><td>{links or '–'}</td></tr>"
        )
    head = "".join(f'<th scope="col">{name}</th>' for name in ("Data set", "Rows", "Expectations", "Found", "Results"))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>Data Docs</title>{_STYLE}<body><h1>Data Docs</h1><p>The last check of data quality. The run report and "
        f"<code>latest.json</code> name the rows.</p><table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></body></html>\n"
    )
