"""The first bytes of a file and the end of its name in, its media type out: content decides, because names lie."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from pipeline.domain.errors import RecordError
from pipeline.domain.site_files import DOCX, HTML, JPEG, MARKDOWN, MEDIA_TYPES, PDF, PNG, RTF, TEXT, TIFF
from pipeline.domain.vocabulary import FailureCategory

_HEAD: Final = 1024  # bytes in which a PDF's header may stand (ISO 32000-1, annex H.3.4.1)
_MAGIC: Final[Mapping[bytes, str]] = MappingProxyType(
    {
        b"\x89PNG\r\n\x1a\n": PNG,
        b"\xff\xd8\xff": JPEG,
        b"II*\x00": TIFF,
        b"MM\x00*": TIFF,
        b"II+\x00": TIFF,  # BigTIFF
        b"MM\x00+": TIFF,
        b"{\\rtf": RTF,
    }
)
_ZIP: Final = b"PK\x03\x04"
_COMPOUND_FILE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # Word before 2007, Excel, Outlook
_BOMS: Final = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_HTML_START: Final = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL
)
#: What has no signature of its own: the name decides between them.
_TEXTS: Final = (TEXT, MARKDOWN, HTML)


def media_type_of(data: bytes, name_suffix: str) -> str:
    """Return how a file is to be read. ``name_suffix``: the end of its name with its dot, in any case.

    Raises:
        RecordError: ``NOT_A_PDF``: the content is not what the name promises; ``NO_TEXT``: there is none; ``UNSUPPORTED_FORMAT``.
    """
    named = MEDIA_TYPES.get(name_suffix.lower())
    found = _by_content(data[:_HEAD], data)
    if found == PDF and named in _TEXTS and not data.lstrip().startswith(b"%PDF-"):
        found = None  # a text that speaks of PDFs
    if found is not None and not (found == HTML and named not in _TEXTS):
        return found
    if named is None:
        raise RecordError(FailureCategory.UNSUPPORTED_FORMAT, "neither the file's name nor its content is of a format that is read")
    if named not in _TEXTS:
        raise RecordError(FailureCategory.NOT_A_PDF, f"the file is named {name_suffix.lower()}, and its content is {_seen(data)}")
    if not data.strip():
        raise RecordError(FailureCategory.NO_TEXT, "the file is empty")
    return named


def _by_content(head: bytes, data: bytes) -> str | None:
    for magic, media_type in _MAGIC.items():
        if head.startswith(magic):
            return media_type
    if b"%PDF-" in head:
        return PDF
    if head.startswith(_ZIP):
        if b"word/" not in data:
            raise RecordError(FailureCategory.UNSUPPORTED_FORMAT, "the file is an archive, and no Word document")
        return DOCX
    if head.startswith(_COMPOUND_FILE):
        raise RecordError(FailureCategory.UNSUPPORTED_FORMAT, "the file is of an Office format before 2007")
    return HTML if _is_html(head) else None


def _is_html(head: bytes) -> bool:
    for bom in _BOMS:
        head = head.removeprefix(bom)
    return _HTML_START.match(head) is not None


def _seen(data: bytes) -> str:
    if not data:
        return "empty"
    return "HTML" if _is_html(data[:_HEAD]) else "something else"
