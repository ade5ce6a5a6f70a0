"""Deletion of a patient's FHIR resources: under every number, what is no document too, and nothing comes back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pipeline.domain.errors import GuardRefusedError
from pipeline.domain.fhir import patient_pseudonym, resource_key
from pipeline.domain.identifiers import document_id
from pipeline.domain.vocabulary import Source
from pipeline.jobs.certificates.check import verify_certificates
from pipeline.jobs.deletion import lift
from pipeline.jobs.deletion.run import DeleteSummary, run_delete
from pipeline.jobs.fhir.ingest import ingest_fhir
from pipeline.jobs.fhir.summaries import FhirSummary
from pipeline.jobs.index import run_index
from pipeline.stages.sources.fhir.folder import FolderFeed
from pipeline.storage import fhir_resources, holds
from pipeline.storage.fhir_erasure import every_alias
from pipeline.storage.fhir_tables import fhir_patients
from pipeline.wiring import Services, utc_now

SURNAME = "Thrumboltwick"
NUMBER = "MRN-7741190"


def patient(logical_id: str, family: str, number: str) -> dict[str, Any]:
    name = [{"family": family, "given": ["Orsolya"]}]
    return {"resourceType": "Patient", "id": logical_id, "name": name, "identifier": [{"value": number}]}


def condition(logical_id: str, of: str, text: str) -> dict[str, Any]:
    return {
        "resourceType": "Condition",
        "id": logical_id,
        "clinicalStatus": {
            "coding": [{"system": "http://terminology.hl7.org/CodeSystem/condition-clinical", "code": "active"}],
        },
        "code": {"coding": [{"system": "http://snomed.info/sct", "code": "38341003", "display": text}]},
        "subject": {"reference": f"Patient/{of}"},
    }


HERS = [patient("pat-a", SURNAME, NUMBER), condition("con-a", "pat-a", "Hypertensive disorder")]
HIS = [patient("pat-b", "Ostrander", "MRN-2218456"), condition("con-b", "pat-b", "Type 2 diabetes mellitus")]


def load(services: Services, folder: Path, resources: list[dict[str, Any]]) -> FhirSummary:
    folder.mkdir(exist_ok=True)
    (folder / "all.ndjson").write_text("\n".join(map(json.dumps, resources)) + "\n", encoding="utf-8")
    done = ingest_fhir(services, FolderFeed([folder], secret=services.secret))
    run_index(services)
    return done


def delete(services: Services, number: str) -> DeleteSummary:
    return run_delete(services, patient=patient_pseudonym(services.secret, number), reason="asked for", by="tester", approve_large=True)


def keys(services: Services, resources: list[dict[str, Any]]) -> list[str]:
    return [resource_key(services.secret, "site", one["resourceType"], one["id"]) for one in resources]


def known(services: Services, resources: list[dict[str, Any]]) -> int:
    with services.db.read() as tx:
        return len(fhir_resources.known(tx, keys(services, resources)))


def landed_with(services: Services, word: str) -> int:
    return sum(word.encode() in services.landing.get(sha256) for sha256, _ in services.landing.objects())


@pytest.mark.parametrize("number", ["pat-a", NUMBER])
def test_by_any_number_all_of_a_patient_goes_and_the_proof_passes(services: Services, tmp_path: Path, number: str):
    load(services, tmp_path / "feed", HERS + HIS)
    assert known(services, HERS) == 2
    assert landed_with(services, SURNAME)
    done = delete(services, number)
    assert done.outcome is not None
    assert (done.outcome.state, done.outcome.documents) == ("certified", 1)
    assert known(services, HERS) == 0
    assert landed_with(services, SURNAME) == 0
    assert known(services, HIS) == 2
    assert landed_with(services, "Ostrander") == 1


def test_the_next_load_keeps_nothing_and_counts_it(services: Services, tmp_path: Path):
    load(services, tmp_path / "feed", HERS + HIS)
    delete(services, NUMBER)
    again = load(services, tmp_path / "feed", HERS + HIS)
    assert again.load.outcomes["suppressed"] == 2
    assert known(services, HERS) == 0
    assert landed_with(services, SURNAME) == 0
    assert verify_certificates(services).passed


def test_a_row_that_came_back_behind_our_back_fails_the_verification(services: Services, tmp_path: Path):
    load(services, tmp_path / "feed", HERS + HIS)
    delete(services, NUMBER)
    alias = patient_pseudonym(services.secret, NUMBER)
    with services.db.begin() as tx:
        tx.execute(fhir_patients.insert().values(alias=alias, patient=alias, resource_key=keys(services, HIS)[0]))
    assert not verify_certificates(services).passed


def test_two_patient_resources_that_share_a_number_are_one_patient(services: Services, tmp_path: Path):
    elsewhere = [patient("pat-z", SURNAME, NUMBER), condition("con-z", "pat-z", "Walnutfever")]
    load(services, tmp_path / "feed", HERS + elsewhere + HIS)
    with services.db.read() as tx:
        names = every_alias(tx, [patient_pseudonym(services.secret, "pat-z")])
    assert names == {patient_pseudonym(services.secret, one) for one in ("pat-a", "pat-z", NUMBER)}
    done = delete(services, "pat-z")
    assert done.outcome is not None
    assert done.outcome.documents == 2
    assert landed_with(services, SURNAME) == 0


def test_a_hold_on_one_number_protects_what_is_known_under_another(services: Services, tmp_path: Path):
    load(services, tmp_path / "feed", HERS)
    with services.db.begin() as tx:
        holds.place(tx, patient_pseudonym(services.secret, NUMBER), reason="litigation", by="tester", now=utc_now())
    with pytest.raises(GuardRefusedError, match="hold"):
        delete(services, "pat-a")
    assert known(services, HERS) == 2


def test_lifted_by_one_number_the_patient_is_taken_again(services: Services, tmp_path: Path):
    load(services, tmp_path / "feed", HERS)
    delete(services, "pat-a")
    lift(services, patient_pseudonym(services.secret, NUMBER), reason="deleted by mistake", by="tester")
    lift(services, str(document_id(Source.FHIR, keys(services, HERS)[1])), reason="deleted by mistake", by="tester")
    load(services, tmp_path / "feed", HERS)
    assert known(services, HERS) == 2


def test_of_one_document_its_bytes_go_and_its_patient_stays(services: Services, tmp_path: Path):
    load(services, tmp_path / "feed", HERS)
    one = document_id(Source.FHIR, keys(services, HERS)[1])
    run_delete(services, documents=[one], reason="entered in error", by="tester", approve_large=True)
    assert known(services, HERS) == 1
    assert landed_with(services, "Hypertensive") == 0
    assert landed_with(services, SURNAME) == 1


def test_a_deleted_patient_who_comes_back_under_a_new_id_leaves_nothing(services: Services, tmp_path: Path):
    load(services, tmp_path / "feed", HERS + HIS)
    delete(services, NUMBER)
    elsewhere = [condition("con-y", "pat-y", "Walnutfever"), patient("pat-y", SURNAME, NUMBER)]  # what she has comes before who she is
    load(services, tmp_path / "other", elsewhere)
    assert known(services, elsewhere) == 0
    assert landed_with(services, SURNAME) == landed_with(services, "Walnutfever") == 0
    later = load(services, tmp_path / "third", [condition("con-x", "pat-y", "Quincepox")])
    assert later.load.outcomes == {"suppressed": 1}
    assert verify_certificates(services).passed


def test_a_number_that_a_family_shares_or_a_word_makes_nobody_the_same_person(services: Services, tmp_path: Path):
    policy = {"type": {"coding": [{"code": "MB"}]}, "value": "POL-4471920"}
    family = [{**patient(one, SURNAME, "unknown"), "identifier": [{"value": "unknown"}, policy]} for one in ("pat-m", "pat-n")]
    load(services, tmp_path / "feed", family)
    with services.db.read() as tx:
        assert every_alias(tx, [patient_pseudonym(services.secret, "pat-m")]) == {patient_pseudonym(services.secret, "pat-m")}
