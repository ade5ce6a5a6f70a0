"""What a page's text layer says and what else stands on the page in; whether the layer is its text, or OCR has to read it, out.

A text layer proves nothing: protocols on the registry carry layers of shifted glyph codes, and pages that are images under a running header.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pipeline.domain.reading import OcrReason, PageOutcome
from pipeline.stages.extract.content import PageContent
from pipeline.stages.extract.pdf.evidence import Evidence
from pipeline.stages.extract.pdf.quality import is_garbage, share_known

_ALMOST_EMPTY: Final = 100  # signs: running headers over scanned pages have 8 to 60, a slide's title over a screenshot up to 90
_LARGE_IMAGES: Final = 0.4  # of the page's area
_FEW: Final = 400  # signs: captions and menus over a page that is one picture have up to 380
_WHOLE_PAGE: Final = 0.85
_CLEARLY_MORE: Final = 1.5  # times the signs: what OCR adds to a title over a background is noise


@dataclass(frozen=True, slots=True)
class Decision:
    """How a page is to be read: ``TEXT_LAYER``, ``OCR`` (and why) or not at all (``BLANK``)."""

    outcome: PageOutcome
    reason: OcrReason | None = None


def text_of(content: PageContent) -> str:
    """Return the words of a page in one line."""
    return " ".join(line.text for block in content.blocks for line in block.lines)


def decide(content: PageContent, evidence: Evidence, has_ink: Callable[[], bool]) -> Decision:
    """Decide on a page by its text layer. ``has_ink`` is asked only of a page without text: it renders."""
    text = text_of(content)
    if not text:
        return Decision(PageOutcome.OCR, OcrReason.IMAGE) if has_ink() else Decision(PageOutcome.BLANK)
    if is_garbage(text):
        return Decision(PageOutcome.OCR, OcrReason.GARBAGE)
    if evidence.image_share >= (_LARGE_IMAGES if len(text) < _ALMOST_EMPTY else _WHOLE_PAGE) and len(text) < _FEW:
        return Decision(PageOutcome.OCR, OcrReason.SPARSE)
    return Decision(PageOutcome.TEXT_LAYER)


def better(layer: PageContent, recognised: PageContent) -> PageContent:
    """Return which of two readings of a page to keep. The reason why OCR was tried stays on either.

    A layer that is taken for garbage may be a foreign language or a table of codes: the reading with more known words is kept. An almost
    empty layer is kept where OCR finds little more than it.
    """
    if recognised.outcome is not PageOutcome.OCR:
        return layer if layer.reason is OcrReason.SPARSE else recognised
    if layer.reason is OcrReason.GARBAGE:
        return layer if share_known(text_of(layer)) > share_known(text_of(recognised)) else recognised
    return recognised if recognised.characters >= _CLEARLY_MORE * (layer.characters - layer.dropped) else layer
