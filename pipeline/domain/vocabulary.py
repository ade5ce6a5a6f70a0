"""Closed vocabularies, in the field's terms. A value that is stored or sent is one of these, never free text."""

from __future__ import annotations

from enum import StrEnum


class Source(StrEnum):
    """Where documents come from."""

    CLINICALTRIALS_GOV = "clinicaltrials.gov"
    DOCUMENTS = "documents"  # files of a site: notes, reports, protocols


class DocumentKind(StrEnum):
    """What a citable document is. A kind decides its de-identification policy and its chunker."""

    TRIAL = "trial"
    # Public documents
    PROTOCOL = "protocol"
    STATISTICAL_ANALYSIS_PLAN = "statistical_analysis_plan"
    GUIDELINE = "guideline"
    EMS_PROTOCOL = "ems_protocol"
    PAPER = "paper"
    # Clinical text
    NOTE = "note"
    DISCHARGE_SUMMARY = "discharge_summary"
    PROGRESS_NOTE = "progress_note"
    LAB_REPORT = "lab_report"
    RADIOLOGY_REPORT = "radiology_report"
    PATHOLOGY_REPORT = "pathology_report"
    FHIR_RESOURCE = "fhir_resource"  # an allow-list of its fields comes before the scrubber
    UNKNOWN = "unknown"  # nobody said; scrubbed as clinical text


#: Kinds that a file of the site may be said to have: a trial comes from the registry, a FHIR resource is no text.
FILE_KINDS = tuple(kind for kind in DocumentKind if kind not in (DocumentKind.TRIAL, DocumentKind.FHIR_RESOURCE))

PUBLIC_KINDS = (
    DocumentKind.PROTOCOL,
    DocumentKind.STATISTICAL_ANALYSIS_PLAN,
    DocumentKind.GUIDELINE,
    DocumentKind.EMS_PROTOCOL,
    DocumentKind.PAPER,
)


class Section(StrEnum):
    """Where in its document a chunk stands."""

    INCLUSION_CRITERION = "INCLUSION_CRITERION"
    EXCLUSION_CRITERION = "EXCLUSION_CRITERION"
    ELIGIBILITY_UNPARSED = "ELIGIBILITY_UNPARSED"
    BRIEF_SUMMARY = "BRIEF_SUMMARY"
    DETAILED_DESCRIPTION = "DETAILED_DESCRIPTION"
    INTERVENTION = "INTERVENTION"
    OUTCOME = "OUTCOME"
    TITLE_CONDITIONS = "TITLE_CONDITIONS"
    NOTE_TEXT = "NOTE_TEXT"  # of a note, report or other text whose sections are not told apart


CRITERION_SECTIONS = (Section.INCLUSION_CRITERION, Section.EXCLUSION_CRITERION, Section.ELIGIBILITY_UNPARSED)


class Reading(StrEnum):
    """How a part's text was read."""

    STRUCTURED = "structured"
    TEXT_LAYER = "text_layer"
    OCR = "ocr"


class ParseOutcome(StrEnum):
    """How far a study's eligibility text could be understood."""

    BOTH = "both"  # inclusion and exclusion criteria, or headers of both
    INCLUSION_ONLY = "inclusion_only"
    EXCLUSION_ONLY = "exclusion_only"
    UNPARSED = "unparsed"  # text, but no header: no polarity is guessed
    NO_CRITERIA = "no_criteria"  # no eligibility text at all
    NOT_A_TRIAL = "not_a_trial"  # a note, a report: there is none to be read


class DropReason(StrEnum):
    """Why characters of the source stand in no chunk. Everything else that is missing is *unexplained*."""

    BLANK = "blank"
    BULLET = "bullet"
    HEADER = "header"
    GROUPING_LABEL = "grouping_label"
    PLACEHOLDER = "placeholder"  # "None", "N/A", "-": says nothing
    MARKUP = "markup"  # escape signs and emphasis marks
    REPEAT = "repeat"  # the same criterion again: its ordinal stands in the first chunk's ``repeats``


class DocumentState(StrEnum):
    """A document's state in the index (``index_state``)."""

    PENDING = "pending"  # known to truth, never indexed
    WRITING = "writing"  # a new generation is being written; readers still see the old one
    CLEANING = "cleaning"  # the new generation is live; the old one's points are being removed
    LIVE = "live"
    QUARANTINED = "quarantined"  # the gate refused it; nothing of it is in the index
    FAILED = "failed"
    DELETING = "deleting"  # tombstoned in truth; its points are being removed
    DELETED = "deleted"


class DriftClass(StrEnum):
    """The one class that reconciliation puts each expected and each found point into."""

    OK = "ok"
    ORPHAN_POINT = "orphan_point"  # its document is live, but truth does not know this point
    ORPHAN_DOCUMENT = "orphan_document"  # truth does not know its document, or has deleted it
    MISSING_POINT = "missing_point"
    MISSING_DOCUMENT = "missing_document"  # none of a document's expected points is there
    OLD_GENERATION = "old_generation"
    STALE_FINGERPRINT = "stale_fingerprint"
    PAYLOAD_DRIFT = "payload_drift"
    FOREIGN_MODEL = "foreign_model"
    UNREADABLE = "unreadable"  # no payload of ours


class FailureCategory(StrEnum):
    """Why one record or document could not be taken, or what had to be repaired in it."""

    NOT_JSON = "not_json"
    NOT_A_STUDY = "not_a_study"
    INVALID_NCT_ID = "invalid_nct_id"
    DUPLICATE_ID = "duplicate_id"
    TRUNCATED = "truncated"
    UNREADABLE_FILE = "unreadable_file"
    TOO_LARGE = "too_large"
    NOT_FOUND = "not_found"
    SOURCE_FAILED = "source_failed"
    NORMALIZE_FAILED = "normalize_failed"
    NOT_A_TEXT = "not_a_text"
    SCRUB_FAILED = "scrub_failed"
    CHUNK_FAILED = "chunk_failed"
    EMBED_FAILED = "embed_failed"
    INDEX_FAILED = "index_failed"
    GATE_REFUSED = "gate_refused"
    MISSING_FROM_LISTING = "missing_from_listing"
    UNSUPPORTED_FORMAT = "unsupported_format"
    NOT_UTF8 = "not_utf8"
    NO_TEXT = "no_text"  # an empty file, or nothing but blanks
    BAD_SIDECAR = "bad_sidecar"  # what a document's .meta.json says cannot be used


class NoticeCategory(StrEnum):
    """What is worth a line in the report although the record was taken."""

    NO_ELIGIBILITY = "no_eligibility"
    MISSING_MODULE = "missing_module"
    TEXT_REPAIRED = "text_repaired"  # NUL or lone surrogate replaced by U+FFFD
    UNKNOWN_VALUE = "unknown_value"
    WRONG_TYPE = "wrong_type"  # a field holds another JSON type than the registry's contract says; it was skipped
    DUPLICATE_IDENTICAL = "duplicate_identical"
    ELIGIBILITY_UNPARSED = "eligibility_unparsed"
    NOT_ENGLISH = "not_english"
    UNPARSED_AGE = "unparsed_age"
    UNPARSED_DATE = "unparsed_date"
    ALIAS_REDIRECT = "alias_redirect"
    DEPARTMENT_NOT_LISTED = "department_not_listed"  # CLINDEX_DEPARTMENTS does not name it; it was left out
