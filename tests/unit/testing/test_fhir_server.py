"""The stand-in answers as FHIR, Bulk Data and SMART say, and its faults are what they are called."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from pipeline.testing.fhir_bulk import bad_line, lines_lost
from pipeline.testing.fhir_server import FhirServer
from pipeline.testing.http_faults import too_many_requests, truncated_body

KICK_OFF = {"Accept": "application/fhir+json", "Prefer": "respond-async"}
POTASSIUM = b'{"resourceType":"Observation","id":"k1","subject":{"reference":"Patient/p1"},"valueQuantity":{"value":1.00,"unit":"mmol/L"}}'


@pytest.fixture
def server() -> Iterator[FhirServer]:
    patients = [{"resourceType": "Patient", "id": f"p{number}"} for number in (1, 2, 3)]
    group = {"resourceType": "Group", "id": "g", "member": [{"entity": {"reference": "Patient/p1"}}]}
    with FhirServer([*patients, group, POTASSIUM], page_size=2) as opened:
        yield opened


def manifest_of(server: FhirServer, path: str = "/$export", **params: str) -> dict[str, Any]:
    begun = httpx.get(f"{server.url}{path}", headers=KICK_OFF, params=params or None)
    assert begun.status_code == 202
    return poll(begun.headers["Content-Location"])


def poll(url: str) -> dict[str, Any]:
    while (answer := httpx.get(url)).status_code == 202:
        assert answer.headers["Retry-After"] == "0"
    assert answer.status_code == 200
    return dict(answer.json())


def lines_of(entry: dict[str, Any]) -> list[bytes]:
    answer = httpx.get(entry["url"])
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/fhir+ndjson")
    return answer.content.splitlines()


def ids_of(pages: list[dict[str, Any]]) -> list[str]:
    return [entry["resource"]["id"] for page in pages for entry in page.get("entry", [])]


def pages_of(url: str) -> list[dict[str, Any]]:
    pages = [httpx.get(url).json()]
    while following := [link["url"] for link in pages[-1]["link"] if link["relation"] == "next"]:
        pages.append(httpx.get(following[0]).json())
    return pages


class TestExport:
    def test_every_resource_is_in_a_file_of_its_type_as_it_was_printed(self, server: FhirServer):
        manifest = manifest_of(server)
        files = {one["type"]: lines_of(one) for one in manifest["output"]}

        assert {kind: len(lines) for kind, lines in files.items()} == {"Patient": 3, "Group": 1, "Observation": 1}
        assert files["Observation"] == [b'{"meta":{"lastUpdated":"2024-06-01T09:00:05.000Z"},' + POTASSIUM[1:]]
        assert (manifest["transactionTime"], manifest["requiresAccessToken"]) == ("2024-06-01T09:00:05.000Z", False)
        assert manifest["deleted"] == manifest["error"] == []

    @pytest.mark.parametrize(
        ("path", "expected"),
        [("/Patient/$export", {"p1", "p2", "p3", "g", "k1"}), ("/Group/g/$export", {"p1", "g", "k1"}), ("/$export?_type=Group", {"g"})],
    )
    def test_an_export_has_what_its_level_and_types_say(self, server: FhirServer, path: str, expected: set[str]):
        assert {json.loads(line)["id"] for one in manifest_of(server, path)["output"] for line in lines_of(one)} == expected

    def test_since_has_what_was_written_and_removed_later(self, server: FhirServer):
        since = manifest_of(server)["transactionTime"]
        server.now += timedelta(hours=1)
        server.put({"resourceType": "Patient", "id": "p4"})
        server.remove("Patient", "p3")
        later = manifest_of(server, _since=since)

        assert [json.loads(line)["id"] for one in later["output"] for line in lines_of(one)] == ["p4"]
        (deleted,) = lines_of(later["deleted"][0])
        assert json.loads(deleted)["entry"] == [{"request": {"method": "DELETE", "url": "Patient/p3"}}]
        assert httpx.get(f"{server.url}/Patient/p3").status_code == 410
        assert httpx.get(f"{server.url}/Patient/p5").status_code == 404

    def test_a_type_is_split_and_its_errors_have_a_file(self, server: FhirServer):
        server.rows_per_file, server.pending_polls = 2, 3
        server.outcome_lines = [{"resourceType": "OperationOutcome", "issue": []}]
        manifest = manifest_of(server, _type="Patient")

        assert [one["count"] for one in manifest["output"]] == [2, 1]
        assert lines_of(manifest["error"][0]) == [b'{"resourceType": "OperationOutcome", "issue": []}']
        assert sum(request.path.startswith("/fhir/status") for request in server.requests) == 4

    @pytest.mark.parametrize(
        ("headers", "params"),
        [
            ({"Prefer": "respond-async"}, {}),
            ({"Accept": "application/fhir+json"}, {}),
            (KICK_OFF, {"_since": "yesterday"}),
            (KICK_OFF, {"_outputFormat": "text/csv"}),
            (KICK_OFF, {"since": "2024-01-01"}),
        ],
    )
    def test_what_is_no_kick_off_is_refused(self, server: FhirServer, headers: dict[str, str], params: dict[str, str]):
        refused = httpx.get(f"{server.url}/$export", headers=headers, params=params)
        assert (refused.status_code, refused.json()["resourceType"]) == (400, "OperationOutcome")

    def test_an_export_that_was_cancelled_is_gone(self, server: FhirServer):
        url = httpx.get(f"{server.url}/$export", headers=KICK_OFF).headers["Content-Location"]
        assert httpx.delete(url).status_code == 202
        assert httpx.get(url).status_code == 404

    def test_links_that_expired_are_handed_out_anew(self, server: FhirServer):
        url = httpx.get(f"{server.url}/$export", headers=KICK_OFF).headers["Content-Location"]
        old = poll(url)["output"][0]["url"]
        server.expire_links()

        assert httpx.get(old).status_code == 410
        assert len(lines_of(poll(url)["output"][0])) == 3

    def test_files_are_spoiled_as_asked_and_compressed_for_who_accepts_it(self, server: FhirServer):
        server.gzip = True
        url = manifest_of(server, _type="Patient")["output"][0]["url"]
        server.fail_next(bad_line(2), lines_lost(1), truncated_body, too_many_requests(retry_after="7"), path="/files")

        assert [line.endswith(b'"id":') for line in httpx.get(url).content.splitlines()] == [False, True, False]
        assert len(httpx.get(url).content.splitlines()) == 2
        with pytest.raises(httpx.RemoteProtocolError):
            httpx.get(url)
        assert httpx.get(url).headers["Retry-After"] == "7"
        assert httpx.get(url).headers["Content-Encoding"] == "gzip"
        assert "Content-Encoding" not in httpx.get(url, headers={"Accept-Encoding": "identity"}).headers


class TestSearch:
    def test_pages_follow_each_other_as_everything_was_at_first(self, server: FhirServer):
        first = httpx.get(f"{server.url}/Patient").json()
        server.remove("Patient", "p3")
        pages = pages_of(f"{server.url}/Patient?_count=1&_sort=-_id")

        assert (first["total"], ids_of([first])) == (3, ["p1", "p2"])
        assert ids_of(pages) == ["p2", "p1"]
        second = httpx.get(next(link["url"] for link in first["link"] if link["relation"] == "next")).json()
        assert ids_of([second]) == ["p3"]
        assert second["entry"][0]["fullUrl"] == f"{server.url}/Patient/p3"

    def test_last_updated_bounds_from_both_sides(self, server: FhirServer):
        server.now += timedelta(days=1)
        server.put({"resourceType": "Patient", "id": "p2", "active": True})

        assert ids_of(pages_of(f"{server.url}/Patient?_lastUpdated=ge2024-06-02")) == ["p2"]
        assert ids_of(pages_of(f"{server.url}?_type=Patient,Group&_lastUpdated=lt2024-06-02&_lastUpdated=gt2024-05-01")) == [
            "p1",
            "p3",
            "g",
        ]

    def test_a_link_to_a_next_page_expires(self, server: FhirServer):
        link = httpx.get(f"{server.url}/Patient").json()["link"][1]["url"]
        server.expire_links()
        assert httpx.get(link).status_code == 410

    def test_history_is_newest_first_and_has_removals(self, server: FhirServer):
        server.now += timedelta(days=1)
        server.remove("Patient", "p1")
        pages = pages_of(f"{server.url}/Patient/_history?_since=2024-06-01")

        assert [entry["request"]["method"] for page in pages for entry in page["entry"]] == ["DELETE", "PUT", "PUT", "PUT"]
        assert "resource" not in pages[0]["entry"][0]

    @pytest.mark.parametrize("query", ["name=x", "_count=0", "_sort=name", "_lastUpdated=sa2024-01-01", "_lastUpdated=soon"])
    def test_what_it_does_not_know_is_refused(self, server: FhirServer, query: str):
        assert httpx.get(f"{server.url}/Patient?{query}").status_code == 400

    def test_a_binary_is_itself_or_a_resource(self, server: FhirServer):
        server.put({"resourceType": "Binary", "id": "b", "contentType": "text/plain", "data": "QUJD"})
        itself = httpx.get(f"{server.url}/Binary/b")

        assert (itself.headers["Content-Type"], itself.content) == ("text/plain", b"ABC")
        assert httpx.get(f"{server.url}/Binary/b", headers={"Accept": "application/fhir+json"}).json()["data"] == "QUJD"

    def test_metadata_says_the_release(self, server: FhirServer):
        server.fhir_version = "5.0.0"
        assert httpx.get(f"{server.url}/metadata").json()["fhirVersion"] == "5.0.0"


class TestTokens:
    KEY = ec.generate_private_key(ec.SECP384R1())

    @pytest.fixture
    def guarded(self, server: FhirServer) -> FhirServer:
        server.smart = server.require_token = server.file_token_required = True
        server.clients["clindex"] = self.KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
        return server

    def ask(
        self, server: FhirServer, key: Any = KEY, algorithm: str = "ES384", scope: str = "system/*.read", lasts: int = 200, **claims: Any
    ) -> httpx.Response:
        all_claims = {
            "iss": "clindex",
            "sub": "clindex",
            "aud": server.token_url,
            "exp": time.time() + lasts,
            "jti": str(time.time_ns()),
            **claims,
        }
        form = {
            "grant_type": "client_credentials",
            "scope": scope,
            "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            "client_assertion": jwt.encode(all_claims, key, algorithm),
        }
        return httpx.post(httpx.get(f"{server.url}/.well-known/smart-configuration").json()["token_endpoint"], data=form)

    def test_a_token_opens_the_server_until_it_ends(self, guarded: FhirServer):
        given = self.ask(guarded).json()
        headers = {"Authorization": f"Bearer {given['access_token']}"}

        assert httpx.get(f"{guarded.url}/Patient").status_code == 401
        assert httpx.get(f"{guarded.url}/metadata").status_code == 200
        assert httpx.get(f"{guarded.url}/Patient", headers=headers).status_code == 200
        guarded.now += timedelta(seconds=given["expires_in"])
        assert httpx.get(f"{guarded.url}/Patient", headers=headers).status_code == 401

    def test_files_have_a_lock_of_their_own(self, guarded: FhirServer):
        guarded.require_token = False
        manifest = manifest_of(guarded)
        url = manifest["output"][0]["url"]

        assert manifest["requiresAccessToken"] is True
        assert httpx.get(url).status_code == 401
        assert httpx.get(url, headers={"Authorization": f"Bearer {self.ask(guarded).json()['access_token']}"}).status_code == 200

    def test_a_key_may_be_a_jwk(self, guarded: FhirServer):
        key = rsa.generate_private_key(65537, 2048)
        guarded.clients["clindex"] = jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key(), as_dict=True)
        assert self.ask(guarded, key, "RS384", scope="system/Patient.rs system/*.read").status_code == 200

    @pytest.mark.parametrize(
        ("claims", "status"),
        [
            ({"iss": "other"}, 401),
            ({"sub": "other"}, 401),
            ({"aud": "https://other.example.org/token"}, 401),
            ({"lasts": 4000}, 401),
            ({"lasts": -60}, 401),
            ({"exp": None}, 401),
            ({"key": ec.generate_private_key(ec.SECP384R1())}, 401),
            ({"key": ec.generate_private_key(ec.SECP256R1()), "algorithm": "ES256"}, 401),
            ({"scope": "patient/*.read"}, 400),
            ({"scope": ""}, 400),
        ],
    )
    def test_what_is_not_as_smart_says_gets_no_token(self, guarded: FhirServer, claims: dict[str, Any], status: int):
        refused = self.ask(guarded, **claims)
        assert refused.status_code == status
        assert set(refused.json()) == {"error"}

    def test_an_assertion_is_good_for_once(self, guarded: FhirServer):
        assert [self.ask(guarded, jti="same").status_code for _ in range(2)] == [200, 401]
