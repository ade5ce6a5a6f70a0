"""Closed vocabularies, in the field's terms. A value that is stored or sent is one of these, never free text."""

from __future__ import annotations

from enum import StrEnum


class Source(StrEnum):
    """Where documents come from."""

    CLINICALTRIALS_GOV = "clinicaltrials.gov"
    DOCUMENTS = "documents"  # files of a site: notes, reports, protocols
    FHIR = "fhir"  # resources of patients' records


class RunKind(StrEnum):
    """Which job a run was of. Each source has its own kind of ingestion, so that one night's does not hide another's."""

    INGEST = "ingest"  # trials
    INGEST_DOCUMENTS = "ingest_documents"
    LOAD_FHIR = "load_fhir"  # resources from a feed; ``ingest_fhir`` makes documents of them
    INGEST_FHIR = "ingest_fhir"
    INDEX = "index"
    RECONCILE = "reconcile"
    AUDIT = "audit"
    REINDEX = "reindex"  # a candidate collection beside the live one
    DELETE = "delete"
    EVALUATE = "evaluate"
    QUALITY = "quality"
    REVIEW = "review"  # truth was brought to what people decided


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
    NOTE_TEXT = "NOTE_TEXT"  # of a note, report or other text: what stands under no heading that is known

    # Clinical notes and reports. ``pipeline/stages/sections/sections.toml`` has the headings, LOINC codes and parents of each.
    CHIEF_COMPLAINT = "CHIEF_COMPLAINT"
    HISTORY_OF_PRESENT_ILLNESS = "HISTORY_OF_PRESENT_ILLNESS"
    PAST_MEDICAL_HISTORY = "PAST_MEDICAL_HISTORY"
    PAST_SURGICAL_HISTORY = "PAST_SURGICAL_HISTORY"
    FAMILY_HISTORY = "FAMILY_HISTORY"
    SOCIAL_HISTORY = "SOCIAL_HISTORY"
    OBSTETRIC_HISTORY = "OBSTETRIC_HISTORY"
    MEDICATIONS = "MEDICATIONS"
    ALLERGIES = "ALLERGIES"
    IMMUNIZATIONS = "IMMUNIZATIONS"
    REVIEW_OF_SYSTEMS = "REVIEW_OF_SYSTEMS"
    VITAL_SIGNS = "VITAL_SIGNS"
    PHYSICAL_EXAM = "PHYSICAL_EXAM"
    LABORATORY_RESULTS = "LABORATORY_RESULTS"
    IMAGING = "IMAGING"
    PROCEDURE = "PROCEDURE"
    INDICATION = "INDICATION"
    TECHNIQUE = "TECHNIQUE"
    COMPARISON = "COMPARISON"
    SPECIMEN = "SPECIMEN"
    GROSS_DESCRIPTION = "GROSS_DESCRIPTION"
    MICROSCOPIC_DESCRIPTION = "MICROSCOPIC_DESCRIPTION"
    FINDINGS = "FINDINGS"
    IMPRESSION = "IMPRESSION"
    DIAGNOSIS = "DIAGNOSIS"
    ASSESSMENT = "ASSESSMENT"
    PLAN = "PLAN"
    ASSESSMENT_AND_PLAN = "ASSESSMENT_AND_PLAN"
    SUBJECTIVE = "SUBJECTIVE"
    OBJECTIVE = "OBJECTIVE"
    HOSPITAL_COURSE = "HOSPITAL_COURSE"
    DISCHARGE_MEDICATIONS = "DISCHARGE_MEDICATIONS"
    DISCHARGE_INSTRUCTIONS = "DISCHARGE_INSTRUCTIONS"
    DISCHARGE_CONDITION = "DISCHARGE_CONDITION"
    FOLLOW_UP = "FOLLOW_UP"
    RECOMMENDATION = "RECOMMENDATION"

    # Trial protocols and statistical analysis plans (ICH M11, E9)
    SYNOPSIS = "SYNOPSIS"
    SCHEDULE_OF_ACTIVITIES = "SCHEDULE_OF_ACTIVITIES"
    BACKGROUND = "BACKGROUND"
    OBJECTIVES_ENDPOINTS = "OBJECTIVES_ENDPOINTS"
    STUDY_DESIGN = "STUDY_DESIGN"
    STUDY_POPULATION = "STUDY_POPULATION"
    STUDY_INTERVENTION = "STUDY_INTERVENTION"
    DOSE_MODIFICATION = "DOSE_MODIFICATION"
    CONCOMITANT_THERAPY = "CONCOMITANT_THERAPY"
    DISCONTINUATION = "DISCONTINUATION"
    STUDY_ASSESSMENTS = "STUDY_ASSESSMENTS"
    SAFETY = "SAFETY"
    STATISTICAL_ANALYSIS = "STATISTICAL_ANALYSIS"
    SAMPLE_SIZE = "SAMPLE_SIZE"
    ETHICS = "ETHICS"
    ADMINISTRATIVE = "ADMINISTRATIVE"

    # EMS protocols and guidelines
    PURPOSE = "PURPOSE"
    DEFINITIONS = "DEFINITIONS"
    POLICY = "POLICY"
    INDICATIONS = "INDICATIONS"
    CONTRAINDICATIONS = "CONTRAINDICATIONS"
    PRECAUTIONS = "PRECAUTIONS"
    ADVERSE_EFFECTS = "ADVERSE_EFFECTS"
    DOSING = "DOSING"
    ADULT = "ADULT"
    PEDIATRIC = "PEDIATRIC"
    TREATMENT = "TREATMENT"  # orders of an EMS protocol for all ages: basic and advanced life support
    BASE_CONTACT = "BASE_CONTACT"  # when the medic must call the base hospital
    SPECIAL_CONSIDERATIONS = "SPECIAL_CONSIDERATIONS"

    # Papers, and what any document may have
    ABSTRACT = "ABSTRACT"
    INTRODUCTION = "INTRODUCTION"
    METHODS = "METHODS"
    RESULTS = "RESULTS"
    DISCUSSION = "DISCUSSION"
    CONCLUSION = "CONCLUSION"
    REFERENCES = "REFERENCES"
    APPENDIX = "APPENDIX"
    ABBREVIATIONS = "ABBREVIATIONS"
    TABLE_OF_CONTENTS = "TABLE_OF_CONTENTS"
    TITLE_PAGE = "TITLE_PAGE"


CRITERION_SECTIONS = (Section.INCLUSION_CRITERION, Section.EXCLUSION_CRITERION, Section.ELIGIBILITY_UNPARSED)


class ContentType(StrEnum):
    """What a chunk speaks of."""

    MEDICATION = "medication"
    PROCEDURE = "procedure"
    ASSESSMENT = "assessment"
    GENERAL = "general"


class Element(StrEnum):
    """What a chunk was made of."""

    TEXT = "text"
    TABLE = "table"
    FIGURE = "figure"


class AuthorRole(StrEnum):
    """What the author of a document is."""

    PHYSICIAN = "physician"
    RESIDENT = "resident"
    NURSE = "nurse"
    NURSE_PRACTITIONER = "nurse_practitioner"
    PHYSICIAN_ASSISTANT = "physician_assistant"
    PHARMACIST = "pharmacist"
    RADIOLOGIST = "radiologist"
    PATHOLOGIST = "pathologist"
    SURGEON = "surgeon"
    THERAPIST = "therapist"
    PARAMEDIC = "paramedic"
    MIDWIFE = "midwife"
    DIETITIAN = "dietitian"
    SOCIAL_WORKER = "social_worker"
    PSYCHOLOGIST = "psychologist"
    TECHNICIAN = "technician"


class Provenance(StrEnum):
    """Where a fact about a document comes from."""

    RECORD = "record"  # the sidecar or manifest states it
    EXTRACTED = "extracted"  # read from the document itself
    INHERITED = "inherited"  # from the folder that it lies in


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


class FhirWay(StrEnum):
    """How a FHIR server is asked."""

    BULK = "bulk"
    SEARCH = "search"


class FhirVersion(StrEnum):
    """Releases of FHIR that are read. R4B reads R4."""

    STU3 = "3.0"
    R4 = "4.0"
    R4B = "4.3"
    R5 = "5.0"


class ResourceOutcome(StrEnum):
    """What became of one FHIR resource. Each that was read has exactly one."""

    DOCUMENT = "document"  # a citable document of its own
    SUPPORTING = "supporting"  # says who the patient is, or is what others refer to; shown nowhere by itself
    NOT_RENDERED = "not_rendered"  # of a type that is not rendered
    QUARANTINED = "quarantined"  # invalid: path and rule are kept, never the value
    SKIPPED = "skipped"  # a modifier extension that is not known changes its meaning
    ENTERED_IN_ERROR = "entered_in_error"
    REMOVED = "removed"  # its source deleted it
    SUPPRESSED = "suppressed"  # a person had it, or its patient, deleted: nothing of it is kept


class DropReason(StrEnum):
    """Why characters of the source stand in no chunk. Everything else that is missing is *unexplained*."""

    BLANK = "blank"
    BULLET = "bullet"
    HEADER = "header"
    GROUPING_LABEL = "grouping_label"
    PLACEHOLDER = "placeholder"  # "None", "N/A", "-": says nothing
    MARKUP = "markup"  # escape signs and emphasis marks
    FURNITURE = "furniture"  # running headers and footers of pages
    DOT_LEADER = "dot_leader"  # "......" between an entry of a list of contents and its page
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
    DUPLICATE_POINT = "duplicate_point"  # the index shows one id more than once
    MISSING_DENSE = "missing_dense"  # the payload is right, and there is no dense vector
    MISSING_SPARSE = "missing_sparse"  # the payload is right, the text has terms, and there is no sparse vector
    WRONG_DIMENSIONS = "wrong_dimensions"
    ZERO_VECTOR = "zero_vector"  # found by no dense query
    NON_FINITE_VECTOR = "non_finite_vector"  # counted by the engine, never found
    VECTOR_DRIFT = "vector_drift"  # a good vector, but not the one that was written


class SourceClass(StrEnum):
    """The one class that the three-way comparison puts each listed record into, and each live document that no listing names."""

    EQUAL = "equal"  # truth holds the bytes that the source listed last
    MISSING_IN_TRUTH = "missing_in_truth"
    CHANGED = "changed"  # truth holds other bytes
    TOMBSTONED = "tombstoned"  # truth has it deleted, and nothing keeps it from coming back
    SUPPRESSED = "suppressed"  # a person had it deleted for good: it is not taken
    SUPERSEDED = "superseded"  # a later listing has the last word on it
    VANISHED = "vanished"  # alive in truth, and a listing that names everything does not name it


class CollectionRole(StrEnum):
    """What a collection of points is for. At most one is live; readers see that one alone."""

    LIVE = "live"
    CANDIDATE = "candidate"  # being built beside the live one
    PREVIOUS = "previous"  # was live until a promotion; kept for a while, to go back to
    RETIRED = "retired"  # its points are gone


class DeletionCause(StrEnum):
    """Why documents are deleted for good."""

    DOCUMENT = "document"  # a person named documents
    PATIENT = "patient"  # a person named a patient: all of theirs, now and later
    RETENTION = "retention"  # their time is over
    REQUEST = "request"  # the patient asked for it (right to deletion)


class DeletionState(StrEnum):
    """How far a deletion is."""

    OPEN = "open"  # unsearchable already; the next run goes on
    ERASED = "erased"  # nothing is left that Clindex knows of
    CERTIFIED = "certified"  # a separate check looked, found nothing, and wrote a certificate


class ErasureState(StrEnum):
    """How far the deletion of one document is."""

    REQUESTED = "requested"
    ERASED = "erased"


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
    QUALITY_BLOCKED = "quality_blocked"  # breaks a blocking expectation (schemas/expectations): it does not go live
    MISSING_FROM_LISTING = "missing_from_listing"
    UNSUPPORTED_FORMAT = "unsupported_format"
    NOT_UTF8 = "not_utf8"
    NO_TEXT = "no_text"  # an empty file, or nothing but blanks
    NOT_A_PDF = "not_a_pdf"  # nor anything else that its name promises
    DAMAGED_FILE = "damaged_file"  # truncated or broken: no reader opens it
    ENCRYPTED = "encrypted"  # and the empty password does not open it
    NO_PAGES = "no_pages"
    TOO_MANY_PAGES = "too_many_pages"
    READ_TIMEOUT = "read_timeout"
    READ_MEMORY = "read_memory"
    READ_CRASHED = "read_crashed"
    PAGE_FAILED = "page_failed"
    PAGE_TOO_LARGE = "page_too_large"  # to be rendered
    OCR_TIMEOUT = "ocr_timeout"
    OCR_FAILED = "ocr_failed"
    BAD_MANIFEST = "bad_manifest"  # a row of manifest.csv cannot be used
    NOT_A_RESOURCE = "not_a_resource"  # JSON or XML, and no FHIR resource
    INVALID_RESOURCE = "invalid_resource"  # breaks a rule of FHIR
    UNREADABLE_ATTACHMENT = "unreadable_attachment"  # base64, size, hash or format are not what the resource says
    INCOMPLETE_EXPORT = "incomplete_export"  # a file of a bulk export is missing, was cut, or its link is over
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
    PAGE_NO_TEXT = "page_no_text"  # a page with ink and no word
    OCR_SUSPECT = "ocr_suspect"  # numbers or units that OCR is not sure of
    LOW_CONFIDENCE = "low_confidence"  # a page that OCR read badly
    UNEXPLAINED_CHARACTERS = "unexplained_characters"  # of the source, that reading neither kept nor declared as dropped
    KIND_BY_CLASSIFIER = "kind_by_classifier"
    KIND_UNKNOWN = "kind_unknown"
    EMPTY_CAPTION = "empty_caption"  # of a figure
    SUPPRESSED = "suppressed"  # a person had it deleted: what the source still offers is not taken
    ON_HOLD = "on_hold"  # it vanished from its source and is kept: a legal hold
    DEPARTMENT_NOT_LISTED = "department_not_listed"  # CLINDEX_DEPARTMENTS does not name it; it was left out
