from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from sqlalchemy import select

from pipeline.domain.errors import ConfigurationError, SecretMismatchError
from pipeline.settings import Settings
from pipeline.storage.engine import Database
from pipeline.storage.secrets import ensure_site_secret, secret_fingerprint
from pipeline.storage.tables import meta

OURS = "an invented secret of some length"
OTHER = "another invented secret of length"


def _settings(tmp_path: Path, **values: Any) -> Settings:
    return Settings(home=tmp_path / "home", **values)


def test_a_new_home_gets_a_random_secret_that_only_its_owner_can_read(db: Database, tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        secret = ensure_site_secret(_settings(tmp_path), db)
    finally:
        os.umask(old)
    path = tmp_path / "home" / "site_secret"
    assert path.read_bytes() == secret
    assert len(bytes.fromhex(secret.decode())) == 32
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [one.name for one in path.parent.iterdir() if "secret" in one.name] == ["site_secret"]
    assert ensure_site_secret(_settings(tmp_path), db) == secret


def test_the_database_holds_a_fingerprint_and_never_the_secret(db: Database, tmp_path: Path) -> None:
    ensure_site_secret(_settings(tmp_path, site_secret=SecretStr(OURS)), db)
    with db.read() as tx:
        stored = tx.execute(select(meta.c.value)).scalars().all()
    assert stored == [secret_fingerprint(OURS.encode())]
    assert not (tmp_path / "home" / "site_secret").exists()


def test_the_same_secret_by_setting_or_by_file_is_the_same(db: Database, tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text(OURS + "\n")
    by_setting = ensure_site_secret(_settings(tmp_path, site_secret=SecretStr(OURS)), db)
    assert ensure_site_secret(_settings(tmp_path, site_secret_file=file), db) == by_setting


def test_another_secret_is_refused_and_quoted_nowhere(db: Database, tmp_path: Path) -> None:
    ensure_site_secret(_settings(tmp_path, site_secret=SecretStr(OURS)), db)
    with pytest.raises(SecretMismatchError) as refusal:
        ensure_site_secret(_settings(tmp_path, site_secret=SecretStr(OTHER)), db)
    assert refusal.value.exit_code == 3
    assert OTHER not in str(refusal.value)
    ensure_site_secret(_settings(tmp_path, site_secret=SecretStr(OURS)), db)


def test_a_lost_secret_is_never_replaced_by_a_new_one(db: Database, tmp_path: Path) -> None:
    ensure_site_secret(_settings(tmp_path), db)
    (tmp_path / "home" / "site_secret").unlink()
    with pytest.raises(SecretMismatchError, match="not there any more"):
        ensure_site_secret(_settings(tmp_path), db)
    assert not (tmp_path / "home" / "site_secret").exists()


@pytest.mark.parametrize("secret", ["", "too short", " " * 40])
def test_a_guessable_secret_is_refused(db: Database, tmp_path: Path, secret: str) -> None:
    file = tmp_path / "secret"
    file.write_text(secret)
    with pytest.raises(ConfigurationError):
        ensure_site_secret(_settings(tmp_path, site_secret_file=file), db)


def test_a_secret_file_that_cannot_be_read_is_a_configuration_error(db: Database, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError):
        ensure_site_secret(_settings(tmp_path, site_secret_file=tmp_path / "absent"), db)
    assert not (tmp_path / "home" / "site_secret").exists()


def test_processes_that_begin_a_home_at_once_agree_on_one_secret(url: str, tmp_path: Path) -> None:
    def begin(_: int) -> bytes:
        db = Database.open(url)
        try:
            return ensure_site_secret(_settings(tmp_path), db)
        finally:
            db.dispose()

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(begin, range(4)))) == 1
