"""The tables of FHIR: every resource that was read with what became of it, what refers to what, and how far each scope is loaded. No text."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, ForeignKey, Index, Integer, String, Uuid

from pipeline.storage.tables import table
from pipeline.storage.types import CODE, FINGERPRINT, JSON_VALUE, SCOPE, SHA256, UtcDateTime

# One row a resource, by the keyed hash of its authority, type and id. What landed of it is its newest valid version.
fhir_resources = table(
    "fhir_resources",
    Column("resource_key", FINGERPRINT, primary_key=True),
    Column("resource_type", CODE, nullable=False),
    Column("outcome", CODE, nullable=False),  # a ``ResourceOutcome``: of the newest version
    Column("payload_sha256", SHA256),  # of the newest valid version in landing; NULL: there is none, or it was removed
    Column("patient", FINGERPRINT, index=True),  # pseudonym; NULL: it is of nobody
    Column("order_key", String(64)),  # lastUpdated and versionId in a form that sorts; of two versions the greater is the newer
    Column("path", String(255)),  # of what is wrong with it: names of elements and numbers; NULL: nothing is
    Column("rule", CODE),
    Column("load_id", Uuid, nullable=False, index=True),  # that named it last
    Column("scope", SCOPE, nullable=False),  # of that load
    Column("seen_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    Index(None, "outcome", "resource_type"),
)

# What a resource refers to, by keys: a report to its results, a result to its patient. With "?" before the element the key is one of an
# identifier; with the element "=" the resource itself has the identifier of that key.
fhir_references = table(
    "fhir_references",
    Column("resource_key", FINGERPRINT, ForeignKey("fhir_resources.resource_key", ondelete="CASCADE"), primary_key=True),
    Column("target_key", FINGERPRINT, primary_key=True),
    Column("element", CODE, primary_key=True),  # subject, result, encounter, …
    Index(None, "target_key"),
)

# Numbers and ids of one patient, as pseudonyms: a file's sidecar may know the patient by another number than the server does.
fhir_patients = table(
    "fhir_patients",
    Column("alias", FINGERPRINT, primary_key=True),
    Column("patient", FINGERPRINT, primary_key=True),  # pseudonym of the logical id
    Column("resource_key", FINGERPRINT, ForeignKey("fhir_resources.resource_key", ondelete="CASCADE"), nullable=False, index=True),
    Index(None, "patient"),
)

# Loads of a scope. Only a complete full one may let resources vanish; only a complete one moves the time from which the next is asked.
fhir_loads = table(
    "fhir_loads",
    Column("load_id", Uuid, primary_key=True),
    Column("run_id", Uuid, ForeignKey("runs.run_id", ondelete="CASCADE"), nullable=False, index=True),
    Column("scope", SCOPE, nullable=False),
    Column("is_full", Boolean(create_constraint=False), nullable=False),
    Column("state", String(16), nullable=False),  # open, complete, incomplete
    Column("transaction_time", String(64)),  # as the server sent it
    Column("promised", Integer),
    Column("read", Integer, nullable=False, server_default="0"),
    Column("counts", JSON_VALUE),  # by type and outcome
    Column("started_at", UtcDateTime, nullable=False),
    Column("finished_at", UtcDateTime),
    Index(None, "scope", "started_at"),
)
