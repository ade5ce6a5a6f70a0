"""``clindex fhir-key``."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from pipeline.cli.output import Json, execute, say
from pipeline.domain.errors import ConfigurationError
from pipeline.settings import Settings


class PublicKeys(BaseModel):
    """A JWK Set (RFC 7517) of the public half of the site's key."""

    keys: list[dict[str, Any]]


def fhir_key(as_json: Json = False) -> None:
    """Print the public half of CLINDEX_FHIR_PRIVATE_KEY_FILE as a JWK Set: what is registered at a FHIR server for SMART Backend Services."""
    from pipeline.stages.sources.fhir.smart import read_key

    def run() -> PublicKeys:
        settings = Settings()
        if settings.fhir_private_key_file is None:
            raise ConfigurationError(
                "no private key is set", remedy="Set CLINDEX_FHIR_PRIVATE_KEY_FILE; docs/fhir.md says how to make one."
            )
        return PublicKeys(keys=[read_key(settings.fhir_private_key_file, key_id=settings.fhir_key_id).public_jwk()])

    execute(run, as_json=as_json, render=lambda found: say(found.model_dump_json(indent=2)), failed=lambda _: False)
