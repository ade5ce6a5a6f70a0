"""The settings of FHIR feeds: which folders or which server, and how a server is asked."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import SecretStr
from pydantic_settings import BaseSettings

from pipeline.domain.vocabulary import FhirVersion, FhirWay
from pipeline.setting import setting


class FhirSettings(BaseSettings):
    """``CLINDEX_FHIR_*``."""

    fhir_paths: tuple[str, ...] = setting(
        (), unit="folders or fsspec URLs", reason="none: the site says which folders of resources the night reads; a JSON list", repr=False
    )
    fhir_url: str | None = setting(None, unit="URL", reason="none: no server is asked", repr=False)
    fhir_from: FhirWay = setting(
        FhirWay.BULK, unit="way of asking", reason="an export is complete by its manifest and names what was deleted; a search does neither"
    )
    fhir_level: Literal["system", "patient"] = setting(
        "system", unit="level of an export", reason="everything; patient: what is of patients, where a server exports that alone"
    )
    fhir_group: str | None = setting(
        None, unit="id of a Group", reason="none: all; with one, an export is of its members", pattern=r"^[A-Za-z0-9\-.]{1,64}$", repr=False
    )
    fhir_types: tuple[str, ...] = setting(
        (), unit="types of resources", reason="none: all that are rendered or shown within others, as far as the server has them"
    )
    fhir_authority: str = setting(
        "site",
        unit="name",
        reason="whose ids resources have: the same type and id of one authority are one resource",
        pattern=r"^[a-z0-9_-]{1,40}$",
    )
    fhir_version: FhirVersion = setting(
        FhirVersion.R4, unit="release of FHIR", reason="of resources that do not tell theirs; most servers of hospitals speak R4"
    )
    fhir_full_days: int = setting(
        7, unit="days", reason="servers need not name what they deleted: a full load shows it; a week as for the registry's listing", ge=1
    )

    # Authentication (SMART Backend Services)
    fhir_client_id: str | None = setting(None, unit="client id", reason="the server's administrator gives it", repr=False)
    fhir_private_key_file: Path | None = setting(
        None, unit="file, PEM or JWK", reason="RSA (RS384) or P-384 (ES384), as SMART asks for; its public half is registered at the server"
    )
    fhir_key_id: str | None = setting(None, unit="key id", reason="none: the JWK's own, else its RFC 7638 thumbprint")
    fhir_auth_url: str | None = setting(
        None, unit="URL of tokens", reason="none: the one that the server's .well-known/smart-configuration names", repr=False
    )
    fhir_scope: str = setting("system/*.rs", unit="scopes", reason="read and search, of every type; SMART v1 servers want system/*.read")
    fhir_token: SecretStr | None = setting(None, unit="bearer token", reason="for servers that hand one out in another way")
    fhir_allow_http: bool = setting(
        False, unit="yes or no", reason="patients' data and keys go over TLS; this machine's own addresses are exempt"
    )

    # Politeness
    fhir_page_size: int = setting(
        200, unit="resources a page", reason="asked for with _count; servers cap it; 200 keep a page near 1 MB", ge=1, le=5000
    )
    fhir_requests_per_minute: float = setting(
        600.0, unit="requests a minute", reason="an own server at night; lower it where clinicians work on the same one", gt=0
    )
    fhir_timeout_seconds: float = setting(
        120.0, unit="seconds", reason="for a connection, and between two pieces of an answer: first pages take long to be built", gt=0
    )
    fhir_max_attempts: int = setting(6, unit="attempts", reason="with exponential waits about two minutes of outage are bridged", ge=1)
    fhir_max_wait_seconds: float = setting(
        120.0, unit="seconds", reason="a longer Retry-After is an outage: the run ends red, and the next one asks again", gt=0
    )
    fhir_export_hours: float = setting(
        12.0, unit="hours", reason="an export that is not ready in one night is given up and cancelled; servers take minutes to hours", gt=0
    )
    fhir_overlap_seconds: int = setting(
        300, unit="seconds", reason="a search asks again from so long before: clocks differ, and transactions end after they began", ge=0
    )
