"""Names that a FHIR resource says of others itself, and words that only look like them."""

from __future__ import annotations

import pytest

from pipeline.domain.phi import IdentifierClass
from pipeline.stages.deidentify.known.fhir_within import values_within

NAME = IdentifierClass.NAME


@pytest.mark.parametrize(
    ("resource", "found"),
    [
        ({"note": [{"authorString": "Dr. Osric Vane, MD", "text": "Seen."}]}, [(NAME, "Dr. Osric Vane")]),
        ({"note": [{"authorString": "Written at the bedside by the nurse who called Dr. Vane"}]}, []),
        ({"performer": [{"reference": "Practitioner/1", "display": "Osric Vane"}]}, [(NAME, "Osric Vane")]),
        ({"performer": [{"reference": "Device/1", "display": "Osric Vane"}]}, []),
        ({"performer": [{"display": "Cardiology"}]}, []),
        ({"code": {"coding": [{"system": "http://loinc.org", "code": "1-8", "display": "Vane Osric"}]}}, []),
        ({"contained": [{"resourceType": "Patient", "name": [{"family": "Vane"}]}]}, [(NAME, "Vane")]),
    ],
    ids=["author", "sentence", "by target", "device", "department", "code", "contained"],
)
def test_names_of_people_are_taken_and_sentences_devices_and_codes_are_not(resource, found) -> None:
    read = values_within({"resourceType": "Observation", **resource})
    assert [(kind, value.strip(", ")) for kind, value in read if kind is NAME] == found
