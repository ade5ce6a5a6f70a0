"""A site's file as landing holds it, and what its sidecar says: identified, and never outside the wall."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from types import MappingProxyType
from typing import Any, Final

from pipeline.domain.identifiers import canonical_json
from pipeline.domain.vocabulary import AuthorRole, DocumentKind

PDF: Final = "application/pdf"
TIFF: Final = "image/tiff"
PNG: Final = "image/png"
JPEG: Final = "image/jpeg"
TEXT: Final = "text/plain"
MARKDOWN: Final = "text/markdown"
HTML: Final = "text/html"
RTF: Final = "application/rtf"
DOCX: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

#: How a file is read, by its name's end in small letters. What is not named here is a failure by name, never a silent skip.
MEDIA_TYPES: Final[Mapping[str, str]] = MappingProxyType(
    {
        ".pdf": PDF,
        ".tif": TIFF,
        ".tiff": TIFF,
        ".png": PNG,
        ".jpg": JPEG,
        ".jpeg": JPEG,
        ".txt": TEXT,
        ".md": MARKDOWN,
        ".html": HTML,
        ".htm": HTML,
        ".rtf": RTF,
        ".docx": DOCX,
    }
)

_VERSION: Final = 2
#: Version 1 named neither reader nor size.
_READABLE: Final = (1, _VERSION)


@dataclass(frozen=True, slots=True)
class LandedFile:
    """The manifest of one file: what a listing lands beside the file's own bytes.

    It changes when the file, its sidecar, or what the command said of it changes. Its hash, which truth keeps, cannot be guessed from a
    file's name or content: the keyed ``source_key`` is part of it.

    Attributes:
        source_key: Keyed hash of the path.
        root: Keyed hash of the name of the folder that was listed.
        path: The folder's name and the file's path in it; only here, so that a person with access to landing can find the file.
        media_type: How the bytes are to be read.
        content: SHA-256 of the file's bytes.
        sidecar: SHA-256 of its sidecar's bytes, or ``None``.
        kind: The kind that the command gave, or ``None``.
        access: The access label that the command gave, or ``None``.
        reader: Version of the readers that will read it: raised, every file counts as changed, and is read anew.
        size: Of the file in bytes.
    """

    source_key: str
    root: str
    path: str = field(repr=False)
    media_type: str
    content: str
    sidecar: str | None
    kind: str | None
    access: str | None
    reader: str = ""
    size: int = 0

    def to_bytes(self) -> bytes:
        """Return the one JSON form."""
        return canonical_json({"version": _VERSION, **asdict(self)})

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> LandedFile:
        """Return the manifest of parsed JSON that ``to_bytes`` wrote.

        Raises:
            ValueError: It is of another version. Holds no value.
        """
        if value.get("version") not in _READABLE:
            raise ValueError("a manifest of another version")
        return cls(**{name: value[name] for name in cls.__dataclass_fields__ if name in value})


@dataclass(frozen=True, slots=True)
class Sidecar:
    """What a site says of one document. All of it may identify a person."""

    kind: DocumentKind | None = None
    title: str | None = field(default=None, repr=False)
    date: str | None = field(default=None, repr=False)  # ISO, to the day, the month or the year
    author: str | None = field(default=None, repr=False)
    department: str | None = field(default=None, repr=False)
    patient: str | None = field(default=None, repr=False)  # the site's own number or id of the patient
    access: str | None = None
    author_role: AuthorRole | None = None
    agency: str | None = field(default=None, repr=False)  # who issued it
    state: str | None = None  # US postal code
    protocol_number: str | None = field(default=None, repr=False)
    amendment: str | None = field(default=None, repr=False)
    nct_ids: tuple[str, ...] = ()
    icd_codes: tuple[str, ...] = field(default=(), repr=False)  # ICD-10-CM
    known_identifiers: Mapping[str, Any] | None = field(default=None, repr=False)  # as written; de-identification reads it
