"""Removes identifiers by the policy for a document's kind and source. In: ``Document``. Out: ``DeidentifiedDocument``."""

from pipeline.stages.deidentify.gate import gate
from pipeline.stages.deidentify.known import KnownIdentifiers
from pipeline.stages.deidentify.policy import Policy, PolicyChoices, ReplaceBy, policy_for
from pipeline.stages.deidentify.recognisers.site import SiteFormats
from pipeline.stages.deidentify.redact import deidentify
from pipeline.stages.deidentify.scrubber import Scrubber

__all__ = ["KnownIdentifiers", "Policy", "PolicyChoices", "ReplaceBy", "Scrubber", "SiteFormats", "deidentify", "gate", "policy_for"]
