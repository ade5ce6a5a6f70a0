"""Removes identifiers by the policy for a document's kind. In: ``Document``. Out: ``DeidentifiedDocument``."""

from pipeline.stages.deidentify.gate import gate
from pipeline.stages.deidentify.redact import deidentify, policy_version

__all__ = ["deidentify", "gate", "policy_version"]
