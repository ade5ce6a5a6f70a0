"""Encryption at rest: what lies on the disk tells nothing, a wrong key is one clear error, plain payloads stay readable, keys rotate."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from pydantic import SecretStr

from pipeline.domain.errors import ConfigurationError, StoreCorruptError
from pipeline.domain.identifiers import sha256_hex
from pipeline.settings import Settings
from pipeline.storage.landing import FsspecLanding
from pipeline.storage.landing_keys import LandingKeys, landing_keys

DATA = b"an invented note that nobody may read " * 40
OLD, NEW = Fernet.generate_key().decode(), Fernet.generate_key().decode()


def landing(folder: Path, *keys: str) -> FsspecLanding:
    return FsspecLanding(f"file://{folder}", keys=LandingKeys(keys))


def stored(folder: Path, sha256: str) -> Path:
    return folder / sha256[:2] / sha256[2:4] / sha256


def test_what_is_stored_is_encrypted_and_named_by_the_hash_of_the_plain_bytes(tmp_path: Path):
    sha256 = landing(tmp_path, NEW).put(DATA)
    assert sha256 == sha256_hex(DATA)
    raw = stored(tmp_path, sha256).read_bytes()
    assert not raw.startswith(b"\x1f\x8b")
    assert b"invented" not in raw
    assert NEW.encode() not in raw
    assert landing(tmp_path, NEW).get(sha256) == DATA


def test_plain_payloads_from_before_stay_readable(tmp_path: Path):
    sha256 = landing(tmp_path).put(DATA)
    assert landing(tmp_path, NEW).get(sha256) == DATA
    assert landing(tmp_path, NEW).put(DATA) == sha256


def test_after_a_rotation_both_keys_objects_are_readable_and_new_ones_need_the_new_key(tmp_path: Path):
    before = landing(tmp_path, OLD).put(DATA)
    rotated = landing(tmp_path, NEW, OLD)
    after = rotated.put(DATA + b"2")
    assert (rotated.get(before), rotated.get(after)) == (DATA, DATA + b"2")
    assert landing(tmp_path, NEW).get(after) == DATA + b"2"
    with pytest.raises(ConfigurationError):
        landing(tmp_path, OLD).get(after)


@pytest.mark.parametrize("keys", [(), (OLD,)], ids=["no key", "another key"])
def test_a_wrong_key_is_one_error_that_names_the_setting_and_no_damage(tmp_path: Path, keys: tuple[str, ...]):
    sha256 = landing(tmp_path, NEW).put(DATA)
    with pytest.raises(ConfigurationError) as refusal:
        landing(tmp_path, *keys).get(sha256)
    assert "CLINDEX_LANDING_KEY" in str(refusal.value.remedy)
    assert not any(key in str(refusal.value) for key in (NEW, OLD))


@pytest.mark.parametrize("damage", [lambda raw: raw[:-3], lambda raw: raw[:-1] + bytes([raw[-1] ^ 1]), lambda raw: raw[:60]])
def test_a_damaged_object_is_damaged_and_not_a_wrong_key(tmp_path: Path, damage):
    sha256 = landing(tmp_path, NEW).put(DATA)
    path = stored(tmp_path, sha256)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(StoreCorruptError):
        landing(tmp_path, NEW).get(sha256)


def test_an_object_that_is_not_under_the_newest_key_is_written_anew_once(tmp_path: Path):
    sha256 = landing(tmp_path, OLD).put(DATA)
    rotated = landing(tmp_path, NEW, OLD)
    assert rotated.rewrite(sha256)
    assert not rotated.rewrite(sha256)
    assert landing(tmp_path, NEW).get(sha256) == DATA


@pytest.mark.parametrize("key", ["no key", "A" * 44, "%%%"])
def test_what_is_no_fernet_key_is_refused_and_not_quoted(key: str):
    with pytest.raises(ConfigurationError) as refusal:
        LandingKeys([key, OLD])
    assert key not in str(refusal.value)


def test_keys_come_from_the_setting_or_from_its_file_newest_first(tmp_path: Path):
    file = tmp_path / "keys"
    file.write_text(f"{NEW}\n{OLD}\n")
    sealed = landing_keys(Settings(home=tmp_path, landing_key_file=file)).seal(b"x")
    assert landing_keys(Settings(home=tmp_path, landing_key=SecretStr(f"{OLD},{NEW}"))).open(sealed) == b"x"
    assert LandingKeys([NEW]).open(sealed) == b"x"
    assert not landing_keys(Settings(home=tmp_path)).encrypts


def test_an_empty_or_missing_key_file_is_an_error_and_never_plain_text(tmp_path: Path):
    empty = tmp_path / "empty"
    empty.touch()
    for file in (empty, tmp_path / "absent"):
        with pytest.raises(ConfigurationError):
            landing_keys(Settings(home=tmp_path, landing_key_file=file))


def test_a_landing_that_others_can_read_is_put_right_when_it_is_opened(tmp_path: Path):
    folder = tmp_path / "landing"
    folder.mkdir(mode=0o755)
    folder.chmod(0o755)
    landing(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_rekeying_writes_everything_under_the_newest_key_and_leaves_damage_alone(tmp_path: Path):
    from pipeline.jobs.rekey import rekey_landing

    folder = tmp_path / "landing"
    plain, old, broken = landing(folder).put(b"1"), landing(folder, OLD).put(b"2"), landing(folder, OLD).put(b"3")
    stored(folder, broken).write_bytes(b"rubbish")
    settings = Settings(home=tmp_path, landing_key=SecretStr(f"{NEW},{OLD}"))
    done = rekey_landing(settings)
    assert (done.payloads, done.rewritten, done.damaged, done.encrypted) == (3, 2, 1, True)
    assert (landing(folder, NEW).get(plain), landing(folder, NEW).get(old)) == (b"1", b"2")
    assert stored(folder, broken).read_bytes() == b"rubbish"
    assert rekey_landing(settings).rewritten == 0
