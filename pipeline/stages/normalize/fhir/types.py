"""Which types of resources become documents, and which only support them (https://hl7.org/fhir/R4/resourcelist.html)."""

from __future__ import annotations

from typing import Final

#: Each becomes a citable document. ``pipeline.stages.assemble.fhir`` renders exactly these.
DOCUMENTS: Final = frozenset(
    {
        *("AllergyIntolerance", "CarePlan", "Composition", "Condition", "DiagnosticReport", "DocumentReference", "Encounter"),
        *("FamilyMemberHistory", "Immunization", "MedicationAdministration", "MedicationRequest", "MedicationStatement"),
        *("MedicationUsage", "Observation", "Procedure", "ResearchStudy", "ResearchSubject", "ServiceRequest", "Specimen"),
    }
)

#: Say who the patient is, or are what documents refer to; shown within these alone.
SUPPORTING: Final = frozenset(
    {
        *("Patient", "Person", "RelatedPerson", "Practitioner", "PractitionerRole", "Organization", "Location", "HealthcareService"),
        *("Binary", "Medication", "Device", "Group", "CareTeam", "Substance", "BodyStructure", "EpisodeOfCare"),
    }
)
