"""A sidecar is read strictly: what is misspelt would leave identifiers in the text."""

from __future__ import annotations

import json

import pytest

from pipeline.domain.errors import RecordError
from pipeline.stages.normalize import read_sidecar

NAME = "Zebulon Quartermain"


def test_every_field_is_read():
    said = {
        "kind": "note",
        "title": "T",
        "date": "2031-05",
        "author": NAME,
        "department": "Cardiology",
        "patient": " 77-1 ",
        "access": "internal",
        "known_identifiers": {"version": 1, "values": {"NAME": [NAME]}},
    }
    read = read_sidecar(b"\xef\xbb\xbf" + json.dumps(said).encode())
    assert (read.kind, read.date, read.patient, read.known_identifiers) == ("note", "2031-05", "77-1", said["known_identifiers"])
    assert NAME not in repr(read)


def test_facts_of_a_protocol_are_read_and_codes_written_as_they_are_published():
    said = {
        "kind": "protocol",
        "agency": "Vane County EMS",
        "state": "ca",
        "protocol_number": "VX-204/17",
        "amendment": "Amendment 3",
        "nct_ids": ["nct99001234", "NCT99001235"],
        "icd_codes": ["e119", "U07.1", "I10"],
        "author_role": "physician",
    }
    read = read_sidecar(json.dumps(said).encode())
    assert (read.agency, read.state, read.protocol_number, read.amendment) == ("Vane County EMS", "CA", "VX-204/17", "Amendment 3")
    assert read.nct_ids == ("NCT99001234", "NCT99001235")
    assert read.icd_codes == ("E11.9", "U07.1", "I10")
    assert read.author_role == "physician"


def test_null_says_nothing():
    assert read_sidecar(b'{"title": null, "nct_ids": null}').nct_ids == ()


def test_an_empty_object_says_nothing():
    assert read_sidecar(b"{}").kind is None


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"{",
        b"[]",
        b"\xff",
        json.dumps({NAME: 1}).encode(),  # an unknown key that is a name
        json.dumps({"pateint": NAME}).encode(),
        json.dumps({"kind": NAME}).encode(),
        json.dumps({"kind": "trial"}).encode(),
        json.dumps({"date": NAME}).encode(),
        json.dumps({"date": "2031-13"}).encode(),
        json.dumps({"date": "05/02/2031"}).encode(),
        json.dumps({"patient": ""}).encode(),
        json.dumps({"patient": 771}).encode(),
        json.dumps({"author": [NAME]}).encode(),
        json.dumps({"known_identifiers": [NAME]}).encode(),
        json.dumps({"title": "x" * 1001}).encode(),
        json.dumps({"state": "ZZ"}).encode(),
        json.dumps({"state": NAME}).encode(),
        json.dumps({"protocol_number": NAME}).encode(),  # no digit
        json.dumps({"protocol_number": "VX-1\nline"}).encode(),
        json.dumps({"amendment": NAME * 4}).encode(),
        json.dumps({"nct_ids": "NCT99001234"}).encode(),  # no list
        json.dumps({"nct_ids": ["NCT9900123"]}).encode(),
        json.dumps({"nct_ids": ["NCT990012345"]}).encode(),
        json.dumps({"icd_codes": ["diabetes"]}).encode(),
        json.dumps({"icd_codes": ["E11.90000"]}).encode(),
        json.dumps({"icd_codes": [NAME]}).encode(),
        json.dumps({"author_role": NAME}).encode(),
    ],
)
def test_what_cannot_be_used_is_refused_and_not_quoted(said: bytes):
    with pytest.raises(RecordError) as refused:
        read_sidecar(said)
    assert refused.value.category == "bad_sidecar"
    assert NAME not in str(refused.value)
    assert refused.value.__context__ is None or refused.value.__suppress_context__
