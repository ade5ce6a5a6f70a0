"""SMART Backend Services against a server that checks assertions and gives tokens that end."""

from __future__ import annotations

import json
from datetime import timedelta

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from pipeline.domain.errors import ConfigurationError, SourceRefusedError
from pipeline.settings import Settings
from pipeline.stages.sources.fhir.server import NAME, FhirServer
from pipeline.stages.sources.fhir.smart import read_key
from pipeline.stages.sources.polite_http import Limits, PoliteClient
from pipeline.testing.fhir_server import FhirServer as PlayedServer
from pipeline.testing.http_faults import fails

LIMITS = Limits(per_minute=1e9, timeout_seconds=5.0, attempts=3, max_wait_seconds=120.0, max_bytes=2**20)
RSA_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
EC_KEY = ec.generate_private_key(ec.SECP384R1())


def pem_of(key) -> bytes:
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())


def public_pem_of(key) -> str:
    return key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo).decode()


@pytest.fixture
def played():
    with PlayedServer([{"resourceType": "Patient", "id": "p1"}]) as server:
        server.smart = server.require_token = True
        server.tokens.assertion_clock = lambda: server.now.timestamp()
        yield server


def key_file(tmp_path, key, *, as_jwk: bool = False):
    path = tmp_path / "key"
    algorithm = RSAAlgorithm if isinstance(key, rsa.RSAPrivateKey) else ECAlgorithm
    path.write_bytes(algorithm.to_jwk(key).encode() if as_jwk else pem_of(key))
    return path


def asked(played, path, **given):
    settings = Settings(home=path.parent, fhir_url=played.url, fhir_client_id="night", fhir_private_key_file=path, **given)
    http = PoliteClient(NAME, LIMITS, setting="CLINDEX_FHIR_URL", sleep=lambda _: None, clock=lambda: played.now)
    return FhirServer(settings, http=http)


@pytest.mark.parametrize("key", [RSA_KEY, EC_KEY], ids=["RSA", "EC"])
@pytest.mark.parametrize("as_jwk", [False, True], ids=["pem", "jwk"])
def test_a_registered_key_gets_a_token(played, tmp_path, key, as_jwk):
    played.clients["night"] = public_pem_of(key)
    server = asked(played, key_file(tmp_path, key, as_jwk=as_jwk))
    assert server.get("Patient/p1").value["id"] == "p1"


def test_one_token_serves_many_requests_and_is_renewed_before_it_ends(played, tmp_path):
    played.clients["night"] = public_pem_of(EC_KEY)
    server = asked(played, key_file(tmp_path, EC_KEY))
    for _ in range(3):
        server.get("Patient/p1")
    tokens = lambda: sum(request.path.endswith("/token") for request in played.requests)  # noqa: E731
    assert tokens() == 1
    played.now += timedelta(minutes=4, seconds=30)
    server.get("Patient/p1")
    assert tokens() == 2


def test_a_token_that_the_server_no_longer_takes_is_replaced_once(played, tmp_path):
    played.clients["night"] = public_pem_of(EC_KEY)
    server = asked(played, key_file(tmp_path, EC_KEY))
    server.get("Patient/p1")
    played.fail_next(fails(401), path="/Patient")
    assert server.get("Patient/p1").value["id"] == "p1"
    played.fail_next(fails(401), fails(401), path="/Patient")
    with pytest.raises(SourceRefusedError, match="401"):
        server.get("Patient/p1")


def test_each_attempt_at_a_token_has_an_assertion_of_its_own(played, tmp_path):
    played.clients["night"] = public_pem_of(EC_KEY)
    played.fail_next(fails(503), path="/token")
    server = asked(played, key_file(tmp_path, EC_KEY))
    server.get("Patient/p1")
    ids = [request.body for request in played.requests if request.path.endswith("/token")]
    assert len(set(ids)) == len(ids) == 2


def test_a_key_that_is_not_registered_is_refused_with_what_to_do(played, tmp_path):
    played.clients["night"] = public_pem_of(RSA_KEY)
    with pytest.raises(SourceRefusedError, match="invalid_client") as caught:
        asked(played, key_file(tmp_path, EC_KEY)).get("Patient/p1")
    assert "clindex fhir-key" in str(caught.value)


def test_the_assertion_is_as_smart_asks_for(played, tmp_path):
    played.clients["night"] = public_pem_of(EC_KEY)
    server = asked(played, key_file(tmp_path, EC_KEY), fhir_key_id="k-2024")
    server.get("Patient/p1")
    sent = next(request for request in played.requests if request.path.endswith("/token")).body.decode()
    assertion = dict(pair.split("=", 1) for pair in sent.split("&"))["client_assertion"]
    assert jwt.get_unverified_header(assertion) == {"alg": "ES384", "kid": "k-2024", "typ": "JWT"}
    claims = jwt.decode(assertion, options={"verify_signature": False})
    assert (claims["iss"], claims["sub"], claims["aud"]) == ("night", "night", f"{played.url}/token")
    assert claims["exp"] - played.now.timestamp() <= 300


def test_the_public_half_is_what_is_registered(tmp_path):
    jwk = read_key(key_file(tmp_path, RSA_KEY)).public_jwk()
    assert {"kty", "n", "e", "kid", "alg", "use"} == set(jwk)
    assert RSAAlgorithm.from_jwk(json.dumps(jwk)).public_numbers() == RSA_KEY.public_key().public_numbers()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"hello, I am text",
        b"{}",
        pem_of(rsa.generate_private_key(public_exponent=65537, key_size=1024)),
        pem_of(ec.generate_private_key(ec.SECP256R1())),
        public_pem_of(EC_KEY).encode(),
    ],
    ids=["empty", "text", "empty-jwk", "short-rsa", "p256", "public"],
)
def test_what_smart_does_not_allow_is_refused_and_not_repeated(tmp_path, content):
    path = tmp_path / "key"
    path.write_bytes(content)
    with pytest.raises(ConfigurationError) as caught:
        read_key(path)
    assert "CLINDEX_FHIR_PRIVATE_KEY_FILE" in str(caught.value)
    assert not content or content.decode("latin-1")[:20] not in str(caught.value)


def test_half_of_a_client_is_refused(tmp_path):
    with pytest.raises(ConfigurationError, match="half"):
        FhirServer(Settings(home=tmp_path, fhir_url="https://fhir.example.org", fhir_client_id="night"))


@pytest.mark.parametrize("url", ["http://fhir.example.org", "http://10.0.0.1/fhir", "ftp://x/", "fhir", "http://"])
def test_a_server_without_tls_is_refused(tmp_path, url):
    with pytest.raises(ConfigurationError):
        FhirServer(Settings(home=tmp_path, fhir_url=url))


def test_within_a_trusted_network_it_may_be_allowed(tmp_path):
    FhirServer(Settings(home=tmp_path, fhir_url="http://10.0.0.1/fhir", fhir_allow_http=True)).close()


def test_a_given_token_is_sent(played, tmp_path):
    played.smart = False
    server = FhirServer(Settings(home=tmp_path, fhir_url=played.url, fhir_token="given"))
    with pytest.raises(SourceRefusedError):
        server.get("Patient/p1")
    assert played.requests[-1].header("Authorization") == "Bearer given"
    server.close()
