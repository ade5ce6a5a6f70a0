"""Makes Data Docs load nothing from elsewhere, and puts them in the place of the ones before."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Final

DOCS: Final = "docs"  # folder below ``reports/quality``

# Great Expectations' pages take styles, scripts and a picture from seven hosts. A page about a hospital's data calls nobody.
_EXTERNAL: Final = re.compile(
    r"""<script\b[^>]*\bsrc=["']?https?:[^>]*>\s*</script>|<(?:link|img)\b[^>]*\b(?:href|src)=["']?https?:[^>]*>""",
    re.IGNORECASE | re.DOTALL,
)
_STYLE: Final = (
    "<style>:root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:75rem;margin:0 auto;padding:1rem}"
    "table{border-collapse:collapse}td,th{border-bottom:1px solid;padding:.25rem .75rem;text-align:left;vertical-align:top}"
    "ul{padding-left:1.25rem}img{max-width:12rem;height:auto}.modal,.gx-walkthrough,#ge-cta-footer{display:none}</style></head>"
)


def publish(built: Path, folder: Path) -> Path | None:
    """Move what was built to ``folder/docs`` and return its first page; ``None`` where nothing was built."""
    if not (built / "index.html").is_file():
        shutil.rmtree(built, ignore_errors=True)
        return None
    for page in built.rglob("*.html"):
        page.write_text(offline(page.read_text(encoding="utf-8")), encoding="utf-8")
    for picture in built.rglob("*.gif"):  # of a tour for newcomers: 3.4 MB
        picture.unlink()
    for path in [built, *built.rglob("*")]:
        path.chmod(0o700 if path.is_dir() else 0o600)
    target = folder / DOCS
    shutil.rmtree(target, ignore_errors=True)
    built.rename(target)
    return target / "index.html"


def offline(page: str) -> str:
    """Return a page without what it would load from elsewhere, with a style of its own."""
    return _EXTERNAL.sub("", page).replace("</head>", _STYLE, 1)
