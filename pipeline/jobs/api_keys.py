"""Keys of the HTTP API: made, listed, revoked. A key is shown once, when it is made."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from pydantic import Field

from pipeline.domain.errors import UsageError
from pipeline.jobs.summaries import Summary
from pipeline.observability import log_event
from pipeline.search.access import Role, new_key
from pipeline.settings import Settings
from pipeline.storage import api_keys
from pipeline.storage.api_keys import ApiKey
from pipeline.wiring import Services, utc_now

_LONGEST_NAME: Final = 100  # characters: a line of a list


class KeyEntry(Summary):
    """One key, without what opens anything."""

    key_id: str
    name: str
    role: str
    labels: list[str] | None = Field(description="access labels it is limited to; null: not limited by them")
    departments: list[str] | None
    patients: list[str] | None = Field(description="pseudonyms")
    valid: bool
    created_at: str = Field(description="ISO 8601")
    expires_at: str | None
    revoked_at: str | None


class KeyList(Summary):
    """Every key there ever was, the newest first."""

    keys: list[KeyEntry]


class CreatedKey(Summary):
    """A key that was just made."""

    entry: KeyEntry
    key: str = Field(repr=False, description="shown once and kept nowhere")


def create_key(
    services: Services,
    *,
    name: str,
    role: Role,
    labels: Sequence[str] = (),
    departments: Sequence[str] = (),
    patients: Sequence[str] = (),
    days: int | None = None,
    now: datetime | None = None,
) -> CreatedKey:
    """Make a key.

    Args:
        services: The home.
        name: Whose it is: an application, not a person.
        role: What it may do.
        labels: Of a clinical key: only documents with one of these labels, besides the open ones.
        departments: Only documents of these.
        patients: Only documents of these patients, by pseudonym.
        days: How long it is valid; ``None``: until it is revoked.
        now: The clock, for tests.

    Raises:
        UsageError: A clinical key without a limit, limits on another role, a label or department that the site does not have, or no name.
    """
    _check(services.settings, name, role, labels, departments, patients)
    moment = now or utc_now()
    made = new_key(services.secret)
    kept = ApiKey(
        key_id=made.key_id,
        name=name.strip(),
        role=role.value,
        digest=made.digest,
        created_at=moment,
        expires_at=None if days is None else moment + timedelta(days=days),
        labels=_limit(labels),
        departments=_limit(departments),
        patients=_limit(patients),
    )
    with services.db.begin() as tx:
        api_keys.add(tx, kept)
    log_event("api_key_created", key_id=kept.key_id, role=kept.role)
    return CreatedKey(entry=_entry(kept, moment), key=made.text)


def _limit(values: Sequence[str]) -> tuple[str, ...] | None:
    return tuple(sorted(set(values))) or None


def _check(settings: Settings, name: str, role: Role, labels: Sequence[str], departments: Sequence[str], patients: Sequence[str]) -> None:
    if not 0 < len(name.strip()) <= _LONGEST_NAME:
        raise UsageError(f"a key needs a name of at most {_LONGEST_NAME} characters")
    is_limited = bool(labels or departments or patients)
    if role is Role.CLINICAL and not is_limited:
        raise UsageError(
            "a clinical key needs at least one label, department or patient",
            remedy="Name what it may see; an operator's key sees everything.",
        )
    if role is not Role.CLINICAL and is_limited:
        raise UsageError(f"labels, departments and patients limit clinical keys; a key of the role {role.value} has none")
    for word, values, known in (("label", labels, settings.access_labels), ("department", departments, settings.departments)):
        if unknown := set(values) - set(known):
            raise UsageError(f"{len(unknown)} {word}(s) are not the site's", remedy=f"Known: {', '.join(known)}.")


def list_keys(services: Services, *, now: datetime | None = None) -> KeyList:
    """Return every key there ever was."""
    with services.db.read() as tx:
        return KeyList(keys=[_entry(one, now or utc_now()) for one in api_keys.listed(tx)])


def revoke_key(services: Services, key_id: str, *, now: datetime | None = None) -> KeyEntry:
    """Let a key open nothing from now on. One that is revoked already stays so.

    Raises:
        UsageError: There is no such key.
    """
    moment = now or utc_now()
    with services.db.begin() as tx:
        api_keys.revoke(tx, key_id, moment)
        found = api_keys.get(tx, key_id)
    if found is None:
        raise UsageError("there is no key of this id", remedy="`clindex key list` shows them.")
    log_event("api_key_revoked", key_id=found.key_id)
    return _entry(found, moment)


def _entry(key: ApiKey, now: datetime) -> KeyEntry:
    limits = {name: None if (values := getattr(key, name)) is None else list(values) for name in ("labels", "departments", "patients")}
    return KeyEntry(
        key_id=key.key_id,
        name=key.name,
        role=key.role,
        valid=key.is_valid(now),
        created_at=key.created_at.isoformat(),
        expires_at=key.expires_at.isoformat() if key.expires_at else None,
        revoked_at=key.revoked_at.isoformat() if key.revoked_at else None,
        **limits,
    )
