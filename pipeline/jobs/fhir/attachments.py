"""Reads what is attached to a FHIR resource: base64 within it, or a Binary beside it. One that cannot be read is named, and the rest goes on.

Size and SHA-1 are checked where the resource says them; the readers are those of a site's files, in a process of their own with its limits.
"""

from __future__ import annotations

import codecs
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from email.message import Message
from typing import Any, Final

from pipeline.domain.documents import FURNITURE_PART, TEXT_PART, Part
from pipeline.domain.errors import RecordError
from pipeline.domain.identifiers import sha256_hex
from pipeline.domain.site_files import DOCX, HTML, JPEG, MARKDOWN, PDF, PNG, RTF, TEXT, TIFF, LandedFile
from pipeline.domain.vocabulary import FailureCategory
from pipeline.fhir.base64_data import decoded, has_size_and_hash
from pipeline.fhir.references import target_of
from pipeline.jobs.readings import read_landed
from pipeline.stages.assemble.fhir import AttachmentRef
from pipeline.stages.assemble.site_file import parts_of
from pipeline.wiring import Services

#: Media types that are read, the surest text first: of several attachments with the same content the first that can be read is taken.
_MEDIA: Final = {
    "text/plain": TEXT,
    "text/markdown": MARKDOWN,
    "text/html": HTML,
    "application/xhtml+xml": HTML,
    "text/rtf": RTF,
    "application/rtf": RTF,
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": DOCX,
    "application/pdf": PDF,
    "image/tiff": TIFF,
    "image/png": PNG,
    "image/jpeg": JPEG,
}
_ORDER: Final = list(_MEDIA)


@dataclass(frozen=True, slots=True)
class Attached:
    """What attachments gave.

    Attributes:
        parts: Text, and running headers and footers, of the one that was read.
        failures: Path and category of each that could not be read.
    """

    parts: tuple[Part, ...] = field(default=(), repr=False)
    failures: tuple[tuple[str, FailureCategory], ...] = ()


def read_attachments(
    services: Services, source_key: str, attachments: Sequence[AttachmentRef], related: Mapping[str, Mapping[str, Any]]
) -> Attached:
    """Read the first attachment that can be read, in order of ``_MEDIA``: several are the same document in several formats.

    Args:
        services: The home.
        source_key: Of the document.
        attachments: Of the resource.
        related: Resources beside it by ``Type/id``: a Binary holds what a URL names.
    """
    failures: list[tuple[str, FailureCategory]] = []
    for one in sorted(attachments, key=_rank):
        try:
            return Attached(_read(services, source_key, one, related), tuple(failures))
        except RecordError as error:
            failures.append((one.path, FailureCategory(error.category)))
    return Attached(failures=tuple(failures))


def _rank(attachment: AttachmentRef) -> int:
    kind, _ = _media_type(attachment.content_type)
    return _ORDER.index(kind) if kind in _ORDER else len(_ORDER)


def _read(services: Services, source_key: str, one: AttachmentRef, related: Mapping[str, Mapping[str, Any]]) -> tuple[Part, ...]:
    content, said = _content(one, related)
    kind, charset = _media_type(one.content_type or said)
    media_type = _MEDIA.get(kind)
    if media_type is None:
        raise RecordError(FailureCategory.UNSUPPORTED_FORMAT, "a format that is not read")
    if media_type in (TEXT, MARKDOWN, HTML) and charset:
        content = _as_utf8(content, charset)
    landed = LandedFile(source_key, source_key, "", media_type, sha256_hex(content), None, None, None, size=len(content))
    read = read_landed(services, landed, content)
    prefix = {TEXT_PART: TEXT_PART, FURNITURE_PART: FURNITURE_PART}
    return tuple(replace(part, name=prefix.get(part.name, part.name)) for part in parts_of(read.file) if part.text.strip())


def _content(one: AttachmentRef, related: Mapping[str, Mapping[str, Any]]) -> tuple[bytes, str | None]:
    """Return an attachment's bytes, and the media type that a Binary gives."""
    said = None
    data = one.data
    if data is None:
        target = target_of(one.url, {}) if one.url else None
        binary = related.get("/".join(target)) if target else None
        if binary is None or not isinstance(binary.get("data"), str):
            raise RecordError(FailureCategory.NOT_FOUND, "the attachment is elsewhere and was not loaded")
        data, said = str(binary["data"]), str(binary.get("contentType") or "") or None
    content = decoded(data)
    if content is None or not has_size_and_hash(content, size=one.size, sha1=one.sha1):
        raise RecordError(FailureCategory.UNREADABLE_ATTACHMENT, "base64, size or hash are not what the resource says")
    return content, said


def _media_type(written: str | None) -> tuple[str, str | None]:
    """Return media type and charset of a ``Content-Type``."""
    message = Message()
    message["Content-Type"] = (written or "").replace("\n", " ").replace("\r", " ") or "application/octet-stream"
    charset = message.get_param("charset")
    return message.get_content_type(), charset if isinstance(charset, str) else None


def _as_utf8(content: bytes, charset: str) -> bytes:
    try:
        name = codecs.lookup(charset).name
        return content if name == "utf-8" else content.decode(name).encode()
    except (LookupError, UnicodeDecodeError):
        raise RecordError(FailureCategory.UNREADABLE_ATTACHMENT, "the text is not in the character set that the resource says") from None
