"""Counts and moments in words, for reasons and for the page."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from pipeline.domain.reading import PageOutcome
from pipeline.domain.vocabulary import DriftClass, FailureCategory, ParseOutcome, Section

#: One and many of what each class of drift counts. ``ok`` is no drift.
DRIFT_NOUNS: Final = {
    DriftClass.ORPHAN_POINT: ("orphan point", "orphan points"),
    DriftClass.ORPHAN_DOCUMENT: ("point of an orphan document", "points of orphan documents"),
    DriftClass.MISSING_POINT: ("missing point", "missing points"),
    DriftClass.MISSING_DOCUMENT: ("point of a missing document", "points of missing documents"),
    DriftClass.OLD_GENERATION: ("point of an old generation", "points of an old generation"),
    DriftClass.STALE_FINGERPRINT: ("point with a stale fingerprint", "points with a stale fingerprint"),
    DriftClass.PAYLOAD_DRIFT: ("point whose payload differs", "points whose payload differs"),
    DriftClass.FOREIGN_MODEL: ("point of a foreign model", "points of a foreign model"),
    DriftClass.UNREADABLE: ("unreadable point", "unreadable points"),
    DriftClass.DUPLICATE_POINT: ("point shown more than once", "points shown more than once"),
    DriftClass.MISSING_DENSE: ("point without its dense vector", "points without their dense vector"),
    DriftClass.MISSING_SPARSE: ("point without its sparse vector", "points without their sparse vector"),
    DriftClass.WRONG_DIMENSIONS: ("vector of another length", "vectors of another length"),
    DriftClass.ZERO_VECTOR: ("vector of zeros", "vectors of zeros"),
    DriftClass.NON_FINITE_VECTOR: ("vector that is not finite", "vectors that are not finite"),
    DriftClass.VECTOR_DRIFT: ("changed vector", "changed vectors"),
}

#: What each class means, for the page.
DRIFT_MEANINGS: Final = {
    DriftClass.OK: "expected, found, and equal",
    DriftClass.ORPHAN_POINT: "its document is live, but the database does not know this point",
    DriftClass.ORPHAN_DOCUMENT: "the database does not know its document, or has deleted it",
    DriftClass.MISSING_POINT: "expected, not found; others of its document are there",
    DriftClass.MISSING_DOCUMENT: "expected, and none of its document's points is there; a document never indexed counts once",
    DriftClass.OLD_GENERATION: "left over from an earlier version of its document",
    DriftClass.STALE_FINGERPRINT: "made from an older text, or by older settings",
    DriftClass.PAYLOAD_DRIFT: "its stored fields differ from what the database expects",
    DriftClass.FOREIGN_MODEL: "its vector was made by another model",
    DriftClass.UNREADABLE: "it carries no payload of ours",
    DriftClass.DUPLICATE_POINT: "the index shows one id more than once",
    DriftClass.MISSING_DENSE: "a search by meaning does not find it",
    DriftClass.MISSING_SPARSE: "a search by words does not find it",
    DriftClass.WRONG_DIMENSIONS: "its dense vector has another number of dimensions than the model's",
    DriftClass.ZERO_VECTOR: "its dense vector is all zeros: a search by meaning does not find it",
    DriftClass.NON_FINITE_VECTOR: "its dense vector holds a number that is not finite: no search finds it",
    DriftClass.VECTOR_DRIFT: "its vector is not the one that was written",
}

#: What each outcome of reading eligibility text means, for the page.
OUTCOME_MEANINGS: Final = {
    ParseOutcome.BOTH: "inclusion and exclusion criteria found",
    ParseOutcome.INCLUSION_ONLY: "only inclusion criteria found",
    ParseOutcome.EXCLUSION_ONLY: "only exclusion criteria found",
    ParseOutcome.UNPARSED: "text without recognisable headers: indexed, but neither side is guessed",
    ParseOutcome.NO_CRITERIA: "no eligibility text in the record",
    ParseOutcome.NOT_A_TRIAL: "a note, a report or another text: it has no eligibility criteria",
}

#: What each reason of failure means, for the page.
FAILURE_MEANINGS: Final = {
    FailureCategory.NOT_JSON: "it is not JSON",
    FailureCategory.NOT_A_STUDY: "it is JSON, but no study",
    FailureCategory.INVALID_NCT_ID: "its id does not have the form of an NCT id",
    FailureCategory.DUPLICATE_ID: "the listing had two versions of one id; the newer one was taken",
    FailureCategory.TRUNCATED: "the file or the answer ends in the middle of it",
    FailureCategory.UNREADABLE_FILE: "the file cannot be read",
    FailureCategory.TOO_LARGE: "it is larger than a record or a field may be",
    FailureCategory.NOT_FOUND: "it is not where it should be",
    FailureCategory.SOURCE_FAILED: "the source could not deliver it",
    FailureCategory.NORMALIZE_FAILED: "reading it ended in an unexpected error",
    FailureCategory.NOT_A_TEXT: "is JSON, but has no text",
    FailureCategory.SCRUB_FAILED: "de-identification failed; nothing was passed on",
    FailureCategory.CHUNK_FAILED: "chunking it ended in an unexpected error",
    FailureCategory.EMBED_FAILED: "the model could not embed it",
    FailureCategory.INDEX_FAILED: "the index did not take it",
    FailureCategory.GATE_REFUSED: "the identifier gate held it back; nothing of it is in the index",
    FailureCategory.QUALITY_BLOCKED: "it breaks a blocking expectation of data quality; the version before it, if there is one, stays live",
    FailureCategory.MISSING_FROM_LISTING: "the source promised more records than it listed",
    FailureCategory.UNSUPPORTED_FORMAT: "files of this format cannot be read",
    FailureCategory.NOT_UTF8: "its text is not UTF-8",
    FailureCategory.NO_TEXT: "there is no text in it",
    FailureCategory.NOT_A_PDF: "it is not what its name says: no PDF, picture or document of that format",
    FailureCategory.DAMAGED_FILE: "it is truncated or broken: no reader opens it",
    FailureCategory.ENCRYPTED: "it is encrypted, and the empty password does not open it: save it without a password",
    FailureCategory.NO_PAGES: "it has no pages",
    FailureCategory.TOO_MANY_PAGES: "it has more pages than CLINDEX_READ_MAX_PAGES",
    FailureCategory.READ_TIMEOUT: "reading it took longer than CLINDEX_READ_SECONDS",
    FailureCategory.READ_MEMORY: "reading it took more memory than CLINDEX_READ_MEMORY_BYTES",
    FailureCategory.READ_CRASHED: "its reader crashed; other files were not touched",
    FailureCategory.PAGE_FAILED: "pages of it could not be read; its other pages are indexed",
    FailureCategory.PAGE_TOO_LARGE: "pages of it are too large to be drawn; its other pages are indexed",
    FailureCategory.OCR_TIMEOUT: "OCR of pages of it took longer than CLINDEX_OCR_PAGE_SECONDS; its other pages are indexed",
    FailureCategory.OCR_FAILED: "OCR of pages of it failed; its other pages are indexed",
    FailureCategory.NOT_A_RESOURCE: "it is JSON or XML, but no FHIR resource",
    FailureCategory.INVALID_RESOURCE: "it breaks a rule of FHIR; element and rule stand beside it, and a good version before it stays",
    FailureCategory.UNREADABLE_ATTACHMENT: "base64, size or hash of an attachment are not what its resource says; the rest was taken",
    FailureCategory.INCOMPLETE_EXPORT: "a file of a bulk export is missing or was cut: nothing was taken as deleted",
    FailureCategory.BAD_MANIFEST: "its row of manifest.csv cannot be used",
    FailureCategory.BAD_SIDECAR: "what its .meta.json says cannot be used: no JSON, an unknown key, a value or label that is none, a patient of a public kind",
}

#: What each outcome of a page means, for the page.
PAGE_MEANINGS: Final = {
    PageOutcome.TEXT_LAYER: "its own text was read",
    PageOutcome.OCR: "a picture, or text that is no language: read by OCR",
    PageOutcome.BLANK: "neither text nor ink",
    PageOutcome.NO_TEXT: "ink, but no word: a picture",
    PageOutcome.FAILED: "it could not be read",
}

_SPOKEN: Final = {DriftClass.OK.value: "OK", Section.TITLE_CONDITIONS.value: "Title and conditions", "ocr": "OCR"}

_MINUTE: Final = 60
_HOUR: Final = 3600


def number(value: int) -> str:
    """Return a number with thousands separators."""
    return f"{value:,}"


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """Return ``1 document``, ``2,000 documents``."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def percent(share: float) -> str:
    """Return a share (0..1) in per cent. What is not nothing is never shown as 0.0 %, what is not all never as 100.0 %."""
    if 0 < share < 0.0005:
        return "< 0.1 %"
    if 0.9995 <= share < 1:
        return "> 99.9 %"
    return f"{share:.1%}".replace("%", " %")


def moment(value: datetime | None) -> str:
    """Return a moment in UTC to the minute."""
    return "never" if value is None else f"{value.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def duration(seconds: float | None) -> str:
    """Return a duration in the two largest units that matter."""
    if seconds is None:
        return "not ended"
    if round(seconds, 1) < _MINUTE:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < _HOUR:
        return f"{whole // _MINUTE} min {whole % _MINUTE} s"
    return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE} min"


def label(code: str | None) -> str:
    """Return one of our own codes in words: ``INCLUSION_CRITERION`` becomes ``Inclusion criterion``."""
    if code is None:
        return "(none given)"
    return _SPOKEN.get(code) or code.replace("_", " ").capitalize()


def listed(parts: list[str]) -> str:
    """Return ``a``, ``a and b``, ``a, b and c``."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
